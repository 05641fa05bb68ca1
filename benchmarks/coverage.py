"""Do the intervals and tests of `compare` and `report` hold their level? Studies without a difference.

Two systems are trained on the same splits with several seeds. Their difference varies from split to split
and from seed to seed, and is 0 on average. Printed are, for the interval and the verdict of before (a
bootstrap of splits and runs; Wilcoxon's test and the bootstrap together, or Welch's test of all runs) and of
today: how many of the 95 % intervals hold the true difference, and in how many studies one is found that is
not there. On a single split the true difference is that of this split, as seeds say nothing of others. Then,
in columns of several equal systems: how often `report` marks a given one as worse than the best, which is
what its marks promise, and how often any of them.

    python benchmarks/coverage.py --studies 2000
"""

import argparse
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from aspectlab.reports.runs import Significance, mark_best
from aspectlab.stats import compare_runs, hierarchical_bootstrap, holm, welch, wilcoxon

DESIGNS = ((1, 3), (1, 5), (2, 2), (3, 3), (5, 5))
RATIOS = (0.0, 0.25, 1.0, 4.0)
"""Variance between splits for each unit of variance within."""
SYSTEMS = 5
_ALPHA = 0.05
_LEAST_PAIRS = 6
_RESAMPLES = 1000

Scores = NDArray[np.float64]
"""The scores of one system, [splits, seeds]."""


class Outcome(NamedTuple):
    """The bounds for a difference, and whether the test finds one."""

    low: float
    high: float
    is_found: bool


def draw(rng: np.random.Generator, splits: int, seeds: int, ratio: float, systems: int = 2) -> list[Scores]:
    """Draw equal systems: how hard a split is concerns all of them, how it suits one only that one."""
    hard = rng.normal(80, 2, (splits, 1))
    # a system has half the variance of a difference; a single split is taken as it is
    suits = np.sqrt(ratio if splits > 1 else 0) * rng.normal(size=(systems, splits, 1))
    return [hard + own + rng.normal(size=(splits, seeds)) for own in suits]


def ask_before(a: Scores, b: Scores, rng: np.random.Generator) -> Outcome:
    """Answer as the commands did: with six pairs or more two tests must agree, with fewer Welch's decides."""
    found = hierarchical_bootstrap(list(a - b), rng=rng, resamples=_RESAMPLES)
    if a.size >= _LEAST_PAIRS:
        return Outcome(*found.interval, max(wilcoxon(a.ravel(), b.ravel()).p, found.p) <= _ALPHA)
    return Outcome(*found.interval, welch(a.ravel(), b.ravel()).p <= _ALPHA)


def ask_today(a: Scores, b: Scores, rng: np.random.Generator) -> Outcome:
    """Answer as the commands do."""
    found = compare_runs(*(dict(np.ndenumerate(side)) for side in (a, b)))
    interval = found.interval()
    assert interval is not None
    assert found.p is not None
    return Outcome(*interval, found.p <= _ALPHA)


def measure(
    ask: Callable[[Scores, Scores, np.random.Generator], Outcome],
    studies: int,
    design: tuple[int, int],
    ratio: float,
) -> tuple[float, float]:
    """Return the share of intervals that hold 0, and the share of differences found, in percent."""
    rng = np.random.default_rng(25)
    found = [ask(*draw(rng, *design, ratio), rng) for _ in range(studies)]
    held = np.mean([outcome.low <= 0 <= outcome.high for outcome in found])
    return 100 * float(held), 100 * float(np.mean([outcome.is_found for outcome in found]))


def mark_before(column: Sequence[Scores]) -> list[bool]:
    """Return which systems Welch's test of all runs marked as worse than the best."""
    best = max(range(len(column)), key=lambda k: column[k].mean())
    others = [k for k in range(len(column)) if k != best]
    p_values = holm([welch(column[best].ravel(), column[k].ravel()).p for k in others])
    worse = {k for k, p in zip(others, p_values, strict=True) if p <= _ALPHA}
    return [k in worse for k in range(len(column))]


def mark_today(column: Sequence[Scores]) -> list[bool]:
    """Return which systems `report` marks as worse than the best."""
    ranks = mark_best("f1", [dict(np.ndenumerate(side)) for side in column])
    return [rank.mark is Significance.WORSE for rank in ranks]


def mark(
    judge: Callable[[Sequence[Scores]], list[bool]], studies: int, design: tuple[int, int]
) -> tuple[float, float]:
    """Return in how many percent of the columns the first system is marked as worse, and any of them."""
    rng = np.random.default_rng(25)
    found = np.array([judge(draw(rng, *design, 1.0, SYSTEMS)) for _ in range(studies)])
    return 100 * float(found[:, 0].mean()), 100 * float(found.any(axis=1).mean())


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--studies", type=int, default=2000)
    studies = parser.parse_args().studies
    print(f"{studies:,} studies of two equal systems; a share near 95 % has a standard error of 0.5 %")
    print(
        f"{'splits x seeds':<16}{'between:within':>15}{'held before':>13}{'today':>8}"
        f"{'found before':>14}{'today':>8}"
    )
    for design in DESIGNS:
        for ratio in RATIOS if design[0] > 1 else (1.0,):
            before, today = (measure(ask, studies, design, ratio) for ask in (ask_before, ask_today))
            between = f"{ratio:g}" if design[0] > 1 else "one split"
            print(
                f"{design[0]} x {design[1]:<12}{between:>15}{before[0]:>13.1f}{today[0]:>8.1f}"
                f"{before[1]:>14.1f}{today[1]:>8.1f}",
                flush=True,
            )
    print(f"\n{SYSTEMS} equal systems, equal variances: columns with a mark of being worse, in percent")
    print(f"{'splits x seeds':<16}{'given, before':>15}{'today':>8}{'any, before':>14}{'today':>8}")
    for design in DESIGNS:
        shares = [mark(judge, studies, design) for judge in (mark_before, mark_today)]
        given, either = zip(*shares, strict=True)
        print(
            f"{design[0]} x {design[1]:<12}{given[0]:>15.1f}{given[1]:>8.1f}"
            f"{either[0]:>14.1f}{either[1]:>8.1f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
