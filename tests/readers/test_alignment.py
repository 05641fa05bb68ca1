"""Placing terms: offsets that are right, near, misspelt or wrong, and tokens unlike their text."""

import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Span, Term
from aspectlab.errors import DataError
from aspectlab.readers import Source
from aspectlab.readers.alignment import align, find_term, locate_term, term_of_tokens, token_spans

TEXT = 'The lamp by the "old" Lamp shop glows.'


@pytest.fixture
def source() -> Source:
    return Source(Path("sample.json"))


@pytest.mark.parametrize(
    ("surface", "start", "end", "term"),
    [
        ("lamp", 5, 9, Term("lamp", Span(4, 8))),
        ("Lamp", 4, 8, Term("Lamp", Span(22, 26))),
        ("the", 0, 3, Term("the", Span(12, 15))),
        ("LAMP", 30, 34, Term("Lamp", Span(22, 26))),
        ('" old " lamp', 16, 28, Term('"old" Lamp', Span(16, 26))),
        ("lamp  shop", 22, 32, Term("Lamp shop", Span(22, 31))),
        ("lanp", 4, 8, Term("lamp", Span(4, 8))),
        ("glow.", 32, 38, Term("glows.", Span(32, 38))),
    ],
)
def test_place_mends_offsets_and_says_so(
    source: Source, surface: str, start: int, end: int, term: Term
) -> None:
    assert locate_term(source, 3, TEXT, surface, start, end) == term
    assert len(source.notes) == 1


def test_place_leaves_right_offsets_alone(source: Source) -> None:
    assert locate_term(source, 3, TEXT, "lamp", 4, 8) == Term("lamp", Span(4, 8))
    assert source.notes == []


def test_place_keeps_a_term_that_does_not_stand_there(source: Source) -> None:
    assert locate_term(source, 3, TEXT, "sofa", 4, 8) == Term("sofa")
    assert source.notes == ["line 3: term 'sofa' is not in the text at 4:8: kept without a span"]


@pytest.mark.parametrize(
    ("surface", "start", "end"),
    [("sofa", 4, 99), ("sofa", -1, 3), ("sofa", 8, 4), ("", 4, 4), (" ", 99, 100)],
)
def test_place_refuses_offsets_outside_the_text(source: Source, surface: str, start: int, end: int) -> None:
    with pytest.raises(
        DataError, match=r"sample.json: line 3: found the term .* expected offsets within 0:38"
    ):
        locate_term(source, 3, TEXT, surface, start, end)


@pytest.mark.parametrize(
    ("surface", "term"),
    [
        ("lamp", Term("lamp", Span(6, 10))),
        ("lamps", Term("lamps", Span(0, 5))),
        ("-", Term("-", Span(10, 11))),
        ("lit", Term("lit", Span(11, 14))),
        ("amp", Term("amp")),
        ("Lamp", Term("Lamp")),
        ("", Term("")),
    ],
)
def test_find_term_wants_whole_words(surface: str, term: Term) -> None:
    assert find_term("lamps lamp-lit", surface) == term


@pytest.mark.parametrize("text", ["", "  ", "a", " a  b\u00a0c\u2028d ", "a a aa a"])
def test_token_spans_are_those_of_split(text: str) -> None:
    assert [text[start:end] for start, end in token_spans(text)] == text.split()


def test_term_of_tokens_keeps_the_blanks_between() -> None:
    assert term_of_tokens("a  b c", token_spans("a  b c"), 0, 1) == Term("a  b", Span(0, 4))


@pytest.mark.parametrize(
    ("text", "tokens", "words"),
    [
        ("Do n't stop", "Do n't stop", ["Do", "n't", "stop"]),
        ("Don't stop!", "Do n't stop !", ["Do", "n't", "stop", "!"]),
        ("well-made, (small) lamp", "well made , small lamp", ["well", "made", ",", "small", "lamp"]),
        ("bed - lamp , knob", "bed , lamp , knob", ["bed", None, "lamp", ",", "knob"]),
        ("a class-oom b", "a classroom b", ["a", "class-oom", "b"]),
        ("lamp", "lanp", ["lamp"]),
        ("a lamp b", "a sofa b", ["a", None, "b"]),
        ("a x y z lamp b", "a lamp b", ["a", "lamp", "b"]),
        ("a lamp b", "a x y z lamp b", ["a", None, None, None, "lamp", "b"]),
        ("a b", "c d e f g h i j", [None] * 8),
        ("", "a", [None]),
        ("a", "", []),
    ],
)
def test_align_scans_from_left_to_right(text: str, tokens: str, words: list[str | None]) -> None:
    spans = align(text, tokens.split())
    assert [None if span is None else text[span.start : span.end] for span in spans] == words


@given(
    text=st.text("ab -.", max_size=30), tokens=st.lists(st.text("ab-.", min_size=1, max_size=3), max_size=12)
)
def test_align_gives_rising_spans_within_the_text(text: str, tokens: list[str]) -> None:
    spans = align(text, tokens)
    found = [span for span in spans if span is not None]
    assert len(spans) == len(tokens)
    assert all(0 <= span.start < span.end <= len(text) for span in found)
    assert all(left.end <= right.start for left, right in pairwise(found))


@given(text=st.text("ab -.\u00a0", max_size=30))
def test_align_finds_all_tokens_of_a_text(text: str) -> None:
    assert align(text, text.split()) == token_spans(text)


# each of these took the square of the length before: minutes
@pytest.mark.parametrize("surface", ["a", "aa" * 50_000, "a" * 100_000 + "b"])
def test_long_terms_take_no_quadratic_time(source: Source, surface: str) -> None:
    text = "a" * 200_000
    before = time.monotonic()
    find_term(text, surface)
    locate_term(source, 1, text, surface + "b", 0, 200_000)
    assert time.monotonic() - before < 5


@pytest.mark.parametrize(
    ("text", "surface", "span"),
    [
        # Chinese, Thai: words stand without blanks between them
        ("\u8fd9\u91cc\u7684\u670d\u52a1\u5f88\u597d", "\u670d\u52a1", Span(3, 5)),
        ("\u0e2d\u0e32\u0e2b\u0e32\u0e23\u0e14\u0e35", "\u0e2d\u0e32\u0e2b\u0e32\u0e23", Span(0, 5)),
        # Hindi: a vowel sign is part of the word before it, and of the word that it stands in
        ("\u0915\u0940\u092e\u0924", "\u092e\u0924", None),
        ("\u0915\u0940", "\u0915", None),
        ("cafe\u0301", "cafe", None),
        ("\u2764\ufe0f tea", "\u2764", Span(0, 1)),
        ("iPhone\u670d\u52a1", "iPhone", Span(0, 6)),
    ],
)
def test_find_term_knows_words_of_other_scripts(text: str, surface: str, span: Span | None) -> None:
    assert find_term(text, surface) == Term(surface, span)
