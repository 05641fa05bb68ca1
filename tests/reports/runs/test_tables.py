"""The tables of a report in every format: marks, escaping, signature and command at the end."""

import csv
import io
import re
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt

from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.render_csv import list_records, render_csv
from aspectlab.reports.runs.render_latex import escape_latex, render_latex
from aspectlab.reports.runs.render_markdown import render_markdown
from aspectlab.reports.runs.report import render_report
from aspectlab.reports.runs.summary import RunReport, summarise
from aspectlab.reports.runs.tables import build_scores, build_spreads, build_tables
from tests.support.html import parse
from tests.support.runs import make_results

COMMAND = "aspectlab report runs"
# split means 2 and 6; squares about the mean 4: 9 1 1 9; inside: 1 + 1 + 1 + 1 on 2 degrees of freedom
HAND = [[1.0, 3.0], [5.0, 7.0]]


def make_two() -> list[RunResult]:
    # by nearly the same on both splits: what does not vary at all is not tested by its size
    better = [[value + 49.999 + 0.002 * k for value in row] for k, row in enumerate(HAND)]
    return make_results("better", better) + make_results("worse", HAND)


def make_report(runs: list[RunResult]) -> RunReport:
    return RunReport("Report", runs, summarise(runs))


def test_spreads_hold_hand_counted_parts() -> None:
    table = build_spreads(summarise(make_results("bert", HAND))[0], COMMAND)
    assert [entry.text for entry in table.rows[0]] == [
        *("bert/tiny", "accuracy", "4.00", "2.58", "1.41", "2.83", "1.00", "7.00", "2", "4")
    ]


def test_spreads_of_a_single_run_leave_open_what_it_cannot_show() -> None:
    table = build_spreads(summarise(make_results("bert", [[80.0]]))[0], COMMAND)
    assert [entry.text for entry in table.rows[0][2:6]] == ["80.00", "–", "–", "–"]


def test_scores_of_a_missing_metric_are_left_open() -> None:
    runs = make_results("a", [[1.0]]) + make_results("b", [[2.0]], metric="macro_f1")
    table = build_scores(summarise(runs)[0], COMMAND)
    assert [[entry.text for entry in row] for row in table.rows] == [
        ["a/tiny", "1", "1.00", "–"],
        ["b/tiny", "1", "–", "2.00"],
    ]


def test_both_units_of_ars_stand_side_by_side() -> None:
    runs = [
        replace(run, scores={"arts": {"ars_sentence": 9.0, "zeal": 1.0, "ars_aspect": 8.0, "accuracy": 7.0}})
        for run in make_results("bert", [[0.0]])
    ]
    table = build_scores(summarise(runs)[0], COMMAND)
    assert table.columns[2:] == ("accuracy", "ARS by aspect", "ARS by sentence", "zeal")


def test_scores_warn_of_runs_that_were_measured_differently() -> None:
    first, second = make_results("bert", [[1.0, 2.0]])
    runs = [replace(first, signatures={"test": "one"}), replace(second, signatures={"test": "two"})]
    notes = build_scores(summarise(runs)[0], COMMAND).notes
    assert "Beware: the runs were measured in 2 different ways." in notes


def test_signature_changes_with_any_value() -> None:
    tables = [build_scores(summarise(make_results("bert", [[80.0, x]]))[0], COMMAND) for x in (81.0, 81.001)]
    assert tables[0].signature.startswith("report-atsc|corpus:tea|test:test|runs:2@")
    assert tables[0].signature != tables[1].signature


@pytest.mark.parametrize(
    ("form", "best"),
    [
        ("md", "**54.00 ± 2.58**"),
        ("latex", r"\textbf{54.00 $\pm$ 2.58}"),
        ("html", "<strong>54.00 ± 2.58</strong>"),
    ],
)
def test_report_marks_the_best_and_ends_tables_with_signature_and_command(form: str, best: str) -> None:
    report = make_report(make_two())
    text = render_report(form, report, COMMAND)
    tables = [table for section in report.sections for table in build_tables(section, COMMAND)]
    assert text.count(best) == 1
    assert len(tables) == 2
    # a paper has the command once, and a table of its own before those with all details
    in_latex = form == "latex"
    assert text.count(COMMAND) == (1 if in_latex else len(tables))
    assert text.count("runs:8@") == len(tables) + in_latex


