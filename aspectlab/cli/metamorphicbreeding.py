"""The work of `aspectlab metamorphic mutants`: damage a model, test it, mend it, and so on."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from aspectlab.cli.console import notice
from aspectlab.cli.metamorphicmodels import Candidate
from aspectlab.errors import ConfigError
from aspectlab.metamorphic.cases import Group
from aspectlab.metamorphic.mutants import Outcomes, Rates, Reading, compare_outcomes, find_outcomes
from aspectlab.training.mutation import OPERATORS, find_operator, mutated

_DRAWS = 10
"""So many mutants are drawn at most for each that is wanted, where some are not good enough."""


@dataclass(frozen=True, slots=True)
class Breeding:
    """Which mutants are made, and how they are judged."""

    operators: Sequence[str]
    count: int
    ratio: float
    quality: float  # the least F1 of a mutant, as a share of the whole model's
    reading: Reading
    timeout_s: float

    def __str__(self) -> str:
        quality = f"-quality{self.quality:g}" if self.quality else ""
        return f"mutants{self.count}-ratio{self.ratio:g}{quality}-{self.reading}"

    def test(self, candidate: Candidate, groups: Sequence[Group]) -> Outcomes:
        """Test a model as it is now."""
        return find_outcomes(
            groups, candidate.predict, candidate.task, timeout_s=self.timeout_s, reading=self.reading
        )


def breed(candidate: Candidate, groups: Sequence[Group], breeding: Breeding) -> dict[str, list[Rates]]:
    """Test all mutants against the whole model, one after the other."""
    if candidate.model is None:
        raise ConfigError(
            "mutants: found an exported model: expected a trained one, whose weights can change"
        )
    if not breeding.operators:
        raise ConfigError(f"--operators: found none: expected some of {', '.join(OPERATORS)}")
    for operator in breeding.operators:
        find_operator(operator)  # a wrong name is told before the work
    whole = breeding.test(candidate, groups)
    if not whole.right:
        raise ConfigError(
            f"mutants: the model gets 0 of {len(groups)} sentences wholly right (those without opinions "
            "do not count): expected at least one; take a model that is trained for such sentences, or more "
            "of them"
        )
    if not any(whole.satisfied.values()):
        raise ConfigError(
            "mutants: the model passes no follow-up: expected at least one that a mutant could lose; take "
            "more sentences"
        )
    rates: dict[str, list[Rates]] = {}
    for operator in breeding.operators:
        good = islice(_find_good(candidate, groups, breeding, operator, whole.f1), breeding.count)
        rates[operator] = [compare_outcomes(whole, mutant) for mutant in good]
        if len(rates[operator]) < breeding.count:
            raise ConfigError(
                f"mutants: {operator}: found {len(rates[operator])} with {breeding.quality:.0%} of the "
                f"model's F1: expected {breeding.count}; lower --quality or --ratio"
            )
    return rates


def _find_good(
    candidate: Candidate, groups: Sequence[Group], breeding: Breeding, operator: str, f1: float
) -> Iterator[Outcomes]:
    """Give the mutants with the seeds 0, 1, 2 and so on, but not those that are not good enough."""
    assert candidate.model is not None
    for seed in range(breeding.count * _DRAWS):
        with mutated(candidate.model, operator, seed=seed, ratio=breeding.ratio):
            found = breeding.test(candidate, groups)
        is_good = found.f1 >= breeding.quality * f1
        notice(
            f"{operator}: mutant with seed {seed}: F1 {100 * found.f1:.2f}{'' if is_good else ', dropped'}"
        )
        if is_good:
            yield found
