"""The report on opinions in a real browser: filters, numbers and their quotes, search, files, comparison."""

import csv
import json
import time
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from openpyxl import load_workbook

from aspectlab.analysis import analyze, prepare
from aspectlab.analysis.evidence import FoundOpinion, JoinedReview
from aspectlab.analysis.report import write_opinion_report
from tests.support.browser import ENTER, TAB, Tab, browsing
from tests.support.keyword_predictor import KeywordPredictor
from tests.support.opinions import AGGREGATE, HOSTILE, hostile_aggregate

pytestmark = pytest.mark.slow

TEXTS = (
    ("Aurora", "2025-01-03", "5", "The food was great. We came by train with the café owner’s dog."),
    ("Aurora", "2025-02-03", "2", "The food was bad but the staff was kind. \N{GRINNING FACE} Staff rude!"),
    ("Belmora", "2025-02-07", "4", "=1+1 the room was good; the bed was average."),
    ("Belmora", "2025-03-09", "1", "Nothing to say. The café was closed."),
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    parent = tmp_path_factory.mktemp("reviews")
    with (parent / "reviews.csv").open("w", encoding="utf-8", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(("id", "product", "date", "rating", "text"))
        writer.writerows((f"r{k % 60}", *TEXTS[k % 4]) for k in range(400))
    analyze(prepare([parent / "reviews.csv"]), KeywordPredictor(), parent / "out")
    return parent / "out"


@pytest.fixture(scope="module")
def tab() -> Iterator[Tab]:
    with browsing() as opened:
        yield opened


@pytest.fixture
def report(tab: Tab, folder: Path) -> Tab:
    # another address each time, or the browser would stay where it is
    tab.open(f"{(folder / 'report.html').as_uri()}?{time.monotonic_ns()}")
    tab.wait_for("document.body.classList.contains('live')")
    return tab


def rows(folder: Path) -> list[dict[str, str]]:
    with (folder / "opinions.csv").open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def choose(tab: Tab, name: str, label: str) -> None:
    """Choose what a filter offers under this label."""
    found = tab.get(
        f"(() => {{ const node = document.getElementById({name!r}); const option = [...node.options]"
        f".find((each) => each.textContent === {json.dumps(label)}); node.value = option.value; "
        "node.dispatchEvent(new Event('input')); return node.value; })()"
    )
    assert found
    time.sleep(0.1)


def text_of(tab: Tab, name: str) -> str:
    return str(tab.get(f"document.getElementById({name!r}).textContent"))


def shown_counts(tab: Tab, table: str) -> dict[str, list[int]]:
    """Read a table of the page: the name of each row and its counts, as they stand there."""
    found = tab.get(
        f"Object.fromEntries([...document.querySelectorAll('{table} tbody tr')].map((row) => "
        "[row.querySelector('bdi').textContent, [...row.querySelectorAll('.counts > *')]"
        ".map((each) => Number(each.textContent.slice(1).replaceAll(',', '')))]))"
    )
    assert isinstance(found, dict)
    return found


def expected_counts(found: list[dict[str, str]], column: str) -> dict[str, list[int]]:
    counts = Counter((row[column], row["polarity"]) for row in found)
    kinds = ("positive", "neutral", "negative")
    return {name: [counts[name, kind] for kind in kinds] for name in {row[column] for row in found}}


def test_counts_of_the_page_are_those_of_the_table(report: Tab, folder: Path) -> None:
    assert shown_counts(report, "#aspects") == expected_counts(rows(folder), "category")
    assert shown_counts(report, "#groups") == expected_counts(rows(folder), "group")
    assert report.problems() == []


def test_filters_act_on_all_numbers(report: Tab, folder: Path) -> None:
    choose(report, "group", "Aurora")
    choose(report, "from", "2025-02")
    kept = [row for row in rows(folder) if row["group"] == "Aurora" and row["date"] >= "2025-02"]
    assert text_of(report, "shown").startswith(f"{len(kept)} of {len(rows(folder))} opinions, 100 reviews")
    assert shown_counts(report, "#aspects") == expected_counts(kept, "category")
    assert shown_counts(report, "#groups") == expected_counts(kept, "group")
    heads = report.get("[...document.querySelectorAll('#matrix-table thead bdi')].map((e) => e.textContent)")
    assert heads == ["Aurora"]
    assert text_of(report, "timeline-of") == "Aurora"
    assert text_of(report, "said").startswith(f"{len(kept)} opinions in ")


@pytest.mark.parametrize(
    ("name", "label", "column", "value"),
    [("rating", "2", "rating", "2"), ("polarity", "○ neutral", "polarity", "neutral")],
)
def test_filter_keeps_what_it_says(
    report: Tab, folder: Path, name: str, label: str, column: str, value: str
) -> None:
    choose(report, name, label)
    kept = [row for row in rows(folder) if row[column] == value]
    assert shown_counts(report, "#aspects") == expected_counts(kept, "category")


def test_filter_of_probability_keeps_the_sure(report: Tab, folder: Path) -> None:
    choose(report, "sure", "80 % sure")
    kept = [row for row in rows(folder) if float(row["probability"]) >= 0.8]
    assert 0 < len(kept) < len(rows(folder))
    assert text_of(report, "shown").startswith(f"{len(kept)} of ")


def test_number_opens_all_its_quotes(report: Tab, folder: Path) -> None:
    # by keyboard: every number is a button
    report.get("document.querySelector('#aspects .number.negative').focus()")
    name = str(report.get("document.activeElement.closest('tr').querySelector('bdi').textContent"))
    report.press(ENTER)
    blamed = [row for row in rows(folder) if (row["category"], row["polarity"]) == (name, "negative")]
    assert text_of(report, "said").startswith(f"{len(blamed)} opinions in ")
    assert text_of(report, "opened") == f"{name} · negative"
    while not report.get("document.getElementById('more-found').hidden"):
        report.get("document.getElementById('more-found').click()")
    shown = report.get("document.querySelectorAll('#found .opinion.negative').length")
    assert shown == len(blamed)


def test_cell_of_the_matrix_opens_its_quotes(report: Tab, folder: Path) -> None:
    label = str(report.get("document.querySelector('#matrix-table .number').getAttribute('aria-label')"))
    report.get("document.querySelector('#matrix-table .number').click()")
    aspect, group = label.split(":")[0].split(", ")
    found = [row for row in rows(folder) if (row["category"], row["group"]) == (aspect, group)]
    assert text_of(report, "said").startswith(f"{len(found)} opinions in ")


def test_first_quotes_cover_groups(report: Tab) -> None:
    report.get("openNumber('polarity=0')")
    origins = report.get(
        "[...document.querySelectorAll('#found .origin bdi:first-child')].map((e) => e.textContent)"
    )
    assert isinstance(origins, list)
    assert set(origins[:4]) == {"Aurora", "Belmora"}


@pytest.mark.parametrize(
    ("words", "sentences"),
    # a sentence without any opinion is found as well, however its apostrophe is written
    [("café owner's", 100), ("CAFÉ", 200), ("closed café", 100), ("1+1", 100), ("absent", 0)],
)
def test_search_finds_all_sentences(report: Tab, words: str, sentences: int) -> None:
    report.get("document.getElementById('search').focus()")
    report.type(words)
    report.wait_for("document.getElementById('said').textContent !== ''")
    noun = "sentence" if sentences == 1 else "sentences"
    assert f" in {sentences} {noun} of {sentences} reviews" in text_of(report, "said")


def test_page_keeps_what_is_chosen_in_its_address(report: Tab, folder: Path) -> None:
    choose(report, "group", "Belmora")
    chosen = str(report.get("location.hash"))
    report.open(f"{(folder / 'report.html').as_uri()}?again{chosen}")
    report.wait_for("document.body.classList.contains('live')")
    kept = [row for row in rows(folder) if row["group"] == "Belmora"]
    assert text_of(report, "shown").startswith(f"{len(kept)} of ")


def saved(tab: Tab, folder: Path, button: str, name: str) -> Path:
    """Press a button and wait for its file."""
    tab.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
    tab.get(f"{button}.click()")
    end = time.monotonic() + 30
    while not (folder / name).exists():
        assert time.monotonic() < end, f"{name}: was not saved"
        time.sleep(0.05)
    time.sleep(0.1)
    return folder / name


def test_workbook_and_csv_hold_what_is_shown(report: Tab, folder: Path, tmp_path: Path) -> None:
    choose(report, "group", "Belmora")
    kept = [row for row in rows(folder) if row["group"] == "Belmora"]
    table = saved(report, tmp_path, "document.getElementById('save-csv')", "opinions.csv")
    with table.open(encoding="utf-8-sig", newline="") as stream:
        found = list(csv.DictReader(stream))
    shared = ("review", "group", "date", "rating", "category", "aspect", "opinion", "polarity", "text")
    assert [[row[c] for c in shared] for row in found] == [[row[c] for c in shared] for row in kept]
    book = load_workbook(saved(report, tmp_path, "document.getElementById('save-xlsx')", "opinions.xlsx"))
    aspects = list(book["Aspects"].iter_rows(min_row=2, values_only=True))
    assert {str(row[0]): list(row[2:5]) for row in aspects} == expected_counts(kept, "category")
    assert book["Opinions"].max_row == len(kept) + 1
    # what a spreadsheet could take for a formula is a text in a workbook, as it stands in the review
    assert any(str(row[-1]).startswith("=1+1") for row in book["Opinions"].iter_rows(values_only=True))


def test_pictures_are_saved(report: Tab, tmp_path: Path) -> None:
    first = "document.querySelectorAll('.saves .save')"
    assert "<svg" in saved(report, tmp_path, f"{first}[0]", "All-aspects.svg").read_text(encoding="utf-8")
    picture = saved(report, tmp_path, f"{first}[1]", "All-aspects.png").read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert len(picture) > 3_000


def test_report_asks_nobody(tab: Tab, folder: Path) -> None:
    tab.events.clear()
    tab.open(f"{(folder / 'report.html').as_uri()}?alone")
    tab.wait_for("document.body.classList.contains('live')")
    assert [each for each in tab.requests() if not each.startswith(("file:", "data:", "blob:"))] == []
    tab.press(TAB)
    assert tab.get("document.activeElement.className") == "skip"


def test_report_sorts_aspects(report: Tab) -> None:
    choose(report, "sort", "blame")
    counts = list(shown_counts(report, "#aspects").values())
    shares = [negative / (positive + neutral + negative) for positive, neutral, negative in counts]
    assert shares[0] == max(shares)


def test_report_compares_groups(tab: Tab, tmp_path: Path) -> None:
    write_opinion_report(AGGREGATE, tmp_path / "report.html")
    tab.open((tmp_path / "report.html").as_uri())
    compared = str(tab.get("document.getElementById('compared').innerHTML"))
    # Newcombe, Interval estimation for the difference between independent proportions, 1998, Table II,
    # example (a), method 10: 56 of 70 less 48 of 80 is 0.2, from 0.0524 to 0.3339
    assert "+20 points<small>(+5 to +33) ▲ more positive</small>" in compared
    assert "too few to tell" in compared


def test_hostile_report_runs_no_foreign_script(tab: Tab, tmp_path: Path) -> None:
    aggregate = hostile_aggregate()
    name = aggregate.categories[0].name
    found = FoundOpinion(0, name, "negative", 0.5, (0, 3), (2, len(HOSTILE)), HOSTILE, HOSTILE)
    review = JoinedReview(HOSTILE, HOSTILE, HOSTILE, HOSTILE, [HOSTILE], [found])
    path = tmp_path / "report.html"
    aggregate = replace(aggregate, totals=replace(aggregate.totals, opinions=1))
    write_opinion_report(aggregate, path, [review])
    tab.events.clear()
    tab.open(f"{path.as_uri()}#search=alert")
    tab.wait_for("document.body.classList.contains('live')")
    assert "alert(1)" in text_of(tab, "found")
    assert tab.get("document.querySelectorAll('script').length") == 3
    assert tab.get("document.querySelectorAll('img, iframe, object').length") == 0
    assert tab.problems() == []