def test_csv_has_a_row_per_cell_and_ends_with_signature_and_command() -> None:
    rows = list(csv.DictReader(io.StringIO(render_report("csv", make_report(make_two()), COMMAND))))
    assert [(row["system"], row["mean"], row["mark"]) for row in rows] == [
        ("better/tiny", "54.0000", "best"),
        ("worse/tiny", "4.0000", "worse"),
    ]
    assert list(rows[0])[-2:] == ["signature", "command"]


def test_csv_does_not_round_a_small_p_to_nothing() -> None:
    # two runs each, 30 apart and 0.002 wide: Welch's p is far below 0.0001
    runs = make_results("good", [[90.0, 90.002]]) + make_results("bad", [[60.0, 60.002]])
    text = render_csv(make_report(runs), COMMAND)
    (row,) = (row for row in csv.DictReader(io.StringIO(text)) if row["system"] == "bad/tiny")
    assert 0 < float(row["p"]) < 1e-4


def test_records_hold_every_printed_value() -> None:
    runs = [
        replace(run, label="capsnet-bert", model="capsnet-bert", corpus="rest14")
        for run in make_results("x", [[84.0, 85.0]])
    ]
    (record,) = list_records(make_report(runs), COMMAND)
    # "reported" of the reproducibility paper and Table 7 of ARTS; the former's own mean
    assert [fact["value"] for fact in record["published"]] == [83.48, 85.93]  # type: ignore[attr-defined]
    assert [fact["value"] for fact in record["reproduced"]] == [83.89]  # type: ignore[attr-defined]


HOSTILE = "<script>alert(1)</script> | `x` *b* [a](javascript:1) & \\input{x} %"


def test_html_shows_a_hostile_name_as_text() -> None:
    page = render_report("html", make_report(make_results(HOSTILE, HAND)), COMMAND)
    parsed = parse(page)
    assert parsed.tags.count("script") == 1  # the empty one of the frame
    assert HOSTILE.split(" |")[0] in "".join(parsed.texts)


def test_markdown_shows_a_hostile_name_as_text() -> None:
    text = render_markdown(make_report(make_results(HOSTILE, HAND)), COMMAND)
    assert "<script>" not in re.sub(r"\\[<>]", "", text)
    rows = [line for line in text.splitlines() if "alert" in line]
    # unescaped bars part the cells: system, runs, accuracy
    assert [len(re.findall(r"(?<!\\)\|", row)) for row in rows[:1]] == [4]


def test_latex_shows_a_hostile_name_as_text() -> None:
    text = render_latex(make_report(make_results(HOSTILE, HAND)), COMMAND)
    assert r"\input{" not in text
    assert escape_latex(HOSTILE) in text


@pytest.mark.parametrize(
    ("text", "shown"), [("a--b", "a-{}-b"), ("a---b", "a-{}-{}-b"), ("a----b-c", "a-{}-{}-{}-b-c")]
)
def test_latex_draws_no_dash_for_hyphens(text: str, shown: str) -> None:
    assert escape_latex(text) == shown


def test_latex_labels_differ_where_corpora_differ_by_odd_letters_only() -> None:
    runs = [run for corpus in ("my corpus", "my_corpus") for run in make_results("a", HAND, corpus=corpus)]
    text = render_report("latex", make_report(runs), COMMAND)
    assert re.findall(r"\\label{tab:(.*-scores.*)}", text) == [
        "atsc-my_corpus-test-scores",
        "atsc-my_corpus-test-scores-2",
    ]


@pytest.mark.parametrize("name", ["[ours]", "*ours"])
def test_latex_row_does_not_begin_with_what_looks_like_an_option(name: str) -> None:
    text = render_latex(make_report(make_results(name, HAND)), COMMAND)
    assert f"\n{{}}{name}/tiny & " in text
    assert f"\n{name}" not in text


