"""Time resampling against the plain loops in the same run: python benchmarks/bootstrap_speed.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from time import perf_counter

import numpy as np
from numpy.typing import NDArray

from aspectlab.stats import approximate_randomisation, bootstrap, paired_bootstrap

IntArray = NDArray[np.int64]
EXAMPLES, RESAMPLES, REPEATS = 5_000, 10_000, 3
# highest count and number of counts of an example: as triplets have them, and a case where every row differs
KINDS = {"few distinct": (2, 3), "all distinct": (50, 12)}


def score_f1(total: IntArray) -> dict[str, NDArray[np.float64]]:
    """Compute F1 from hit, extra and missed, the first three counts."""
    hit, extra, missed = total[..., 0], total[..., 1], total[..., 2]
    return {"f1": 2 * hit / (2 * hit + extra + missed)}


def loop_bootstrap(a: IntArray, rng: np.random.Generator) -> None:
    """Draw examples, sum and score, once per resample."""
    values = []
    for _ in range(RESAMPLES):
        values.append(score_f1(a[rng.integers(len(a), size=len(a))].sum(0))["f1"])
    np.quantile(values, [0.025, 0.975])


def loop_paired(a: IntArray, b: IntArray, rng: np.random.Generator) -> None:
    """Draw examples, sum and score both systems, once per resample."""
    values = []
    for _ in range(RESAMPLES):
        drawn = rng.integers(len(a), size=len(a))
        values.append(score_f1(a[drawn].sum(0))["f1"] - score_f1(b[drawn].sum(0))["f1"])
    np.quantile(values, [0.025, 0.975])


def loop_swaps(a: IntArray, b: IntArray, rng: np.random.Generator) -> None:
    """Swap the systems by a coin on every example, sum and score both, once per trial."""
    values = []
    for _ in range(RESAMPLES):
        coin = rng.random(len(a))[:, None] < 0.5
        first, second = np.where(coin, b, a), np.where(coin, a, b)
        values.append(score_f1(first.sum(0))["f1"] - score_f1(second.sum(0))["f1"])
    np.mean(np.abs(values) > 0)


def time_best(action: Callable[[], object]) -> float:
    """Time an action in seconds: the best of a few calls, because other work may share the machine."""
    times = []
    for _ in range(REPEATS):
        start = perf_counter()
        action()
        times.append(perf_counter() - start)
    return min(times)


def measure(a: IntArray, b: IntArray, rng: np.random.Generator) -> Iterator[tuple[str, float, float]]:
    """Return name, seconds and seconds of the plain loop for every function."""
    ours: dict[str, Callable[[], object]] = {
        "bootstrap": partial(bootstrap, a, score_f1, rng=rng, resamples=RESAMPLES),
        "paired_bootstrap": partial(paired_bootstrap, a, b, score_f1, rng=rng, resamples=RESAMPLES),
        "approximate_randomisation": partial(
            approximate_randomisation, a, b, score_f1, rng=rng, resamples=RESAMPLES
        ),
    }
    plain = (partial(loop_bootstrap, a, rng), partial(loop_paired, a, b, rng), partial(loop_swaps, a, b, rng))
    for (name, action), loop in zip(ours.items(), plain, strict=True):
        yield name, time_best(action), time_best(loop)


def main() -> None:
    """Print one line per kind of counts and per function."""
    print(f"{EXAMPLES} examples, {RESAMPLES} resamples, best of {REPEATS}")
    print(f"{'counts':<14}{'rows':>6}  {'function':<27}{'seconds':>8}{'loop':>8}{'ratio':>7}")
    for kind, (top, width) in KINDS.items():
        rng = np.random.default_rng(0)
        a, b = rng.integers(0, top + 1, size=(2, EXAMPLES, width))
        rows = len(np.unique(a, axis=0))
        for name, seconds, loop in measure(a, b, rng):
            print(f"{kind:<14}{rows:>6}  {name:<27}{seconds:>8.2f}{loop:>8.2f}{loop / seconds:>6.1f}x")


if __name__ == "__main__":
    main()
