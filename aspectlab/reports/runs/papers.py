"""Papers: how far a mean lies from what papers printed, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

from aspectlab.reports.runs.published import Fact, find_facts
from aspectlab.stats import Decomposition, StandardError, gap_interval, standard_error


@dataclass(frozen=True, slots=True)
class Gap:
    """The mean of our runs less a printed value, with its 95 % interval; None where nothing shows it."""

    fact: Fact
    difference: float
    interval: tuple[float, float] | None


def measure_gaps(
    task: str, corpus: str, test: str, label: str, metric: str, *, spread: Decomposition
) -> tuple[Gap, ...]:
    """Compare runs with every printed value for them: published ones first, then reproduced ones."""
    facts = sorted(find_facts(task, corpus, test, label, metric), key=lambda fact: (fact.kind, fact.source))
    error = standard_error(spread) if facts else None
    return tuple(_measure(spread.mean - fact.value, fact, error) for fact in facts)


def _measure(difference: float, fact: Fact, error: StandardError | None) -> Gap:
    if error is None or (fact.error is None and fact.kind == "reproduced"):
        return Gap(fact, difference, None)
    # a printed best value has no error that could be known: the interval is that of our mean alone
    errors = [error] if fact.error is None else [error, fact.error]
    return Gap(fact, difference, gap_interval(difference, *errors))
