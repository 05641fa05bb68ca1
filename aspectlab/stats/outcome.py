"""What a significance test gives."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Outcome:
    """A test statistic, its p value, which method gave it, and its degrees of freedom where it has them."""

    statistic: float
    p: float
    method: str
    freedom: float | None = None
