"""Tables for a paper: systems by corpora, as LaTeX that compiles."""

import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from aspectlab.reports.runs import RunReport, summarise
from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.render_latex import render_latex

SPREADS = [-1.0, 0.0, 1.0]  # the sample standard deviation is 1


def make_runs(task: str = "aste", metrics: tuple[str, ...] = ("f1",), corpora: int = 2) -> list[RunResult]:
    """Two systems on some corpora, three seeds each; means in percent are 60, 61, … and 70, 71, …"""
    return [
        RunResult(
            *(label, label, "mini_lm", {}, task, f"corpus_{number}", 1, seed),
            {"test": {metric: start + number + place + spread for place, metric in enumerate(metrics)}},
        )
        for label, start in (("gts", 60.0), ("span & more", 70.0))
        for number in range(corpora)
        for seed, spread in enumerate(SPREADS, start=1)
    ]


def render(runs: list[RunResult]) -> str:
    return render_latex(
        RunReport("Report on runs", runs, summarise(runs)), "aspectlab report runs --format latex"
    )


def first_table(text: str) -> str:
    return text[text.index(r"\begin{table") : text.index(r"\end{table")]


def test_first_table_has_systems_by_corpora_with_caption_and_label() -> None:
    table = first_table(render(make_runs()))
    assert r"\label{tab:aste-test-f1}" in table
    assert r"System & corpus\_0 & corpus\_1 \\" in table
    assert r"gts & 60.00{\scriptsize\,$\pm$\,1.00} & 61.00{\scriptsize\,$\pm$\,1.00} \\" in table
    assert r"span \& more & \textbf{70.00}{\scriptsize\,$\pm$\,1.00}" in table
    caption = re.search(r"\\caption\{(.*)\}", table)
    assert caption is not None
    assert "of 3 runs. Encoder: mini\\_lm. Bold: best." in caption[1]
    assert not any(line.lstrip().startswith(r"\par") for line in table.splitlines())


def test_accuracy_stands_beside_macro_f1_under_each_corpus() -> None:
    table = first_table(render(make_runs("atsc", ("accuracy", "macro_f1"))))
    assert r"\multicolumn{2}{c}{corpus\_0} & \multicolumn{2}{c}{corpus\_1}" in table
    assert r"\cmidrule(lr){2-3} \cmidrule(lr){4-5}" in table
    assert r"System & accuracy & macro F1 & accuracy & macro F1 \\" in table


def test_wide_table_spans_both_columns_of_a_paper() -> None:
    assert r"\begin{table}" in first_table(render(make_runs(corpora=2)))
    assert r"\begin{table*}" in first_table(render(make_runs(corpora=6)))


def test_more_corpora_than_a_page_has_room_for_are_parted() -> None:
    text = render(make_runs(corpora=14)).split(r"\endinput")[0]
    assert re.findall(r"\\label\{(.*)\}", text) == ["tab:aste-test-f1", "tab:aste-test-f1-2"]
    assert text.count("corpus\\_") == 14


def test_encoders_that_differ_stand_in_the_rows() -> None:
    runs = [replace(run, encoder=run.label[:3]) for run in make_runs()]
    table = first_table(render(runs))
    assert "gts/gts" in table
    assert "Encoder:" not in table


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="needs pdflatex (Debian: texlive-latex-extra)")
@pytest.mark.parametrize("whole", [False, True], ids=["for a paper", "with all details"])
def test_report_compiles(whole: bool, tmp_path: Path) -> None:
    runs = make_runs("atsc", ("accuracy", "macro_f1"), corpora=4) + make_runs("aste", corpora=6)
    text = render(runs)
    (tmp_path / "report.tex").write_text(text.replace(r"\endinput", "") if whole else text, encoding="utf-8")
    paper = (
        r"\documentclass[twocolumn]{article}\usepackage{booktabs}\usepackage[textwidth=455pt]{geometry}"
        r"\begin{document}\input{report}\end{document}"
    )
    (tmp_path / "paper.tex").write_text(paper, encoding="utf-8")
    words = ["pdflatex", "-halt-on-error", "-interaction=nonstopmode", "paper.tex"]
    answer = subprocess.run(words, cwd=tmp_path, capture_output=True, check=False)
    assert answer.returncode == 0, answer.stdout.decode(errors="replace")[-2000:]
    log = (tmp_path / "paper.log").read_text(errors="replace")
    assert "undefined" not in log.lower()
    # what a paper takes in fits its columns; tables of all details are for copying
    assert whole or "Overfull" not in log
