"""The figures and pictures of the report on opinions: shares, bars, trends and the layout of the graph."""

import re
from fractions import Fraction
from html import unescape

import numpy as np
import pytest
from hypothesis import given, strategies as st

from aspectlab.analysis.aggregate import Aggregate, Category, Evidence, Slice, TermCounts, Totals
from aspectlab.analysis.network import (
    GAP,
    MAX_ASPECTS,
    MAX_WORDS,
    BoxLayout,
    BoxLink,
    layout_boxes,
    render_network,
)
from aspectlab.analysis.report import REPORT_STYLES, mark_quote
from aspectlab.analysis.tables import draw_bar
from aspectlab.analysis.trends import MAX_PERIODS, draw_trend, make_time_axis, render_trends
from aspectlab.data import PolarityCounts
from aspectlab.reports.formatting import estimate_share
from aspectlab.reports.html import embed_json, escape_html, load_assets
from tests.support.html import parse


@pytest.mark.parametrize(
    ("hits", "total", "low", "high"),
    [(81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605), (0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718)],
)
def test_interval_equals_the_published_one(hits: int, total: int, low: float, high: float) -> None:
    # Newcombe, Two-sided confidence intervals for the single proportion, 1998, Table I, method 3
    share = estimate_share(hits, total)
    assert (share.low, share.high) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(0, 2000), st.integers(0, 2000))
def test_interval_holds_the_share(hits: int, misses: int) -> None:
    share = estimate_share(hits, hits + misses)
    assert 0 <= share.low <= share.value <= share.high <= 1


def test_bar_leaves_out_what_is_not_there() -> None:
    bar = draw_bar(PolarityCounts(positive=1, negative=3), 8)
    assert '<rect class="negative" x="12.5%" width="37.5%"' in bar
    assert "neutral" not in bar


@pytest.mark.parametrize(
    ("months", "names"),
    [
        (["2024-12", "2025-02"], ["2024-12", "2025-01", "2025-02"]),
        (["2020-01", "2024-12"], ["2020 Q1", "2024 Q4"]),
        (["1990-05", "2025-01"], ["1990", "2025"]),
        ([], []),
    ],
)
def test_axis_joins_many_months(months: list[str], names: list[str]) -> None:
    periods = make_time_axis(dict.fromkeys(months, PolarityCounts(1))).join({})
    found = [period.name for period in periods]
    assert found[:1] + found[-1:] == names[:1] + names[-1:]
    assert len(found) <= MAX_PERIODS


def test_axis_of_slips_of_the_pen_keeps_the_full_years() -> None:
    months = {"0001-01": PolarityCounts(1), "9999-12": PolarityCounts(1), "2024-03": PolarityCounts(50)}
    assert [period.name for period in make_time_axis(months).join({})] == ["0001", "2024", "9999"]


def test_axis_stays_monthly_where_one_date_is_that_of_an_empty_clock() -> None:
    months = {"1970-01": PolarityCounts(1), "2024-11": PolarityCounts(60), "2024-12": PolarityCounts(40)}
    assert [period.name for period in make_time_axis(months).join(months)] == ["2024-11", "2024-12"]


def test_page_says_how_many_opinions_are_years_away() -> None:
    months = {"1970-01": PolarityCounts(1), "2024-11": PolarityCounts(60), "2024-12": PolarityCounts(40)}
    slices = tuple(Slice(name, 1, counts) for name, counts in months.items())
    page = render_trends(Aggregate("a", Totals(3, 3, 101, 3), PolarityCounts(101), months=slices))
    assert "Left out: 1 opinion, dated years away from the others." in page


def test_trend_breaks_its_line_between_years_that_are_no_neighbours() -> None:
    months = {"1970-01": PolarityCounts(9), "2023-01": PolarityCounts(9), "2024-03": PolarityCounts(9)}
    picture = draw_trend(make_time_axis(months).join(months))
    assert picture.count("<polyline") == 1
    assert picture.count("<circle") == 3


def test_axis_adds_the_months_of_a_quarter() -> None:
    months = {
        "2010-01": PolarityCounts(1),
        "2010-03": PolarityCounts(2, 1),
        "2018-12": PolarityCounts(0, 0, 4),
    }
    first, *_, last = make_time_axis(months).join(months)
    assert (first.counts, last.counts) == (PolarityCounts(3, 1), PolarityCounts(0, 0, 4))


def test_trend_breaks_its_line_where_nothing_was_said() -> None:
    months = {"2025-01": PolarityCounts(1), "2025-02": PolarityCounts(1), "2025-04": PolarityCounts(1)}
    picture = draw_trend(make_time_axis(months).join(months))
    assert picture.count("<polyline") == 1
    assert picture.count("<circle") == 3


def made_graph(n: int, letter: str) -> Aggregate:
    opinions = [
        tuple(TermCounts(f"{letter * 9} {k} {j}", PolarityCounts(j + 1)) for j in range(9)) for k in range(n)
    ]
    categories = tuple(Category(f"{letter * 12} {k}", PolarityCounts(9), (), opinions[k]) for k in range(n))
    return Aggregate("a", Totals(1, 1, 1, 1), PolarityCounts(9), categories)


