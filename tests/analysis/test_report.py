"""The report on opinions: what it shows, that it needs nothing else, and that texts stay texts."""

import base64
import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.analysis.aggregate import (
    Aggregate,
    AuditedShare,
    Category,
    Evidence,
    OpinionPair,
    Slice,
    TermCounts,
    Totals,
)
from aspectlab.analysis.report import MAX_CHARS, mark_quote, render_opinion_report, write_opinion_report
from aspectlab.data import PolarityCounts
from aspectlab.errors import DataError
from aspectlab.readers.opiniontable import NOT_NAMED, OTHER
from tests.support.html import parse
from tests.support.opinions import AGGREGATE, HOSTILE, SOUP, hostile_aggregate

PAGE = render_opinion_report(AGGREGATE)
EMPTY = render_opinion_report(Aggregate("none.csv", Totals(0, 0, 0, 0), PolarityCounts()))


def embedded_figures(page: str) -> object:
    return json.loads(page.split('id="figures">')[1].split("</script>")[0])


def saved_table(page: str) -> list[list[str]]:
    packed = page.split("base64,")[1].split('"')[0]
    return list(csv.reader(io.StringIO(base64.b64decode(packed).decode("utf-8-sig"))))


@pytest.mark.parametrize(
    "shown",
    [
        "<h1><bdi>Opinions in made.csv</bdi></h1>",
        '<dd id="figure-reviews">80<small>75 % hold an opinion</small></dd>',
        '<dd id="figure-opinions">155<small>in 300 sentences</small></dd>',
        "<li><bdi>3 broken rows skipped</bdi></li>",
        "<dt>model</dt><dd><bdi>made-model</bdi></dd>",
    ],
)
def test_report_shows_totals_notices_and_settings(shown: str) -> None:
    assert shown in PAGE


def test_report_shows_shares_with_their_interval() -> None:
    # 4 of 5: Wilson's interval is 37.6 to 96.4 % by hand
    assert "80 % (38–96)" in PAGE


def test_report_shows_shares_that_an_audit_corrected() -> None:
    audit = AuditedShare(0.41, 0.3, 0.52, "judged: 100 sentences")
    first = replace(AGGREGATE.categories[0], audit=audit)
    page = render_opinion_report(replace(AGGREGATE, categories=(first, *AGGREGATE.categories[1:])))
    # in the table, and in the data of the script that draws it again
    assert page.count("audited: 41 % (30–52) positive") == 1
    assert "audited: 41 % (30\\u201352) positive" in page
    assert "audited:" not in PAGE


def test_report_marks_aspect_and_opinion() -> None:
    opinion = '<mark class="opinion negative">cold</mark>'
    assert f'The <mark class="aspect">soup</mark> was {opinion}, the waiter kind.' in PAGE


def test_report_says_polarity_in_words() -> None:
    assert '<p class="verdict negative">− negative <small>97 % sure</small></p>' in PAGE
    assert '<p class="verdict positive">+ positive <small>over 99 % sure</small></p>' in PAGE


def test_quote_marks_overlapping_terms() -> None:
    marked = mark_quote(replace(SOUP, text="cold soup", aspect=(0, 9), opinion=(0, 4)))
    opinion = '<mark class="opinion negative">cold</mark>'
    assert marked == f'<mark class="aspect">{opinion}</mark><mark class="aspect"> soup</mark>'


def test_quote_of_a_long_sentence_keeps_its_terms() -> None:
    text = "x " * 5000 + "soup cold" + " y" * 5000
    marked = mark_quote(replace(SOUP, text=text, aspect=(10000, 10004), opinion=(10005, 10009)))
    assert marked.startswith("…")
    assert marked.endswith("…")
    assert '<mark class="aspect">soup</mark>' in marked
    assert len("".join(parse(marked).texts)) == MAX_CHARS + 2


@pytest.mark.parametrize("place", [None, (5, 5), (-1, 3), (3, 99)])
def test_quote_without_a_place_marks_nothing(place: tuple[int, int] | None) -> None:
    assert mark_quote(replace(SOUP, aspect=place, opinion=None)) == SOUP.text


EVENT = "We liked the car, but the gearbox failed twice."
UNNAMED = replace(
    AGGREGATE,
    totals=replace(AGGREGATE.totals, without_aspect=4, without_opinion=2, left_out=7),
    categories=(
        replace(
            AGGREGATE.categories[0],
            evidence=(
                Evidence("7", "", "", "", "Bland.", None, (0, 5), "negative", 0.62, "food: quality"),
                Evidence("8", "", "", "", EVENT, (26, 33), None, "negative", 0.71),
            ),
            without_aspect=3,
        ),
        *AGGREGATE.categories[1:],
        Category(NOT_NAMED, PolarityCounts(0, 1), without_aspect=1),
    ),
    edges=(
        OpinionPair("", "bland", "negative", "food", 2),
        OpinionPair("gearbox", "", "negative", "car", 1),
    ),
)
UNNAMED_PAGE = render_opinion_report(UNNAMED)


