"""Evidence: what the runs of two systems say about their difference, by the tests that fit the design."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from aspectlab.reports.runs.splits import Key, split_values
from aspectlab.stats import Comparison, hierarchical_bootstrap, welch, wilcoxon

LEVEL = 0.05
LEAST_PAIRS = 6
"""With fewer pairs Wilcoxon's p cannot fall to 0.05, whatever the values are."""

Values = Mapping[Key, float]


class Paired(NamedTuple):
    """Two tests over runs of the same splits and seeds; a difference is found where both find it."""

    wilcoxon: float
    bootstrap: Comparison

    @property
    def p(self) -> float:
        """The larger p value."""
        return max(self.wilcoxon, self.bootstrap.p)


def pair_runs(first: Values, second: Values) -> list[Key]:
    """Give the splits and seeds that both have."""
    return sorted(first.keys() & second.keys())


def compare_pairs(first: Values, second: Values, *, resamples: int, seed: int) -> Paired:
    """Test the runs that both have; the same seed draws the same resamples for every pair of systems."""
    keys = pair_runs(first, second)
    differences = {key: first[key] - second[key] for key in keys}
    return Paired(
        wilcoxon([first[key] for key in keys], [second[key] for key in keys]).p,
        hierarchical_bootstrap(
            [*split_values(differences).values()], rng=np.random.default_rng(seed), resamples=resamples
        ),
    )


def compare_runs(first: Values, second: Values) -> float | None:
    """Test all runs as if they were independent, which those of one split are not; None for a single run."""
    if min(len(first), len(second)) < 2:
        return None
    return welch([first[key] for key in sorted(first)], [second[key] for key in sorted(second)]).p
