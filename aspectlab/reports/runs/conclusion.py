"""Conclusion: what follows from contrasts, and what does not, in plain words."""

from __future__ import annotations

from collections.abc import Sequence

from aspectlab.reports.runs.contrast import Contrast
from aspectlab.reports.runs.evidence import LEAST_PAIRS, LEVEL
from aspectlab.reports.runs.measures import is_lower_better, name_metric
from aspectlab.reports.runs.table import say, say_signed


def conclude(contrast: Contrast) -> str:
    """Say in one sentence what a contrast shows."""
    where = f"{contrast.target}, {name_metric(contrast.metric)}"
    if contrast.pairs < LEAST_PAIRS or contrast.p is None:
        return f"{where}: {_say_few(contrast)}"
    if contrast.p <= LEVEL:
        low, high = sorted(map(abs, contrast.interval or (contrast.difference,) * 2))
        better, points = _name_better(contrast, contrast.difference), say(abs(contrast.difference))
        return (
            f"{where}: {better} by {points} points (95 % interval {say(low)} to {say(high)}, "
            f"p = {contrast.p:.2g}); both tests find it."
        )
    return f"{where}: {_doubt(contrast)}"


def state_limits(contrasts: Sequence[Contrast]) -> str:
    """Say what the runs cannot tell, whatever the contrasts show."""
    said = ["What these runs cannot tell: other corpora, encoders and settings"]
    if all(contrast.splits == 1 for contrast in contrasts):
        said.append("; other splits of the training set, since all runs share one")
    said.append(". Where no difference can be concluded, equality is not shown either.")
    tested = sum(contrast.p is not None for contrast in contrasts)
    if tested > 1:
        said.append(f" p values of conclusions are corrected for {tested} comparisons (Holm).")
    return "".join(said)


def _name_better(contrast: Contrast, difference: float) -> str:
    is_first = (difference < 0) == is_lower_better(contrast.metric)
    better, worse = (contrast.a, contrast.b) if is_first else (contrast.b, contrast.a)
    return f"{better.name} is better than {worse.name}"


def _say_few(contrast: Contrast) -> str:
    """With few pairs only a test that takes runs for independent can say anything, and only of seeds."""
    pairs = "one pair of runs is" if contrast.pairs == 1 else f"{contrast.pairs} pairs of runs are"
    start = f"{pairs} too few for a paired test (it takes {LEAST_PAIRS})"
    if contrast.p is None or contrast.p > LEVEL:
        return f"{start}; no difference can be concluded."
    # the test is over all runs, and so is what it finds: the pairs may be the exceptions
    better = _name_better(contrast, contrast.difference_welch or 0.0)
    return (
        f"{start}; Welch's test over all runs (p = {contrast.p:.2g}) says that {better} with other seeds as "
        "well, and no more than that."
    )


def _doubt(contrast: Contrast) -> str:
    assert contrast.interval is not None
    low, high = map(say_signed, contrast.interval)
    p_values = [contrast.p_wilcoxon or 0.0, contrast.p_bootstrap or 0.0]
    if min(p_values) > LEVEL:
        why = "neither test finds one"
    elif max(p_values) > LEVEL:
        why = f"the tests disagree (p = {p_values[0]:.2g} by Wilcoxon, {p_values[1]:.2g} by the bootstrap)"
    else:
        why = f"it does not survive the correction for many comparisons (p = {contrast.p:.2g})"
    return f"no difference can be concluded: {why}; a − b from {low} to {high} points remains possible."
