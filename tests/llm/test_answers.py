"""From what a model says to quads with offsets; the expected offsets are counted by hand."""

import json

import pytest

from aspectlab.data import Part, Polarity, Quad, Span, Term
from aspectlab.errors import DataError
from aspectlab.llm import FORMS, ChatAnswer, locate_records, parse_answer
from aspectlab.llm.prompts import Record, find_occurrences

ASTE, E2E = FORMS["aste"], FORMS["e2e"]
TEA = '{"triplets": [{"aspect": "tea", "opinion": "nice", "polarity": "positive"}]}'


def record(aspect: str | None, opinion: str | None, polarity: str = "positive") -> Record:
    return {Part.ASPECT: aspect, Part.OPINION: opinion, Part.POLARITY: polarity}


def places(text: str, *records: Record) -> list[tuple[int, ...]]:
    quads, _ = locate_records(text, records)
    return [tuple(term.span.start for term in quad.terms if term.span) for quad in quads]


@pytest.mark.parametrize(
    "text",
    [
        TEA,
        f"\n {TEA}\n",
        f"```json\n{TEA}\n```",
        f"```\n{TEA}\n```",
        f"```JSON {TEA}```",
        f"<think>\nIs {{this}} it?\n</think>\n\n{TEA}",
        f"<think>\n</think>```json\n{TEA}\n```",
        TEA.replace("positive", " Positive "),
        TEA.replace('"polarity"', '"why": "it is", "polarity"'),
    ],
)
def test_answer_is_read_in_its_wrapping(text: str) -> None:
    assert parse_answer(ASTE, ChatAnswer(text)) == [record("tea", "nice")]


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "it is no JSON"),
        ("The tea is nice.", "it is no JSON"),
        (f"Here you are: {TEA}", "it is no JSON"),
        (TEA[:-3], "it is no JSON"),
        ("[" * 100_000, "it is no JSON"),
        ("9" * 5000, "it is no JSON"),
        ("[]", "it is no JSON object with a list under the key 'triplets'"),
        ('{"pairs": []}', "it is no JSON object with a list under the key 'triplets'"),
        ('{"triplets": {}}', "it is no JSON object with a list under the key 'triplets'"),
        ('{"triplets": ["tea"]}', "an entry of 'triplets' is no object"),
        ('{"triplets": [{"aspect": "tea", "polarity": "positive"}]}', "has no text under the key 'opinion'"),
        (TEA.replace('"tea"', "7"), "an entry of 'triplets' has no text under the key 'aspect'"),
        (
            TEA.replace("positive", "mixed"),
            "a polarity is 'mixed': expected one of positive, negative, neutral",
        ),
        (TEA.replace('"positive"', "[1]"), "a polarity is '[1]'"),
        (TEA.replace("positive", "conflict"), "a polarity is 'conflict'"),
    ],
)
def test_answer_that_is_malformed_is_told_why(text: str, problem: str) -> None:
    with pytest.raises(DataError) as caught:
        parse_answer(ASTE, ChatAnswer(text))
    assert problem in str(caught.value)


def test_answer_that_was_cut_off_is_told_so() -> None:
    with pytest.raises(DataError, match="it was cut off at the longest permitted answer"):
        parse_answer(ASTE, ChatAnswer(TEA[:-3], cut_off=True))


def test_answer_of_pairs_has_no_opinion() -> None:
    text = json.dumps({"pairs": [{"aspect": "tea", "polarity": "negative"}]})
    quads, dropped = locate_records("Cold tea", parse_answer(E2E, ChatAnswer(text)))
    assert quads == (Quad(aspect=Term("tea", Span(5, 8)), polarity=Polarity.NEGATIVE),)
    assert dropped == 0


