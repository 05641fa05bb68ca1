"""A relation is one function and one line: nothing else must know its name."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Edit, Part, Span
from aspectlab.errors import ConfigError
from aspectlab.metamorphic import (
    RELATIONS,
    Case,
    Draft,
    RelationContext,
    TaggedExample,
    TargetTriplet,
    concerns,
    group_cases,
    label_fully,
    measure_violations,
    summarise,
)
from aspectlab.metamorphic.cases import make_cases
from aspectlab.readers import read, write
from aspectlab.tasks import TASKS
from tests.support.lexicon import EXAMPLE, MEANS, SENTENCE

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")


@concerns("aspect")
def prefix(
    sentence: TaggedExample, index: int, target: TargetTriplet, context: RelationContext
) -> Iterator[Draft]:
    """Begin the sentence in another way; the target is found as before."""
    yield Draft((Edit(Span(0, 3), "The", "Honestly, the", "prefix"),), target.polarity)


@pytest.fixture(autouse=True)
def added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RELATIONS, "_targets", {name: RELATIONS._targets[name] for name in RELATIONS})
    RELATIONS.add("PRE-FIX", f"{__name__}:prefix")


def make() -> list[Case]:
    return [case for case in make_cases(SENTENCE, MEANS) if case.relation == "PRE-FIX"]


def test_its_cases_come_back_from_a_file_with_all_their_triplets(tmp_path: Path) -> None:
    made = make()
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    write(
        Corpus("c", "en", parts, (EXAMPLE, *(case.followup for case in made))), tmp_path / "c.jsonl", "jsonl"
    )
    ((_, cases),) = group_cases(read(tmp_path / "c.jsonl"))
    assert cases == made
    assert [case.followup.variant for case in cases] == [
        f"PRE-FIX of {index}: 0:3 The > Honestly, the (prefix)" for index in (0, 1)
    ]
    labelled = [label_fully(case) for case in cases]
    assert [example and len(example.quads) for example in labelled] == [2, 2]


def test_its_violations_count_in_the_averages_of_its_elements() -> None:
    findings = measure_violations(
        [(EXAMPLE, make())],
        lambda examples: [EXAMPLE.quads if example.id == EXAMPLE.id else () for example in examples],
        TASKS["aste"],
    )
    assert findings.table.summarise() == {"aspect": 1, "opinion": None, "sentiment": None, "average": 1}


def test_mato_draws_its_followups() -> None:
    pytest.importorskip("torch", reason="training needs the extra 'train'")
    from aspectlab.models import Plan
    from aspectlab.training.extensions.contrast import FollowupPool

    followups = [case.followup for case in make()]
    drawn = FollowupPool(
        [EXAMPLE, *followups], [0], Plan(mato=True, mato_variant="contrast", mato_followups=1)
    )
    assert drawn.draw(seed=1, number=0) in ([1], [2])


def test_relation_that_declares_no_elements_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.prefix", prefix.make)
    with pytest.raises(
        ConfigError, match=r"'PRE-FIX': found <function prefix .*expected one that says which"
    ):
        summarise({"PRE-FIX": 0.5})


def test_relation_without_an_element_is_refused() -> None:
    with pytest.raises(ConfigError, match="relation about no element: expected some of aspect, opinion"):
        concerns()
