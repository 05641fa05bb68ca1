"""Calibration: does a probability say how often the answer is right?"""

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats.samples import FloatArray, Numbers, check_sample

Binning: TypeAlias = Literal["mass", "width"]

BINS = 15
"""As many as most papers on calibration take."""

SURE = 0.9
"""From this probability on an answer is called sure."""


@dataclass(frozen=True, slots=True)
class ReliabilityBin:
    """Answers of similar probability: how many, what was promised on average, and how many were right."""

    low: float
    high: float
    count: int
    confidence: float
    correct: int

    @property
    def accuracy(self) -> float:
        """The share that is right."""
        return self.correct / self.count


@dataclass(frozen=True, slots=True)
class CoveragePoint:
    """What is left of all answers from a probability on, and the share of it that is right."""

    threshold: float
    coverage: float
    precision: float


@dataclass(frozen=True, slots=True)
class CalibrationReport:
    """How far probabilities can be trusted.

    The expected calibration error is the mean gap between what is promised and what is right, over bins of
    equally many answers (`error`) or of equal width (`width_error`). Both are a little above 0 by chance even
    for perfect probabilities, the more so the fewer answers there are.
    """

    count: int
    correct: int
    confidence: float
    error: float
    width_error: float
    brier: float
    sure_from: float
    sure: int
    sure_correct: int
    bins: tuple[ReliabilityBin, ...]
    curve: tuple[CoveragePoint, ...]

    @property
    def accuracy(self) -> float:
        """The share of all answers that is right."""
        return self.correct / self.count

    @property
    def sure_share(self) -> float:
        """The share of answers that are sure."""
        return self.sure / self.count

    @property
    def sure_precision(self) -> float | None:
        """The share of sure answers that are right; None where there are none."""
        return self.sure_correct / self.sure if self.sure else None


def calibration_report(
    probabilities: Numbers, correct: Numbers, *, bins: int = BINS, sure: float = SURE
) -> CalibrationReport:
    """Measure the probabilities of answers that are known to be right (1) or wrong (0).

    >>> report = calibration_report([0.6, 0.6, 0.95, 0.95], [1, 0, 1, 1])
    >>> round(report.error, 3), report.sure_share, report.sure_precision
    (0.075, 0.5, 1.0)
    """
    found, right = check_answers("calibration_report", probabilities, correct)
    is_sure = found >= sure
    table = reliability_table(found, right, bins=bins)
    return CalibrationReport(
        count=len(found),
        correct=int(right.sum()),
        confidence=float(found.mean()),
        error=_weigh_gaps(table),
        width_error=expected_calibration_error(found, right, bins=bins, binning="width"),
        brier=float(np.mean((found - right) ** 2)),
        sure_from=sure,
        sure=int(is_sure.sum()),
        sure_correct=int(right[is_sure].sum()),
        bins=table,
        curve=coverage_curve(found, right),
    )


def expected_calibration_error(
    probabilities: Numbers, correct: Numbers, *, bins: int = BINS, binning: Binning = "mass"
) -> float:
    """Return the mean gap between probability and accuracy, each bin weighted by its answers.

    >>> round(expected_calibration_error([0.9] * 10, [1] * 6 + [0] * 4), 12)
    0.3
    """
    return _weigh_gaps(reliability_table(probabilities, correct, bins=bins, binning=binning))


def reliability_table(
    probabilities: Numbers, correct: Numbers, *, bins: int = BINS, binning: Binning = "mass"
) -> tuple[ReliabilityBin, ...]:
    """Return the bins that hold answers, from low to high.

    Bins of equal mass hold about equally many answers; equal probabilities are never parted, so that there
    may be fewer bins. Their edges, and those of equal width, are scikit-learn's.

    >>> [(bin.low, bin.high, bin.accuracy) for bin in reliability_table([0.2, 0.8], [0, 1], bins=2)]
    [(0.2, 0.5, 0.0), (0.5, 0.8, 1.0)]
    """
    found, right = check_answers("reliability_table", probabilities, correct)
    if bins < 1:
        raise ConfigError(f"reliability_table: bins = {bins!r}: expected at least 1; {BINS} is usual")
    if binning not in get_args(Binning):
        choices = ", ".join(get_args(Binning))
        raise ConfigError(f"reliability_table: binning = {binning!r}: expected one of {choices}")
    shares = np.linspace(0.0, 1.0, bins + 1)
    edges = np.quantile(found, shares) if binning == "mass" else shares
    number = np.searchsorted(edges[1:-1], found)  # [N]
    counts = np.bincount(number, minlength=bins)
    promised = np.bincount(number, weights=found, minlength=bins)
    hits = np.bincount(number, weights=right, minlength=bins)
    return tuple(
        ReliabilityBin(
            low=float(edges[k]),
            high=float(edges[k + 1]),
            count=int(counts[k]),
            confidence=float(promised[k] / counts[k]),
            correct=int(hits[k]),
        )
        for k in np.flatnonzero(counts)
    )


def coverage_curve(probabilities: Numbers, correct: Numbers) -> tuple[CoveragePoint, ...]:
    """Return the share and the precision of the answers from every probability on, the surest first.

    >>> [(point.coverage, point.precision) for point in coverage_curve([0.9, 0.5], [1, 0])]
    [(0.5, 1.0), (1.0, 0.5)]
    """
    found, right = check_answers("coverage_curve", probabilities, correct)
    order = np.argsort(-found, kind="stable")
    ranked, hits = found[order], np.cumsum(right[order])
    # equal probabilities cannot be told apart: a point stands behind the last of them
    last = np.flatnonzero(np.append(ranked[1:] != ranked[:-1], True))
    return tuple(
        CoveragePoint(float(ranked[k]), float((k + 1) / len(ranked)), float(hits[k] / (k + 1))) for k in last
    )


def _weigh_gaps(table: tuple[ReliabilityBin, ...]) -> float:
    total = sum(each.count for each in table)
    return sum(each.count * abs(each.accuracy - each.confidence) for each in table) / total


def check_answers(where: str, probabilities: Numbers, correct: Numbers) -> tuple[FloatArray, FloatArray]:
    """Check probabilities, and whether each answer is right; refuse what is no probability."""
    found = check_sample(f"{where}: probabilities", probabilities, least=1)
    outside = np.flatnonzero((found < 0) | (found > 1))
    if outside.size:
        raise DataError(
            f"{where}: probabilities: value {outside[0] + 1} is {float(found[outside[0]])!r}: "
            "expected numbers from 0 to 1; divide percent by 100"
        )
    return found, check_correct(where, correct, len(found))


def check_correct(where: str, correct: Numbers, number: int) -> FloatArray:
    """Check that each of so many answers is right (1) or wrong (0)."""
    right = check_sample(f"{where}: correct", correct, least=1)
    if len(right) != number:
        raise DataError(
            f"{where}: {number} answers, but {len(right)} values that say whether they are right: "
            "expected one each, in the same order"
        )
    odd = np.flatnonzero((right != 0) & (right != 1))
    if odd.size:
        raise DataError(
            f"{where}: correct: value {odd[0] + 1} is {float(right[odd[0]])!r}: "
            "expected 1 (right) or 0 (wrong)"
        )
    return right