@pytest.mark.parametrize("form", ["md", "latex", "csv", "html"])
def test_report_does_not_depend_on_the_order_of_runs(form: str) -> None:
    runs = make_results("better", HAND) + make_results("worse", HAND)
    texts = [render_report(form, make_report(order), COMMAND) for order in (runs, runs[::-1])]
    assert texts[0] == texts[1]


def make_study() -> list[RunResult]:
    """A model and a variant of its training on two corpora, measured on originals and their variants."""
    levels = {"revtgt_ori": 0.0, "revtgt_new": -20.0}
    return [
        replace(
            run,
            model="bert",
            variant=variant,
            scores={
                "test": run.scores["test"],
                "arts": {name: run.scores["test"]["accuracy"] + change for name, change in levels.items()},
            },
        )
        for corpus in ("tea", "cars")
        for label, variant, values in (("bert", "base", [80.0, 82.0]), ("bert+more", "more", [83.0, 84.0]))
        for run in make_results(label, [values], corpus=corpus)
    ]


@pytest.mark.parametrize("form", ["md", "latex", "html"])
@pytest.mark.parametrize(
    ("heading", "cell"),
    [
        ("ATSC · test: accuracy by corpus", "81.00 ± 1.41 (2)"),
        ("ATSC · test: accuracy against the base, by the same seeds", "+2.50"),
        ("ATSC · cars: accuracy by strategy", "81.0 → 61.0 (−20.00"),
    ],
)
def test_report_compares_corpora_variants_and_originals(form: str, heading: str, cell: str) -> None:
    text = render_report(form, make_report(make_study()), COMMAND)
    for shown in (heading.removeprefix("ATSC · test: "), cell):
        assert (escape_latex(shown) if form == "latex" else shown) in text, shown


def test_csv_holds_the_change_of_a_variant_and_that_on_variants() -> None:
    text = render_report("csv", make_report(make_study()), COMMAND)
    rows = {(row["corpus"], row["system"], row["metric"]): row for row in csv.DictReader(io.StringIO(text))}
    change = rows["tea", "bert+more/tiny", "accuracy"]
    # by hand: 83 - 80 and 84 - 82
    assert (change["base"], change["base_gap"], change["base_pairs"]) == ("bert/tiny", "2.5000", "2")
    assert float(change["base_low"]) < 2.5 < float(change["base_high"])
    assert rows["tea", "bert/tiny", "accuracy"]["base"] == ""
    assert rows["tea", "bert/tiny", "revtgt_new"]["originals_gap"] == "-20.0000"
    assert rows["tea", "bert/tiny", "revtgt_ori"]["originals_gap"] == ""


def test_report_on_one_corpus_repeats_no_table() -> None:
    assert "by corpus" not in render_report("md", make_report(make_two()), COMMAND)


def test_backtick_in_a_name_ended_the_code_of_the_signature() -> None:
    live = "`<img src=x onerror=alert(1)>"
    results = [replace(result, corpus=live) for result in make_results("bert", HAND)]
    page = MarkdownIt("commonmark").render(render_markdown(make_report(results), f"aspectlab report {live}"))
    assert "&lt;img src=x" in page
    assert "<img" not in page


@pytest.mark.parametrize("form", ["md", "latex", "html"])
def test_tables_have_a_column_of_the_dev_scores(form: str) -> None:
    runs = [replace(run, dev={"accuracy": 60.0 + run.seed}) for run in make_two()]
    text = render_report(form, make_report(runs), COMMAND)
    assert "dev accuracy" in text
    # four runs of seeds 1 and 2: 61, 62, 61, 62, whose std (ddof 1) is the root of 1/3
    assert text.count("61.50 $\\pm$ 0.58" if form == "latex" else "61.50 ± 0.58") == 2


def test_numbers_for_programs_have_the_dev_score() -> None:
    runs = [replace(run, dev={"f1": 60.0 + run.seed}) for run in make_two()]
    (row, _) = csv.DictReader(io.StringIO(render_csv(make_report(runs), COMMAND)))
    assert (float(row["dev"]), row["dev_metric"]) == (61.5, "f1")
    assert list_records(make_report(runs), COMMAND)[0]["dev"] == 61.5


def test_tables_without_dev_scores_have_no_empty_column() -> None:
    assert "| dev" not in render_report("md", make_report(make_two()), COMMAND)
