"""The mutant protocol: rates, tests and verdicts; p values by hand (k of 2**10 sign patterns)."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from aspectlab.data import Example, Quad
from aspectlab.metamorphic.cases import Case, make_cases
from aspectlab.metamorphic.mutants import (
    MutantComparison,
    MutantStanding,
    PassCriterion,
    Rates,
    compare_relations,
    decide,
    find_outcomes,
)
from aspectlab.tasks import TASKS
from tests.support.lexicon import EXAMPLE, MEANS, SENTENCE


def breed(values: list[float], references: list[float]) -> list[MutantComparison]:
    rates = [Rates(r, {"MR1-1": v, "MR1-2": None}) for v, r in zip(values, references, strict=True)]
    return compare_relations({"GF": rates})


RISING = [0.1 + 0.01 * n for n in range(10)]


@pytest.mark.parametrize(
    ("values", "references", "p", "standing"),
    [
        (RISING, [0.0] * 10, 2 / 1024, MutantStanding.BETTER),
        ([0.0] * 10, RISING, 2 / 1024, MutantStanding.WORSE),
        ([0.2] * 10, [0.2] * 10, 1.0, MutantStanding.SIMILAR),
    ],
    ids=["more", "less", "the same"],
)
def test_relation_stands_as_the_signed_ranks_say(
    values: list[float], references: list[float], p: float, standing: MutantStanding
) -> None:
    (found,) = breed(values, references)
    assert (found.p, found.standing) == (p, standing)


def test_p_is_corrected_for_the_number_of_tests() -> None:
    rates = [Rates(0.0, {f"MR1-{n}": value for n in (1, 2, 3, 4)}) for value in RISING]
    found = compare_relations(dict.fromkeys(("GF", "WS", "NEB", "NS"), rates))
    # sixteen equal p values: Holm's smallest stands against all of them
    assert {each.p_holm for each in found} == {16 * 2 / 1024}
    assert len(found) == 16


@pytest.mark.parametrize(
    ("answers", "expected"),
    [((True, True), (1, 1)), ((False, False), (1, 0)), ((True, False), (0, 0)), ((False, True), (0, 1))],
    ids=["kept", "never there", "lost", "gained"],
)
def test_case_is_passed_as_its_reading_says(answers: tuple[bool, bool], expected: tuple[int, int]) -> None:
    target = EXAMPLE.quads[0]
    case = Case("MR1-1", EXAMPLE, target, replace(EXAMPLE, id="1.MR1-1.0.0", quads=(target,)))

    def predict(examples: Sequence[Example]) -> list[list[Quad]]:
        return [[target] if is_there else [] for is_there in answers]

    passed = [
        find_outcomes([(EXAMPLE, [case])], predict, TASKS["aste"], timeout_s=9, reading=reading)
        for reading in (PassCriterion.SATISFIED, PassCriterion.FOUND)
    ]
    assert tuple(len(found.satisfied["MR1-1"]) for found in passed) == expected


def test_verdict_asks_the_two_sided_test_first() -> None:
    # a cell of Chen et al.'s table: 0.064 and 0.032 are called similar
    assert decide(0.064, 0.032) is MutantStanding.SIMILAR


def test_outcomes_name_right_sources_and_satisfied_cases() -> None:
    pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")
    groups = [(EXAMPLE, make_cases(SENTENCE, MEANS))]
    found = find_outcomes(groups, lambda e: [EXAMPLE.quads] + [()] * (len(e) - 1), TASKS["aste"], timeout_s=9)
    assert found.right == {"1"}
    assert not any(found.satisfied.values())
    empty = find_outcomes(groups, lambda e: [()] * len(e), TASKS["aste"], timeout_s=9)
    assert empty.right == frozenset()
    assert sum(map(len, empty.satisfied.values())) == len(groups[0][1])


def test_source_without_opinions_is_no_merit_of_a_model_that_finds_none() -> None:
    bare = Example("2", "We drove on.")
    found = find_outcomes([(bare, [])], lambda e: [()] * len(e), TASKS["aste"], timeout_s=9)
    assert found.right == frozenset()