def read_boxes(picture: str) -> np.ndarray:
    found = re.findall(r'<rect x="([\d.]+)" y="([\d.]+)" width="([\d.]+)" height="([\d.]+)"', picture)
    return np.array(found, dtype=float)  # [N, 4]


@pytest.mark.parametrize("letter", ["w", "字"])
@pytest.mark.parametrize("screen", [0, 1])
def test_graph_labels_do_not_overlap(letter: str, screen: int) -> None:
    boxes = read_boxes(render_network(made_graph(20, letter)).split("<svg")[1 + screen])
    assert len(boxes) == MAX_ASPECTS + MAX_WORDS
    start, end = boxes[:, :2], boxes[:, :2] + boxes[:, 2:]
    is_apart = (start[:, None] >= end[None]) | (end[:, None] <= start[None])  # [N, N, 2]
    assert (is_apart.any(axis=2) | np.eye(len(boxes), dtype=bool)).all()


def test_graph_measures_labels_alike_in_all_pythons(monkeypatch: pytest.MonkeyPatch) -> None:
    # from 3.12 on `sum` rounds once, before at every letter: the layout made another picture of that
    seen: list[float] = []

    def place(sizes: np.ndarray, edges: list[BoxLink], width: float, height: float) -> BoxLayout:
        seen.extend(sizes[:, 0].tolist())
        return layout_boxes(sizes, edges, width, height)

    monkeypatch.setattr("aspectlab.analysis.network.layout_boxes", place)
    render_network(made_graph(5, "w"))
    rounded_once = {16 + float(letters * Fraction(7.6)) for letters in range(60)}
    assert seen
    assert set(seen) <= rounded_once


def test_graph_without_words_says_so() -> None:
    assert "too few opinions" in render_network(made_graph(0, "w"))


@pytest.mark.parametrize("count", [0, 1, 2, 40])
def test_layout_keeps_boxes_within_its_area(count: int) -> None:
    sizes = np.tile([[90.0, 20.0]], (count, 1))
    edges = [BoxLink(0, k, 1.0) for k in range(1, count)]
    layout = layout_boxes(sizes, edges, 300, 80)
    assert (
        (layout.centres >= sizes / 2) & (layout.centres <= [layout.width, layout.height] - sizes / 2)
    ).all()


def test_layout_grows_where_boxes_do_not_fit() -> None:
    sizes = np.array([[500.0, 20.0]] * 3)
    layout = layout_boxes(sizes, [], 100, 20)
    assert layout.width >= 500 + GAP
    assert layout.height >= 3 * 20 + 2 * GAP


def test_layout_is_the_same_each_time() -> None:
    sizes = np.tile([[60.0, 20.0]], (20, 1))
    first, second = (layout_boxes(sizes, [BoxLink(0, 9, 1.0)], 400, 300).centres for _ in range(2))
    assert np.array_equal(first, second)


@given(st.text())
def test_shown_text_reads_back(text: str) -> None:
    seen = re.sub("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufdd0-\ufdef\ufffd-\uffff]", "", text)
    assert unescape(escape_html(text)).replace("\ufffd", "") == seen


@given(st.text(min_size=1), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(0, 9))
def test_quote_reads_back_whatever_is_marked(text: str, a: int, b: int, c: int, d: int) -> None:
    quote = Evidence("", "", "", "", text, (a, b), (c, d), "positive", 0.5)
    marked = parse(mark_quote(quote))
    assert set(marked.tags) <= {"mark"}
    assert "".join(marked.texts) == unescape(escape_html(text))


@given(st.text())
def test_embedded_json_cannot_be_closed(text: str) -> None:
    assert embed_json("figures", [text]).count("<") == 2


def luminance(colour: str) -> float:
    """Follow the definition of WCAG 2.2."""
    whole = "".join(2 * digit for digit in colour) if len(colour) == 3 else colour
    parts = [int(whole[k : k + 2], 16) / 255 for k in (0, 2, 4)]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def read_colours(is_dark: bool) -> dict[str, str]:
    """Read the colours of the style; the page itself is white, or nearly black in Chromium."""
    blocks = re.findall(r"^( *):root \{([^}]*)\}", load_assets(*REPORT_STYLES), re.MULTILINE)
    found = {"page": "121212" if is_dark else "ffffff", "ink": "ffffff" if is_dark else "000000"}
    for indent, block in blocks:
        if bool(indent) == is_dark:
            found |= dict(re.findall(r"--(\w+): #([0-9a-f]{6}|[0-9a-f]{3})\b", block))
    return found


@pytest.mark.parametrize("is_dark", [False, True])
@pytest.mark.parametrize(
    ("text", "ground"),
    [
        *(
            (text, ground)
            for text in ("positive", "neutral", "negative", "quiet")
            for ground in ("page", "card")
        ),
        *(("ink", ground) for ground in ("praise", "blame", "neither")),
    ],
)
def test_colours_have_enough_contrast(is_dark: bool, text: str, ground: str) -> None:
    # 4.5 to 1 is what WCAG AA asks of text
    colours = read_colours(is_dark)
    low, high = sorted(luminance(colours[name]) for name in (text, ground))
    assert (high + 0.05) / (low + 0.05) >= 4.5
