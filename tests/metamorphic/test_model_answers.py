"""Testing models by the relations: good, empty, constant and broken ones; all counts by hand."""

import time
from collections.abc import Sequence
from dataclasses import replace
from threading import Thread

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term
from aspectlab.errors import ConfigError, DataError, EndpointError
from aspectlab.metamorphic import (
    RELATIONS,
    AnswerFault,
    CaseVerdict,
    Failure,
    group_cases,
    mask_by,
    measure_violations,
)
from aspectlab.metamorphic.cases import Group, make_cases
from aspectlab.metamorphic.context import RelationContext
from aspectlab.metamorphic.model_answers import Predict, ask
from aspectlab.metamorphic.violations import Findings
from aspectlab.tasks import TASKS
from tests.support.lexicon import EXAMPLE, MEANS, SENTENCE, term, triplet

pytest.importorskip("lemminflect", reason="needs pip install 'aspectlab[parse]'")

PARTS = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})


def groups(means: RelationContext = MEANS) -> list[Group]:
    """The paper's sentence with the cases of both its triplets."""
    return [(EXAMPLE, make_cases(SENTENCE, means))]


def measure(predict: Predict, task: str = "aste", timeout_s: float = 20.0) -> Findings:
    return measure_violations(groups(), predict, TASKS[task], timeout_s=timeout_s)


