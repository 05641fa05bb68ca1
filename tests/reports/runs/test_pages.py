"""Pages that hold tables and pictures of runs: filled where they are marked, left alone elsewhere."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.errors import ConfigError, DataError
from aspectlab.reports.runs.changes import list_paired
from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.report import PageMaterial, fill, fill_pages, gather
from aspectlab.reports.runs.summary import RunReport, summarise
from aspectlab.reports.runs.tables import list_overviews
from scripts.fill_results import COMMAND, gather_results, list_commands
from tests.support.runs import make_results

ROOT = Path(__file__).parents[3]
PAGE = "# Ours\n\n<!-- table {} -->\nstale\n<!-- end -->\n\nWords.\n"


def make_runs() -> list[RunResult]:
    rest = make_results("bert", [[80.0, 82.0]])
    return rest + [replace(run, corpus="cars") for run in make_results("bert", [[70.0]])]


@pytest.fixture
def material() -> PageMaterial:
    runs = make_runs()
    return gather(RunReport("Ours", runs, summarise(runs)), "aspectlab report rows")


def test_overview_has_a_column_per_corpus() -> None:
    table = next(iter(list_overviews(summarise(make_runs()), COMMAND)))
    corpora = sorted({run.corpus for run in make_runs()})
    assert table.columns == ("system", *corpora)
    # by hand: the mean of 80 and 82, and the root of (1 + 1) / 1
    assert {entry.text for entry in table.rows[0]} == {"bert/tiny", "81.00 ± 1.41 (2)", "70.00 (1)"}


def test_page_is_filled_between_its_marks_only(material: PageMaterial) -> None:
    name = next(iter(material.tables))
    filled = fill(PAGE.format(name), material, "ours.md")
    assert filled.startswith(f"# Ours\n\n<!-- table {name} -->\n\n| system |")
    assert filled.endswith("`aspectlab report rows`\n\n<!-- end -->\n\nWords.\n")
    assert "stale" not in filled


def test_tables_of_corpora_that_differ_by_odd_letters_only_have_names_of_their_own() -> None:
    runs = [
        run
        for corpus, value in (("my corpus", 80.0), ("my_corpus", 70.0))
        for run in make_results("bert", [[value]], corpus=corpus)
    ]
    tables = gather(RunReport("Ours", runs, summarise(runs)), COMMAND).tables
    names = ["atsc-my_corpus-test-scores", "atsc-my_corpus-test-scores-2"]
    assert [tables[name].rows[0][2].text for name in names] == ["80.00", "70.00"]


def test_page_is_the_same_when_filled_again(material: PageMaterial) -> None:
    once = fill(PAGE.format(next(iter(material.tables))), material, "ours.md")
    assert fill(once, material, "ours.md") == once


def test_page_says_once_how_its_tables_are_read(material: PageMaterial) -> None:
    name = next(iter(material.tables))
    filled = fill(PAGE.format(name) + PAGE.format(name), material, "ours.md")
    notes = material.tables[name].notes
    assert [filled.count(note[:20]) for note in notes] == [1] * len(notes)
    assert filled.count("To be read like the first table of its kind") == 1


def test_page_may_ask_for_some_columns(material: PageMaterial) -> None:
    filled = fill(PAGE.format(f"{next(iter(material.tables))} cars"), material, "ours.md")
    assert "| system | cars |" in filled
    assert "81.00" not in filled


def test_page_may_leave_out_rows_with_little_in_them() -> None:
    runs = [*make_runs(), *make_results("stage", [[90.0]])]
    material = gather(RunReport("Ours", runs, summarise(runs)), "aspectlab report rows")
    mark = f"{next(iter(material.tables))} cars tea"
    assert "| stage/tiny |" in fill(PAGE.format(mark), material, "ours.md")
    filled = fill(PAGE.format(f"{mark} least=2"), material, "ours.md")
    assert "| bert/tiny |" in filled
    assert "stage" not in filled


def test_page_that_names_no_column_keeps_rows_by_all_columns() -> None:
    runs = [*make_runs(), *make_results("stage", [[90.0]])]
    material = gather(RunReport("Ours", runs, summarise(runs)), "aspectlab report rows")
    filled = fill(PAGE.format(f"{next(iter(material.tables))} least=2"), material, "ours.md")
    assert "| system | cars | tea |" in filled
    assert "| bert/tiny |" in filled
    assert "stage" not in filled


@pytest.mark.parametrize("below", ["", PAGE])
def test_page_with_a_mark_that_has_no_end_is_refused(material: PageMaterial, below: str) -> None:
    # what is written by hand behind it would be lost up to the next end
    name = next(iter(material.tables))
    page = PAGE.format(name) + f"<!-- table {name} -->\n\nWritten by hand.\n\n" + below.format(name)
    with pytest.raises(ConfigError, match=rf"ours.md: line 8: <!-- table {name} -->: found no <!-- end -->"):
        fill(page, material, "ours.md")


def test_paired_keeps_the_test_sets_of_one_metric_apart() -> None:
    runs = [
        replace(
            run, model="bert", variant=variant, scores={"test": {"f1": score}, "arts": {"f1": score - 30}}
        )
        for label, variant, score in (("bert", "base", 50.0), ("bert+more", "more", 52.0))
        for run in make_results(label, [[0.0, 0.0]])
    ]
    tables = {table.name: table for table in list_paired(runs, COMMAND)}
    assert {name: table.rows[0][3].text for name, table in tables.items()} == {
        "atsc-f1-paired": "50.00",
        "atsc-arts-f1-paired": "20.00",
    }


def test_paired_leaves_out_models_without_a_variant() -> None:
    runs = [
        replace(run, model=label.split("+")[0], variant=variant)
        for label, variant in (("bert", "base"), ("bert+more", "more"), ("grace", "base"))
        for run in make_results(label, [[50.0]])
    ]
    (table,) = list_paired(runs, COMMAND)
    assert [row[0].text for row in table.rows] == ["bert/tiny"]
    assert not list(list_paired(runs[-1:], COMMAND))


def test_paired_keeps_runs_with_other_settings_apart() -> None:
    (run,) = make_results("bert", [[0.0]])
    rows = [("base", "1", 50.0), ("base", "2", 70.0), ("more", "1", 51.0), ("more", "2", 72.0)]
    rows.append(("more", "3", 60.0))  # there is no base of these settings
    runs = [
        replace(run, label=label, variant=variant, settings={"lr": lr}, scores={"test": {"f1": value}})
        for variant, lr, value in rows
        for label in ["bert" if variant == "base" else f"bert+{variant}"]
    ]
    (table,) = list_paired(runs, COMMAND)
    assert table.columns[3:] == ("base", "more", "more [lr=3]")
    assert [[row[0].text, row[3].text, row[4].text] for row in table.rows] == [
        ["bert/tiny [lr=1]", "50.00", "+1.00, +2.0 %"],
        ["bert/tiny [lr=2]", "70.00", "+2.00, +2.9 %"],
    ]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_page_keeps_its_ends_of_lines(material: PageMaterial, tmp_path: Path, end: str) -> None:
    path = tmp_path / "ours.md"
    path.write_text(PAGE.format(next(iter(material.tables))), encoding="utf-8", newline=end)
    fill_pages(tmp_path, material)
    assert set(re.findall(rb"\r?\n", path.read_bytes())) == {end.encode()}


def test_page_that_is_no_utf8_is_refused(material: PageMaterial, tmp_path: Path) -> None:
    (tmp_path / "ours.md").write_bytes(b"# Caf\xe9\n")
    with pytest.raises(DataError, match=r"ours\.md: .*expected Markdown in UTF-8"):
        fill_pages(tmp_path, material)


def test_page_names_a_column_with_blanks_by_underscores() -> None:
    runs = make_results("bert", [[80.0, 82.0]], metric="weighted_f1")
    material = gather(RunReport("Ours", runs, summarise(runs)), "aspectlab report rows")
    table = next(table for table in material.tables.values() if any(" " in name for name in table.columns))
    column = next(name for name in table.columns if " " in name)
    filled = fill(PAGE.format(f"{table.name} {column.replace(' ', '_')}"), material, "ours.md")
    assert f" | {column} |\n" in filled


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("nothing", "ours.md: the table 'nothing' is unknown"),
        ("{name} bikes", "the column of {name} 'bikes' is unknown"),
    ],
)
def test_page_that_asks_for_what_is_not_there_is_refused(
    material: PageMaterial, asked: str, message: str
) -> None:
    name = next(iter(material.tables))
    with pytest.raises(ConfigError, match=message.format(name=name)):
        fill(PAGE.format(asked.format(name=name)), material, "ours.md")


def test_pages_are_not_touched_if_one_is_wrong(material: PageMaterial, tmp_path: Path) -> None:
    good = tmp_path / "a.md"
    good.write_text(PAGE.format(next(iter(material.tables))))
    (tmp_path / "b.md").write_text("![a picture](plots/of-nothing.svg)\n")
    with pytest.raises(ConfigError, match="of-nothing"):
        fill_pages(tmp_path, material)
    assert "stale" in good.read_text()


def test_command_makes_the_rows_of_a_file_again() -> None:
    runs = [RunResult("gcae", "gcae", "glove50", {}, "", "rest14", 1, 1, {}, origin="atsc")]
    command = "aspectlab run studies/results/atsc.toml --data FOLDER --out runs/atsc"
    assert list_commands(runs) == {"atsc": [command]}


def test_published_pages_are_what_the_rows_give(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(ROOT)
    material = gather_results()
    pages = sorted(Path("docs/results").glob("*.md"))
    for page in pages:
        (tmp_path / page.name).write_bytes(page.read_bytes())
    written = fill_pages(tmp_path, material)
    assert len(written) > len(pages) > 1
    for path in written:
        assert path.read_bytes() == (Path("docs/results") / path.relative_to(tmp_path)).read_bytes(), path


@pytest.mark.parametrize(
    "line",
    [
        "<!-- table {}-->",
        "  <!-- table {} -->",
        "<!--table {} -->",
        "<!-- Tables {} -->",
        "<!-- chart {} -->",
    ],
)
def test_page_with_what_is_nearly_a_mark_is_refused(material: PageMaterial, line: str) -> None:
    # its table would stay as it is, and the command would say that all is up to date
    page = PAGE.replace("<!-- table {} -->", line).format(next(iter(material.tables)))
    with pytest.raises(ConfigError, match=r"ours.md: line [35]: found .*: expected <!-- table NAME -->"):
        fill(page, material, "ours.md")


def test_page_may_write_of_marks(material: PageMaterial) -> None:
    page = "A table is marked by `<!-- table NAME -->`.\n"
    assert fill(page, material, "ours.md") == page


def test_paired_says_on_how_many_pairs_a_difference_rests() -> None:
    runs = [
        replace(run, model="bert", variant=variant)
        for label, variant, values in (("bert", "base", [50.0, 52.0]), ("bert+more", "more", [51.0]))
        for run in make_results(label, [values])
    ]
    (table,) = list_paired(runs, COMMAND)
    assert [entry.text for entry in table.rows[0][2:]] == ["2", "51.00", "+1.00, +2.0 % (1)"]


def test_page_keeps_the_commands_of_a_script_that_the_package_does_not_know(material: PageMaterial) -> None:
    page = "<!-- commands atsc -->\n\nas they are\n\n<!-- end -->\n"
    assert fill(page, material, "ours.md") == page
    assert "python x.py" in fill(page, replace(material, commands={"atsc": ["python x.py"]}), "ours.md")
