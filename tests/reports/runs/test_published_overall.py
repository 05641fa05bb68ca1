"""Reports on runs that have the published split means and deviations give the published overall column."""

from pathlib import Path

import pytest

from aspectlab.reports.runs.load import read_results
from aspectlab.reports.runs.summary import Cell, summarise
from aspectlab.reports.runs.tables import build_papers
from tests.support.runs import read_published, write_published_runs

PUBLISHED = read_published()
# the one row whose printed deviation contradicts its own splits, and the two whose printed mean does
WRONG_STD = ("e2e", "rest14", "arts", "bert-tfm", "ars_sentence")
WRONG_MEANS = [
    ("atsc", "lap14", "arts", "capsnet-bert", "accuracy"),
    ("e2e", "rest14", "arts", "grace", "ate_f1"),
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    found = tmp_path_factory.mktemp("published")
    write_published_runs(found)
    return found


@pytest.fixture(scope="module")
def cells(folder: Path) -> dict[tuple[str, ...], Cell]:
    return {
        (*section.target, cell.system.model, metric): cell
        for section in summarise(read_results([folder]))
        for metric, column in section.columns.items()
        for cell in column
    }


def test_report_has_the_88_readable_rows(cells: dict[tuple[str, ...], Cell]) -> None:
    assert cells.keys() == PUBLISHED.keys()
    assert len(cells) == 88
    assert {cell.spread.n for cell in cells.values()} == {25}


@pytest.mark.parametrize("place", sorted(PUBLISHED.keys() - {WRONG_STD}))
def test_report_gives_the_published_std(cells: dict[tuple[str, ...], Cell], place: tuple[str, ...]) -> None:
    assert cells[place].spread.std == pytest.approx(float(PUBLISHED[place]["std"]), abs=0.015)


@pytest.mark.parametrize("place", sorted(PUBLISHED.keys() - set(WRONG_MEANS)))
def test_report_gives_the_published_mean(cells: dict[tuple[str, ...], Cell], place: tuple[str, ...]) -> None:
    # six rounded numbers: 0.005 each for the mean of five and for the printed mean
    assert cells[place].spread.mean == pytest.approx(float(PUBLISHED[place]["mean"]), abs=0.0101)


@pytest.mark.parametrize("place", sorted(PUBLISHED))
def test_report_compares_with_the_published_row(
    cells: dict[tuple[str, ...], Cell], place: tuple[str, ...]
) -> None:
    reproduced = [gap for gap in cells[place].gaps if gap.fact.kind == "reproduced"]
    assert [gap.fact.printed for gap in reproduced] == [float(PUBLISHED[place]["mean"])]
    # the runs are the paper's own, and the gap is to what the splits say where the overall is a misprint
    assert reproduced[0].difference == pytest.approx(0, abs=0.0101)


def test_report_flags_the_known_misprints_and_no_other(cells: dict[tuple[str, ...], Cell]) -> None:
    flagged = {place for place, cell in cells.items() if any(gap.fact.is_misprint for gap in cell.gaps)}
    assert flagged == {WRONG_STD, *WRONG_MEANS}


def test_table_of_papers_explains_a_misprint(folder: Path) -> None:
    section = next(
        section
        for section in summarise(read_results([folder]))
        if section.target == ("atsc", "lap14", "arts")
    )
    rows = [[entry.text for entry in row] for row in build_papers(section, "").rows]
    row = next(row for row in rows if row[:2] == ["capsnet-bert/bert", "accuracy"])
    assert row[5] == "79.77 ± 3.60!"
    assert row[-1] == "misprint: 79.77 is printed, but the five splits average 70.76"