def gold(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
    known = {case.followup.id: case.followup.quads for _, cases in groups() for case in cases}
    return [known.get(example.id, EXAMPLE.quads) for example in examples]


def repeat_source(examples: Sequence[Example]) -> list[list[Quad]]:
    """Find the triplets of the source wherever their words stand."""
    return [
        [
            triplet(quad.aspect.text, quad.opinion.text, text=example.text)
            for quad in EXAMPLE.quads
            if quad.aspect and quad.opinion
            if quad.aspect.text in example.text and quad.opinion.text in example.text
        ]
        for example in examples
    ]


# target 0 has a follow-up of every relation; target 1 none of MR2-1 and MR2-3: "keyboard" has no synonym
CASES = {name: 1 if name in {"MR2-1", "MR2-3"} else 2 for name in RELATIONS}


def test_gold_predictor_violates_nothing() -> None:
    findings = measure(gold)
    assert {name: tally.cases for name, tally in findings.table.tallies.items()} == CASES
    assert findings.table.summarise()["average"] == 0
    assert findings.table.summarise_conditional()["average"] == 0
    assert findings.f1 == 1


def test_empty_predictor_has_no_conditional_rate() -> None:
    findings = measure(lambda examples: [()] * len(examples))
    assert findings.table.summarise()["average"] == 0
    assert findings.table.summarise_conditional()["average"] is None
    assert findings.f1 == 0


def test_references_stand_beside_every_model() -> None:
    references = measure(repeat_source).references
    assert references["empty"].summarise()["average"] == 0
    assert references["empty"].summarise_conditional()["average"] is None
    assert references["gold"].summarise_conditional()["average"] == 0


def test_predictor_that_knows_old_words_only_fails_on_new_ones() -> None:
    tallies = measure(repeat_source).table.tallies
    rates = {name: tally.vr for name, tally in tallies.items()}
    assert rates == {name: float(name.startswith("MR2")) for name in RELATIONS}
    assert tallies["MR2-4"].failures == {Failure.TRIPLET: 2}


def answer_followups(*quads: Quad) -> Predict:
    """Be right on the source and give one answer for every follow-up."""
    return lambda examples: [EXAMPLE.quads if example.id == "1" else quads for example in examples]


CLEAR = "The screen is clear and the keyboard is nice."


@pytest.mark.parametrize(
    ("answer", "failure"),
    [
        (triplet("screen", "clear", "negative", CLEAR), Failure.POLARITY),
        (triplet("screen", "nice", "positive", CLEAR), Failure.OPINION),
        (triplet("keyboard", "clear", "positive", CLEAR), Failure.ASPECT),
        (triplet("keyboard", "nice", "positive", CLEAR), Failure.TRIPLET),
    ],
)
def test_violation_is_named_by_what_was_lost(answer: Quad, failure: Failure) -> None:
    seen: list[CaseVerdict] = []
    measure_violations(groups(), answer_followups(answer), TASKS["aste"], watch=seen.append)
    (verdict,) = [verdict for verdict in seen if verdict.case.followup.id == "1.MR2-2.0.0"]
    assert verdict.failure is failure


def test_triplet_found_in_the_followup_only_is_a_violation_too() -> None:
    found = measure(lambda examples: [() if e.id == "1" else q for e, q in pairs(examples)])
    tally = found.table.tallies["MR2-2"]
    assert (tally.vr, tally.vr_conditional, tally.failures) == (1, None, {Failure.GAINED: 2})


def test_strings_are_compared_without_places_and_capitals() -> None:
    written = measure(
        lambda examples: [
            [Quad(Term(q.aspect.text.upper()), None, Term(q.opinion.text), q.polarity) for q in quads]  # type: ignore[union-attr]
            for quads in gold(examples)
        ]
    )
    assert (written.table.summarise()["average"], written.f1) == (0, 0)
    assert written.table.summarise_conditional()["average"] == 0


def test_model_sees_no_gold() -> None:
    seen: list[Example] = []

    def spy(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        seen.extend(examples)
        return [()] * len(examples)

    measure(spy)
    assert {example.quads for example in seen} == {()}


def test_labels_of_given_aspects_must_stay_or_flip() -> None:
    def stubborn(examples: Sequence[Example]) -> list[list[Quad]]:
        return [[replace(quad, polarity=Polarity.POSITIVE) for quad in e.quads] for e in examples]

    tallies = measure(stubborn, "atsc").table.tallies
    # only an antonym turns the label of both targets, which are positive
    assert {name: tally.vr for name, tally in tallies.items()} == {
        name: float(name == "MR2-4") for name in RELATIONS
    }
    assert tallies["MR2-4"].failures == {Failure.POLARITY: 2}


def test_aspect_with_two_opinions_tests_no_label() -> None:
    twice = replace(EXAMPLE, quads=(*EXAMPLE.quads, triplet("screen", "nice")))
    sentence = replace(SENTENCE, example=twice)
    found = measure_violations(
        [(twice, make_cases(sentence, MEANS))], lambda examples: [()] * len(examples), TASKS["atsc"]
    )
    assert found.table.tallies["MR2-1"].cases == 0


OUTSIDE = Quad(Term("x", Span(90, 91)), None, term("bright"), Polarity.POSITIVE)
ELSEWHERE = Quad(Term("screen", Span(0, 6)), None, term("bright"), Polarity.POSITIVE)
OVERLAP = Quad(term("screen is"), None, term("is bright"), Polarity.POSITIVE)


@pytest.mark.parametrize(
    ("extra", "fault"),
    [
        (OUTSIDE, AnswerFault.OUTSIDE),
        (ELSEWHERE, AnswerFault.OUTSIDE),
        (EXAMPLE.quads[0], AnswerFault.REPEATED),
        (OVERLAP, AnswerFault.OVERLAP),
    ],
    ids=["outside", "other text", "repeated", "overlapping"],
)
def test_bad_spans_are_reported_and_the_rest_is_judged(extra: Quad, fault: AnswerFault) -> None:
    found = measure(
        lambda examples: [(*quads, extra)[: 3 if e.id == "1" else 1] for e, quads in pairs(examples)]
    )
    assert list(found.messages) == [fault]
    assert found.table.tallies["MR1-1"].faults == {fault: 2}
    assert found.table.summarise()["average"] == 0


def pairs(examples: Sequence[Example]) -> list[tuple[Example, tuple[Quad, ...]]]:
    return list(zip(examples, gold(examples), strict=True))


def test_sentence_on_which_a_model_raises_is_reported_alone() -> None:
    def fragile(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        if any("[UNK]" in example.text for example in examples):
            raise RuntimeError("no such word")
        return gold(examples)

    found = measure(fragile)
    assert found.messages == {AnswerFault.RAISED: "example '1.MR1-4.0.0': RuntimeError: no such word"}
    assert found.table.tallies["MR1-4"].faults == {AnswerFault.RAISED: 2}
    assert {name for name, tally in found.table.tallies.items() if tally.vr} == {"MR1-4"}


def test_sentence_on_which_a_model_hangs_is_reported_alone() -> None:
    def slow(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        if any(example.id == "1.MR2-4.0.0" for example in examples):
            time.sleep(3)
        return gold(examples)

    found = measure(slow, timeout_s=1.0)
    assert found.messages == {AnswerFault.HUNG: "example '1.MR2-4.0.0': no answer within 1 s"}
    assert {name: tally.violations for name, tally in found.table.tallies.items() if tally.violations} == {
        "MR2-4": 1
    }


def test_wrong_number_of_answers_is_an_error_of_the_model() -> None:
    (answer,) = ask(lambda examples: [(), ()], [EXAMPLE], 5.0)
    assert answer.faults == {AnswerFault.RAISED}
    assert "found 2 answers: expected 1" in answer.message


def test_answer_that_is_no_quad_is_an_error_of_the_model() -> None:
    (answer,) = ask(lambda examples: [["tea"]], [EXAMPLE], 5.0)  # type: ignore[list-item]
    assert (answer.quads, answer.faults) == ((), {AnswerFault.RAISED})


def test_model_that_hangs_everywhere_ends_the_test() -> None:
    with pytest.raises(ConfigError, match=r"no answer within 0\.02 s: found 10 such texts"):
        measure(lambda examples: time.sleep(1) or [], timeout_s=0.02)  # type: ignore[func-returns-value]


def test_service_that_does_not_answer_hangs_too() -> None:
    def lose(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        if any(example.id == "1.MR2-4.0.0" for example in examples):
            raise EndpointError("no answer in 3 tries")
        return gold(examples)

    found = measure(lose)
    assert found.messages == {AnswerFault.HUNG: "example '1.MR2-4.0.0': EndpointError: no answer in 3 tries"}


def test_wrong_setting_is_not_taken_for_a_bad_sentence() -> None:
    def refuse(examples: Sequence[Example]) -> list[tuple[Quad, ...]]:
        raise ConfigError("the key is missing")

    with pytest.raises(ConfigError, match="the key is missing"):
        measure(refuse)


def test_call_for_many_texts_has_more_time(monkeypatch: pytest.MonkeyPatch) -> None:
    limits: list[float | None] = []
    join = Thread.join

    def note(thread: Thread, timeout: float | None = None) -> None:
        limits.append(timeout)
        join(thread)

    monkeypatch.setattr(Thread, "join", note)
    ask(lambda examples: [()] * len(examples), [EXAMPLE] * 1024, 15.0)
    ask(lambda examples: [()], [EXAMPLE], 15.0)
    # 15 s for up to 256 texts
    assert limits == [60.0, 15.0]


@pytest.mark.parametrize(
    ("quads", "is_faulty"),
    [
        ([triplet("screen", "bright"), triplet("screen", "nice")], False),
        ([triplet("screen", "bright"), triplet("The screen", "bright")], True),
        ([triplet("screen", "bright"), triplet("screen", "is bright")], True),
        ([triplet("screen", "bright"), triplet("bright", "nice")], False),
    ],
    ids=["shared", "nested aspects", "nested opinions", "aspect and another's opinion"],
)
def test_overlap_is_of_terms_of_one_kind_that_differ(quads: list[Quad], is_faulty: bool) -> None:
    (answer,) = ask(lambda examples: [quads], [EXAMPLE], 5.0)
    assert (AnswerFault.OVERLAP in answer.faults) == is_faulty


def test_model_with_another_unknown_word_gets_its_own() -> None:
    def look(examples: Sequence[Example]) -> list[list[Quad]]:
        return [[Quad(Term(e.text[4:9], Span(4, 9)))] for e in examples if "<unk>" in e.text]

    assert mask_by(look, "<unk>")([Example("1", "The [UNK] is")])[0][0].aspect == Term("[UNK]", Span(4, 9))


def made() -> Corpus:
    examples = [e for source, cases in groups() for e in (source, *(case.followup for case in cases))]
    return Corpus("made", "en", PARTS, tuple(examples))


def test_cases_are_found_again_in_a_generated_corpus() -> None:
    assert list(group_cases(made())) == groups()


def test_followup_without_its_source_is_named() -> None:
    corpus = made()
    with pytest.raises(DataError, match=r"example '1\.MR1-1\.0\.0': found a follow-up of '1', quad 0"):
        list(group_cases(corpus.with_examples(corpus.examples[1:])))
