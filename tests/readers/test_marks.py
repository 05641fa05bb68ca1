"""Marks and links: opinions there and back; expected values are written by hand."""

from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from aspectlab.data import Part, Polarity, Quad, Span, Term
from aspectlab.readers.annotations import Fault, FaultError
from aspectlab.readers.marks import (
    Marking,
    MarkLink,
    TextMark,
    counts_units,
    draw,
    find_polarity,
    from_cells,
    gather,
    locate_mark,
    pair,
    to_cells,
)

TEXT = "The 🚗 seat is soft."
SEAT, SOFT = Term("seat", Span(6, 10)), Term("soft", Span(14, 18))
SEAT_MARK, SOFT_MARK = TextMark("a", Part.ASPECT, SEAT), TextMark("b", Part.OPINION, SOFT)

placed = st.builds(
    lambda start, end: Term(TEXT[start:end], Span(start, end)), st.integers(0, 9), st.integers(10, 18)
)
named = st.builds(Term, st.text(max_size=8))
quads = st.builds(
    Quad,
    st.none() | placed | named,
    st.none() | st.text(max_size=5),
    st.none() | placed | named,
    st.none() | st.sampled_from(list(Polarity)),
)


@given(st.lists(quads, max_size=6))
def test_marking_loses_no_opinion(given: list[Quad]) -> None:
    assert sorted(map(repr, gather(draw(given)))) == sorted(map(repr, given))


@given(quads)
def test_cells_lose_nothing(quad: Quad) -> None:
    assert from_cells(to_cells(quad)) == quad


@given(st.text(alphabet='|@"\\- 1:a', max_size=20))
def test_cells_of_any_text_are_read_or_refused(row: str) -> None:
    with suppress(FaultError):
        assert isinstance(from_cells(row), Quad)


@pytest.mark.parametrize(
    ("row", "quad"),
    [
        ("price|high|negative", Quad(Term("price"), None, Term("high"), Polarity.NEGATIVE)),
        (" price | - | - ", Quad(Term("price"))),
        ("12@home | soft @14:18 | - | comfort", Quad(Term("12@home"), "comfort", SOFT)),
        ('"a | b" | | positive', Quad(Term("a | b"), None, None, Polarity.POSITIVE)),
    ],
)
def test_cells_are_read_as_people_write_them(row: str, quad: Quad) -> None:
    assert from_cells(row) == quad


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        ("price | high", Fault.RECORD),
        ("price | high | good", Fault.LABEL),
        ('"price | high | negative', Fault.RECORD),
        (7, Fault.RECORD),
    ],
)
def test_cells_that_are_wrong_are_refused(row: object, fault: Fault) -> None:
    with pytest.raises(FaultError) as caught:
        from_cells(row)
    assert caught.value.fault is fault


def test_terms_of_several_opinions_share_their_mark() -> None:
    other = Term("🚗", Span(4, 5))
    marking = draw([Quad(SEAT, None, SOFT, Polarity.POSITIVE), Quad(other, None, SOFT, Polarity.NEGATIVE)])
    assert [mark.term for mark in marking.marks] == [SEAT, SOFT, other]
    assert marking.links == (MarkLink("1", "2", Polarity.POSITIVE), MarkLink("3", "2", Polarity.NEGATIVE))


def test_link_without_polarity_has_that_of_its_mark() -> None:
    judged = SOFT_MARK._replace(polarity=Polarity.POSITIVE)
    assert gather(Marking((SEAT_MARK, judged), (MarkLink("a", "b"),))) == (
        Quad(SEAT, None, SOFT, Polarity.POSITIVE),
    )


def test_mark_with_a_link_and_an_implied_term_is_two_opinions() -> None:
    both = SOFT_MARK._replace(polarity=Polarity.NEUTRAL, implied=("comfort",))
    found = gather(Marking((SEAT_MARK, both), (MarkLink("a", "b", Polarity.POSITIVE),)))
    assert found == (
        Quad(SEAT, None, SOFT, Polarity.POSITIVE),
        Quad(Term("comfort"), None, SOFT, Polarity.NEUTRAL),
    )


@pytest.mark.parametrize(
    "opinion",
    [SOFT_MARK._replace(polarity=Polarity.NEGATIVE), SOFT_MARK._replace(category="cost")],
    ids=["polarity", "category"],
)
def test_link_that_contradicts_its_marks_is_refused(opinion: TextMark) -> None:
    aspect = SEAT_MARK._replace(category="comfort")
    with pytest.raises(FaultError, match="expected one") as caught:
        gather(Marking((aspect, opinion), (MarkLink("a", "b", Polarity.POSITIVE),)))
    assert caught.value.fault is Fault.CLASH


@pytest.mark.parametrize("ends", [("a", "b"), ("b", "a")])
def test_relation_may_point_either_way(ends: tuple[str, str]) -> None:
    assert pair({"a": SEAT_MARK, "b": SOFT_MARK}, *ends) == ("a", "b")


@pytest.mark.parametrize("ends", [("a", "c"), ("a", "a"), (None, "b")])
def test_relation_without_two_ends_is_refused(ends: tuple[object, object]) -> None:
    with pytest.raises(FaultError) as caught:
        pair({"a": SEAT_MARK, "b": SOFT_MARK}, *ends)
    assert caught.value.fault is Fault.RELATION


def test_polarity_that_does_not_exist_is_refused() -> None:
    with pytest.raises(FaultError, match="'good': expected one of positive") as caught:
        find_polarity(["good"], "relation 1 – 2")
    assert caught.value.fault is Fault.LABEL


@pytest.mark.parametrize(
    ("start", "end", "surface"),
    [(6, 10, "seat"), (6, 10, None), (7, 11, "seat")],
    ids=["characters", "unnamed", "UTF-16 units: the car counts two"],
)
def test_mark_behind_an_emoji_is_placed(start: int, end: int, surface: str | None) -> None:
    assert locate_mark(TEXT, start, end, surface) == SEAT


# by hand: each of the five cars counts two units, so unit 11 is character 6; character 11 is the other seat
@pytest.mark.parametrize(("units", "start"), [(False, 11), (True, 6)])
def test_mark_of_a_word_that_is_said_twice_is_placed_as_the_tool_counts(units: bool, start: int) -> None:
    text = "🚗🚗🚗🚗🚗 seat seat"
    assert locate_mark(text, 11, 15, "seat", units=units).span == Span(start, start + 4)


@pytest.mark.parametrize(
    ("places", "expected"),
    [
        ([(6, 10, "seat")], False),
        ([(6, 10, "seat"), (15, 19, "soft")], True),
        ([(6, 10, "chair"), (None, 3, "seat")], False),
    ],
    ids=["characters", "one fits as UTF-16 units only", "none fits"],
)
def test_way_of_counting_is_told_by_all_marks(places: list[tuple[object, ...]], expected: bool) -> None:
    assert counts_units(TEXT, [(start, end, surface) for start, end, surface in places]) is expected


def test_mark_over_two_lines_is_placed_though_the_tool_writes_the_break_otherwise() -> None:
    assert locate_mark("so\nsoft", 0, 7, "so\\nsoft") == Term("so\nsoft", Span(0, 7))


@pytest.mark.parametrize(
    ("start", "end", "surface"),
    [(6, 10, "chair"), (6, 99, "seat"), (-1, 3, None), (5, 5, None), (True, 3, None), (None, None, None)],
)
def test_mark_that_does_not_fit_the_text_is_refused(start: object, end: object, surface: object) -> None:
    with pytest.raises(FaultError) as caught:
        locate_mark(TEXT, start, end, surface)
    assert caught.value.fault is Fault.OFFSET
