"""Layout: which examples of a robustness test set are originals, and what was made of each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from aspectlab.data import Corpus, Example
from aspectlab.errors import DataError
from aspectlab.metrics import UNITS, IntArray, Unit, number_units
from aspectlab.readers.arts import VARIANTS

SUFFIXES = {**VARIANTS, "adv4": "adddiff"}
"""What the end of an id says; the authors' prediction files call AddDiff adv4, their test sets adv3."""

PUBLISHED_STRATEGIES = tuple(VARIANTS.values())
"""The strategies of the ARTS paper, in its order."""

_SUFFIX = re.compile(r"adv\d*")


@dataclass(frozen=True, eq=False)
class Layout:
    """Positions in a test set of N examples.

    `origins` holds the position of each example's original: its own if it is one.
    """

    origins: IntArray  # [N]
    variants: dict[str, IntArray]  # by strategy, [V]
    units: dict[Unit, IntArray]  # [N]

    @property
    def is_original(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Whether an example is an original: [N]."""
        return np.equal(self.origins, np.arange(len(self.origins)))


def lay_out(corpus: Corpus) -> Layout:
    """Find the originals of a test set and their variants, or say what does not fit.

    >>> tea = Example("1", "Good tea."), Example("1_adv1", "Bad tea.", source="1", variant="revtgt")
    >>> lay_out(Corpus("mine", "en", frozenset(), tea)).origins
    array([0, 0])
    """
    places = {example.id: place for place, example in enumerate(corpus) if example.source is None}
    origins = [_find_origin(corpus, example, places) for example in corpus]
    strategies = [_name_strategy(corpus, example) for example in corpus]
    if not any(strategies):
        raise DataError(
            f"corpus {corpus.name!r}: found {len(corpus)} example(s) and no variant: expected originals with "
            "variants that name their source; make them with `aspectlab arts generate`"
        )
    units = {unit: number_units(corpus.examples, unit) for unit in UNITS}
    return Layout(np.array(origins, np.int64), _group(strategies), units)


def _find_origin(corpus: Corpus, example: Example, places: dict[str, int]) -> int:
    origin = example.id if example.source is None else example.source
    if origin not in places:
        raise DataError(
            f"corpus {corpus.name!r}: example {example.id!r}: found the source {origin!r}: expected the id "
            "of an original in the same file; add the original or remove its variants"
        )
    return places[origin]


def _name_strategy(corpus: Corpus, example: Example) -> str | None:
    if example.source is None:
        return None
    name = SUFFIXES.get(example.variant or "", example.variant or "")
    if not name or _SUFFIX.fullmatch(name):
        raise DataError(
            f"corpus {corpus.name!r}: example {example.id!r}: found the variant {example.variant!r}: "
            f"expected the name of a strategy, such as {', '.join(PUBLISHED_STRATEGIES)}; rename the variant"
        )
    return name


def _group(strategies: Sequence[str | None]) -> dict[str, IntArray]:
    """Give the places of each strategy, those of the paper first."""
    found = dict.fromkeys(name for name in strategies if name)
    names = [
        *(name for name in PUBLISHED_STRATEGIES if name in found),
        *(n for n in found if n not in PUBLISHED_STRATEGIES),
    ]
    return {name: np.array([i for i, other in enumerate(strategies) if other == name]) for name in names}
