"""Violation rates: per relation, per element of a triplet, and their average."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

ELEMENTS = {
    "aspect": ("MR1-3", "MR1-4", "MR2-1", "MR2-3"),
    "opinion": ("MR1-1", "MR1-2", "MR1-3", "MR1-4", "MR2-2", "MR2-3", "MR2-4"),
    "sentiment": ("MR1-2", "MR1-3", "MR1-4", "MR2-4"),
}
"""The relations that concern each element, as the tables of the MATO paper have them."""


def rate(violations: int, cases: int) -> float | None:
    """Give the share of violations; None where there is no case.

    >>> rate(1, 4), rate(0, 0)
    (0.25, None)
    """
    return violations / cases if cases else None


def summarise(rates: Mapping[str, float | None]) -> dict[str, float | None]:
    """Average the rates of all relations, and of those that concern each element.

    Relations without cases are left out.

    >>> summarise({"MR1-3": 0.5, "MR2-1": 0.25, "MR2-4": None})["aspect"]
    0.375
    """
    means = {element: _mean(rates.get(name) for name in names) for element, names in ELEMENTS.items()}
    return {**means, "average": _mean(rates.values())}


def _mean(rates: Iterable[float | None]) -> float | None:
    known = [value for value in rates if value is not None]
    return sum(known) / len(known) if known else None