@pytest.mark.parametrize(
    "shown",
    [
        '62 % sure</small> <span class="chip"><bdi>food: quality</bdi> not named</span></p>',
        # the clause that tells it stands for the words that judge
        'the </mark><mark class="aspect"><mark class="clause negative">gearbox</mark></mark><mark class=',
        "<small>150 opinions, 3 not named</small>",
        "<small>in 300 sentences, 7 less probable ones left out</small>",
        '<th scope="row"><span class="chip"><bdi>food</bdi> not named</span></th><td><bdi>bland</bdi></td>',
        '<th scope="row"><bdi>gearbox</bdi></th><td><span class="chip">not named</span></td>',
        "<p>4 opinions without a word for the aspect",
        "<p>2 opinions without words that judge",
    ],
)
def test_report_shows_what_is_not_named(shown: str) -> None:
    assert shown in UNNAMED_PAGE


@pytest.mark.parametrize("word", ["not named", "left out", "clause "])
def test_report_of_named_aspects_speaks_of_nothing_else(word: str) -> None:
    assert word not in PAGE.partition("<body>")[2].rpartition("<script>")[0]


def test_report_compares_nothing_that_is_not_named() -> None:
    assert embedded_figures(UNNAMED_PAGE) == embedded_figures(PAGE)


def test_report_says_that_what_is_not_named_is_folded() -> None:
    many = tuple(Category(f"aspect {k}", PolarityCounts(99 - k)) for k in range(15))
    rest = (Category(OTHER, PolarityCounts(9)), Category(NOT_NAMED, PolarityCounts(8)))
    page = render_opinion_report(replace(AGGREGATE, categories=many + rest))
    assert "<summary>other terms and what is not named</summary>" in page


def test_report_folds_rare_aspects() -> None:
    many = tuple(Category(f"aspect {k}", PolarityCounts(99 - k)) for k in range(20))
    page = render_opinion_report(replace(AGGREGATE, categories=many))
    assert "<summary>5 rarer aspects</summary>" in page


@pytest.mark.parametrize(("named", "said"), [(16, "1 rarer aspect and other terms"), (15, "other terms")])
def test_report_does_not_scale_its_bars_by_what_fits_nowhere(named: int, said: str) -> None:
    many = (
        *(Category(f"aspect {k}", PolarityCounts(99 - k)) for k in range(named)),
        Category("other", PolarityCounts(990)),
    )
    page = render_opinion_report(replace(AGGREGATE, categories=many))
    assert f"<summary>{said}</summary>" in page
    # the first row fills the width
    assert '<rect class="positive" x="0%" width="100%" height="100%"/>' in page.split("<details>")[0]


def test_report_without_opinions_says_so() -> None:
    assert "No opinions were found." in EMPTY
    assert "the reviews carry no dates" in EMPTY
    assert parse(EMPTY).tags


def test_report_without_groups_compares_none() -> None:
    page = render_opinion_report(replace(AGGREGATE, groups=()))
    assert 'id="compare"' not in page
    assert 'id="group"' not in page


def test_report_holds_the_counts_that_are_compared() -> None:
    # positive and all opinions of each group: in all, then by aspect, as AGGREGATE has them
    assert embedded_figures(PAGE) == {
        "aspects": ["food", "service"],
        "groups": [
            {"name": "Aurora", "counts": [[51, 84], [48, 80], [3, 4]]},
            {"name": "Belmora", "counts": [[57, 71], [56, 70], [1, 1]]},
        ],
    }


def test_report_compares_no_aspects_that_fit_nowhere() -> None:
    rest = Category(OTHER, PolarityCounts(9, 9))
    page = render_opinion_report(replace(AGGREGATE, categories=(*AGGREGATE.categories, rest)))
    assert embedded_figures(page) == embedded_figures(PAGE)


def test_report_draws_no_trend_of_a_few_opinions() -> None:
    counts = {"food": PolarityCounts(4), "service": PolarityCounts(3)}
    months = tuple(Slice(name, 9, PolarityCounts(9), counts) for name in ("2025-01", "2025-02"))
    page = render_opinion_report(replace(AGGREGATE, months=months))
    # four opinions on food in each month, three on service
    assert re.findall(r"<figcaption><bdi>(.+?)</bdi>", page.split("By group")[0]) == ["All aspects", "food"]


def test_report_saves_the_table_without_script() -> None:
    table = saved_table(PAGE)
    assert table[0][:6] == ["group", "aspect", "opinions", "positive", "neutral", "negative"]
    assert table[1][:6] == ["", "food", "150", "104", "0", "46"]
    assert table[5][:6] == ["Belmora", "food", "70", "56", "0", "14"]


def test_saved_table_holds_no_formula() -> None:
    page = render_opinion_report(replace(AGGREGATE, categories=(Category("=1+1", PolarityCounts(1)),)))
    assert saved_table(page)[1][1] == "'=1+1"


def test_report_is_the_same_each_time() -> None:
    assert render_opinion_report(AGGREGATE) == PAGE


