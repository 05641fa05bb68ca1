"""The report on opinions in a real browser: search, filter, sorting and comparison."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from aspectlab.analysis.aggregate import Aggregate
from aspectlab.analysis.report import write_opinion_report
from tests.support.opinions import AGGREGATE, hostile_aggregate

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")]


def browse(folder: Path, aggregate: Aggregate, choices: str = "") -> tuple[str, str]:
    """Return the page as it is once its script has run, and what the browser complained about."""
    path = folder / "report.html"
    write_opinion_report(aggregate, path)
    command = [
        str(BROWSER),
        *(
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-background-networking",
        ),
        *(f"--user-data-dir={folder / 'profile'}", "--enable-logging=stderr", "--v=0", "--dump-dom"),
        f"{path.as_uri()}{choices}",
    ]
    answer = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return answer.stdout, "\n".join(re.findall(r".*CONSOLE.*", answer.stderr))


def test_report_runs_without_complaint(tmp_path: Path) -> None:
    page, complaints = browse(tmp_path, AGGREGATE)
    assert complaints == ""
    assert '<output id="shown" aria-live="polite">2 of 2 sentences</output>' in page


@pytest.mark.parametrize(
    ("choices", "shown"),
    [
        ("#search=COLD", "2 of 2"),
        ("#search=waiter+made", "0 of 2"),
        ("#aspect=1", "1 of 2"),
        ("#polarity=negative", "1 of 2"),
        ("#group=0&polarity=positive", "0 of 2"),
        ("#aspect=99&polarity=odd", "2 of 2"),
    ],
)
def test_report_filters_sentences(tmp_path: Path, choices: str, shown: str) -> None:
    page, _ = browse(tmp_path, AGGREGATE, choices)
    assert f"{shown} sentences</output>" in page


def test_report_sorts_aspects(tmp_path: Path) -> None:
    page, _ = browse(tmp_path, AGGREGATE, "#sort=blame")
    table = page[page.index('id="aspects"') :]
    assert table.index("<bdi>food<") < table.index("<bdi>service<")


def test_report_compares_groups(tmp_path: Path) -> None:
    page, _ = browse(tmp_path, AGGREGATE)
    compared = page[page.index('id="compared"') :]
    # Newcombe, Interval estimation for the difference between independent proportions, 1998, Table II,
    # example (a), method 10: 56 of 70 less 48 of 80 is 0.2, from 0.0524 to 0.3339
    assert "+20 points<small>(+5 to +33) ▲ more positive</small>" in compared
    assert "too few to tell" in compared


def test_hostile_report_runs_no_foreign_script(tmp_path: Path) -> None:
    page, complaints = browse(tmp_path, hostile_aggregate(), "#search=alert")
    assert complaints == ""
    assert page.count("<script") == 2
    assert "<img" not in page