@pytest.mark.parametrize(
    ("text", "surface", "found"),
    [
        ("The seats seat five", "seat", ["seat"]),
        ("The Seats are fine", "seats", ["Seats"]),
        ("Hot  green\ttea", "green tea", ["green\ttea"]),
        ("the seat - belt", "seat-belt", ["seat - belt"]),
        ("it does n't work", "doesn't work", ["does n't work"]),
        ("it doesn’t work", "doesn't", ["doesn’t"]),
        ("the “tools” menu", '"tools" menu', ["“tools” menu"]),
        ("tea, tea and Tea", "tea", ["tea", "tea"]),
        ("das Straßenbahn-Ticket", "strassenbahn", []),
        ("茶很好喝", "好喝", ["好喝"]),
        ("the therapist", "the rapist", []),
        ("the seats", "seat", ["seat"]),
        ("C++ (really)", "c++", ["C++"]),
        ("good 👍🏽 tea", "👍🏽", ["👍🏽"]),
        ("tea", "coffee", []),
        ("tea", " ", []),
        ("", "tea", []),
    ],
)
def test_term_is_found(text: str, surface: str, found: list[str]) -> None:
    spans = find_occurrences(text, surface)
    assert [text[span.start : span.end] for span in spans] == found


def test_records_of_several_occurrences_mean_the_closest_pair() -> None:
    text = "nice cup, tea so so; the tea: nice"
    assert places(text, record("tea", "nice")) == [(25, 30)]
    assert places(text, record("cup", "nice")) == [(5, 0)]


def test_records_prefer_terms_that_do_not_overlap() -> None:
    assert places("tea lovely tea place", record("tea", "lovely tea")) == [(0, 4)]
    assert places("lovely tea", record("tea", "lovely tea")) == [(7, 0)]


def test_record_with_the_same_words_means_the_next_occurrence() -> None:
    text = "nice tea here, nice tea there"
    assert places(text, record("tea", "nice"), record("tea", "nice")) == [(5, 0), (20, 15)]


def test_record_that_repeats_itself_counts_once() -> None:
    assert places("Tea? The tea is nice.", record("tea", "nice"), record("tea", "nice")) == [(9, 16)]


def test_records_may_share_a_term() -> None:
    text = "tea and cake: nice, cheap"
    shared = [record("tea", "nice"), record("cake", "nice"), record("tea", "cheap")]
    assert places(text, *shared) == [(0, 14), (8, 14), (0, 20)]


@pytest.mark.parametrize(
    "stray", [record("coffee", "nice"), record("tea", "awful"), record(None, "nice"), record("tea", "")]
)
def test_record_that_does_not_stand_in_the_text_is_dropped_and_counted(stray: Record) -> None:
    quads, dropped = locate_records("nice tea", [stray, record("tea", "nice")])
    assert len(quads) == 1
    assert dropped == 1


def test_records_of_a_hostile_text_take_no_time() -> None:
    text = "a b " * 20_000
    assert places(text, record("a", "b")) == [(0, 2)]
    assert places(text, record("a " * 20_000, "b")) == []


QUADS = FORMS["asqp"]


def test_term_that_is_left_open_is_implicit_in_quads() -> None:
    answer = (
        '{"quads": [{"aspect": null, "category": "price", "opinion": "too dear", "polarity": "negative"},'
        ' {"aspect": "hinge", "category": "build", "opinion": null, "polarity": "negative"},'
        ' {"aspect": null, "category": "shop", "opinion": null, "polarity": "neutral"}]}'
    )
    text = "Way too dear, and the hinge broke."
    quads, dropped = locate_records(text, parse_answer(QUADS, ChatAnswer(answer)), with_implicit=True)
    assert dropped == 0
    assert quads == (
        Quad(None, "price", Term("too dear", Span(4, 12)), Polarity.NEGATIVE),
        Quad(Term("hinge", Span(22, 27)), "build", None, Polarity.NEGATIVE),
        Quad(None, "shop", None, Polarity.NEUTRAL),
    )


def test_quad_whose_words_are_nowhere_is_dropped_and_counted() -> None:
    made_up = {Part.ASPECT: None, Part.CATEGORY: "price", Part.OPINION: "cheap", Part.POLARITY: "positive"}
    assert locate_records("Way too dear", [made_up], with_implicit=True) == ((), 1)


@pytest.mark.parametrize("category", ["null", "3"])
def test_quad_without_a_category_is_sent_back(category: str) -> None:
    answer = (
        f'{{"quads": [{{"aspect": null, "category": {category}, "opinion": null, "polarity": "neutral"}}]}}'
    )
    with pytest.raises(DataError, match="category"):
        parse_answer(QUADS, ChatAnswer(answer))