def test_report_is_written_as_utf8(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    write_opinion_report(hostile_aggregate(), path)
    assert path.read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_report_in_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="cannot be written"):
        write_opinion_report(AGGREGATE, tmp_path / "absent" / "report.html")


@pytest.mark.parametrize("word", ["http:", "https:", " src=", "<link", "@import", "<iframe", "style="])
def test_report_loads_nothing(word: str) -> None:
    assert word not in PAGE


def test_report_allows_its_own_style_and_script_only() -> None:
    policy = PAGE.split('Content-Security-Policy" content="')[1].split('"')[0]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert "unsafe" not in policy
    assert "base-uri 'none'" in policy


def test_report_is_readable_without_script() -> None:
    assert '<div id="filter" role="search" aria-label="Filters of the page" hidden>' in PAGE
    assert '<table class="rows" id="aspects">' in PAGE


HOSTILE_PAGE = render_opinion_report(hostile_aggregate())


def test_hostile_texts_make_no_tags() -> None:
    tags = parse(HOSTILE_PAGE).tags
    assert set(tags) <= {*parse(PAGE).tags, "aside"}
    # the figures, the names behind the numbers, and our own script
    assert tags.count("script") == 3
    assert tags.count("style") == 1


def test_hostile_texts_make_no_attributes() -> None:
    attributes = parse(HOSTILE_PAGE).attributes
    assert {name for name, _ in attributes} <= {name for name, _ in parse(PAGE).attributes}
    assert not [name for name, _ in attributes if name.startswith("on") or name in {"src", "style"}]
    links = [value for name, value in attributes if name == "href"]
    assert all(re.match(r"#|data:text/csv;charset=utf-8;base64,[\w+/=]*$", link or "") for link in links)


def test_hostile_texts_stay_texts() -> None:
    shown = HOSTILE[:59]
    assert any(shown in text for text in parse(HOSTILE_PAGE).texts)


def test_hostile_texts_keep_the_figures_whole() -> None:
    figures = embedded_figures(HOSTILE_PAGE)
    assert isinstance(figures, dict)
    assert figures["aspects"][0].startswith("</script><script>alert(1)")


def test_hostile_texts_leave_no_unseen_characters() -> None:
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]", HOSTILE_PAGE)


@pytest.mark.parametrize("letter", ['"', "\N{GRINNING FACE}"])
def test_report_of_a_huge_aggregate_stays_small(letter: str) -> None:
    """The letters have a long escape or many bytes, and there are far too many of everything."""
    names = [f"{k:03}" + letter * 500 for k in range(90)]
    named = tuple(TermCounts(name, PolarityCounts(9, 9, 9)) for name in names)
    quotes = tuple(
        replace(SOUP, review=names[0], group=names[0], date=names[0], rating=names[0], text=letter * 99_999)
        for _ in range(8)
    )
    evidence = tuple(
        replace(q, polarity=kind) for q in quotes for kind in ("positive", "neutral", "negative")
    )
    counts = {name: PolarityCounts(9, 9, 9) for name in names}
    months = [f"{year}-{month:02}" for year in range(1900, 2100) for month in range(1, 13)]
    by_month = {month: PolarityCounts(9, 9, 9) for month in months}
    huge = Aggregate(
        title=names[0],
        totals=Totals(10**9, 10**10, 10**10, 10**9),
        counts=PolarityCounts(9, 9, 9),
        categories=tuple(Category(name, PolarityCounts(9, 9, 9), named, named, evidence) for name in names),
        groups=tuple(Slice(name, 9, PolarityCounts(9, 9, 9), counts, by_month) for name in names),
        months=tuple(Slice(month, 9, PolarityCounts(9, 9, 9), counts) for month in months),
        ratings=tuple(Slice(name, 9, PolarityCounts(9, 9, 9)) for name in names),
        settings=dict.fromkeys(names, names[0]),
        notices=tuple(names),
    )
    page = render_opinion_report(huge)
    assert len(page.encode()) < 2_500_000
    assert parse(page).tags.count("article") <= 300


def _many_groups(name: str) -> Aggregate:
    names = [f"thing {number}" for number in range(20)]
    counts = {each: PolarityCounts(3, 1) for each in names}
    return replace(
        AGGREGATE,
        categories=tuple(Category(each, PolarityCounts(3, 1)) for each in names),
        groups=tuple(Slice(f"{name} {number}", 9, PolarityCounts(60, 20), counts) for number in range(50)),
    )


def test_download_holds_every_group_with_its_whole_name() -> None:
    # by hand: a header, 20 aspects in all, and 20 of each of 50 groups; the page cuts names at 60 letters
    name = "Lamp with a warm light and a long cord for the desk or the bed, in"
    page = render_opinion_report(_many_groups(name))
    rows = saved_table(page)
    assert (len(rows), rows[-1][0]) == (1021, f"{name} 49")
    assert "without the last" not in page


def test_download_that_is_cut_says_so() -> None:
    page = render_opinion_report(_many_groups("\N{GRINNING FACE}" * 150))
    missing = 1021 - len(saved_table(page))
    assert missing > 0
    assert f"without the last {missing} rows, which made the page too large" in page
