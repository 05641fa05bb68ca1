"""The probe: verdicts worked out by hand, and models that know everything, nothing and the opposite."""

from collections.abc import Iterable, Sequence

import pytest
from probe import KINDS, Case, Verdict, format_scores, judge, make_cases, run, score
from sentences import HALVES, HELD_OUT, TRAIN, load_lexicon

from aspectlab.data import OPPOSITE, Polarity, Quad, Span, Term

ROOM = Case(
    "The room was clean but the bed was not.",
    "contrast",
    TRAIN,
    (((4, 8), "positive"), ((27, 30), "negative")),
)
EMPTY = Case("We came on a Tuesday.", "none", TRAIN, ())
DEAR = Case("It was far too expensive.", "implicit", TRAIN, ((None, "negative"),))
CASES = make_cases()


def quad(aspect: str | None, start: int, polarity: str, opinion: str = "") -> Quad:
    term = None if aspect is None else Term(aspect, Span(start, start + len(aspect)))
    return Quad(term, None, Term(opinion) if opinion else None, Polarity(polarity))


def test_both_opinions_are_judged() -> None:
    found = [quad("room", 4, "positive"), quad("the bed", 23, "positive")]
    assert judge(ROOM, found) == [Verdict(True, True, False), Verdict(True, False, False)]


def test_opinions_that_differ_about_one_aspect_are_wrong() -> None:
    found = [quad("room", 4, "positive"), quad("room", 4, "negative")]
    assert judge(ROOM, found)[0] == Verdict(True, False, False)


def test_opinion_about_something_else_is_told() -> None:
    assert judge(ROOM, [quad("clean", 13, "positive")]) == [Verdict(False, False, True)] * 2


@pytest.mark.parametrize("aspect", [None, "It"])
def test_aspect_that_is_not_named_may_be_a_pronoun(aspect: str | None) -> None:
    assert judge(DEAR, [quad(aspect, 0, "negative")]) == [Verdict(True, True, False)]


def test_word_in_place_of_an_unnamed_aspect_is_not_found() -> None:
    assert judge(DEAR, [quad("expensive", 15, "negative")]) == [Verdict(False, False, True)]


def test_sentence_without_opinions_is_right_if_none_is_found() -> None:
    assert judge(EMPTY, []) == [Verdict(False, True, False)]
    assert judge(EMPTY, [quad("Tuesday", 13, "neutral")]) == [Verdict(True, False, True)]


def answers(cases: Sequence[Case], *, flip: bool = False) -> list[list[Quad]]:
    def turned(polarity: str) -> str:
        return OPPOSITE[Polarity(polarity)] if flip else polarity

    return [
        [
            quad(span and case.text[slice(*span)], span[0] if span else 0, turned(p))
            for span, p in case.expected
        ]
        for case in cases
    ]


def predict_nothing(texts: Sequence[str]) -> list[Iterable[Quad]]:
    return [() for _ in texts]


def test_model_that_knows_everything_is_right_everywhere() -> None:
    scores = score(CASES, run(CASES, lambda _: answers(CASES)))
    assert {figures.right.value for figures in scores.values()} == {1.0}
    assert {figures.others.value for figures in scores.values()} == {0.0}


def test_model_that_turns_everything_round_finds_all_and_is_never_right() -> None:
    scores = score(CASES, run(CASES, lambda _: answers(CASES, flip=True)))
    assert scores.pop("none").right.value == 1.0
    assert {(figures.found.value, figures.polarity.value) for figures in scores.values()} == {(1.0, 0.0)}


def test_model_that_finds_nothing_is_right_on_sentences_without_opinions_only() -> None:
    scores = score(CASES, run(CASES, predict_nothing))
    assert {kind for kind, figures in scores.items() if figures.right.value} == {"none"}
    assert scores["hard"].polarity.high == 1.0
    assert "none" in format_scores(scores)


def test_probe_tries_every_adjective_and_every_kind_of_each_half() -> None:
    for half in HALVES:
        texts = " ".join(case.text.lower() for case in CASES if case.half == half)
        missing = [word.text for word in load_lexicon().keep(half).adjectives if word.text not in texts]
        assert missing == []
    kinds = {half: {case.kind for case in CASES if case.half == half} for half in HALVES}
    assert kinds[TRAIN] == kinds[HELD_OUT] == set(KINDS)


def test_probe_is_the_same_every_time() -> None:
    assert make_cases() == CASES
    assert [case for case in CASES if case.half == HELD_OUT] == make_cases(halves=[HELD_OUT])
