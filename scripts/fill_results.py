"""Fill the tables, pictures and commands of docs/results from the rows of studies/results.

    python scripts/fill_results.py

Run it in the root of a checkout. `<!-- commands STUDY -->` in a page is filled with the command that makes
the rows of STUDY.csv again; all else is what `aspectlab report studies/results --pages docs/results` fills.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from aspectlab.reports.runs import RunReport, RunResult, fill_pages, gather, read_results, summarise
from aspectlab.reports.runs.report import PageMaterial

ROWS, PAGES = Path("studies/results"), Path("docs/results")
COMMAND = f"aspectlab report {ROWS} --pages {PAGES}"


def list_commands(results: Sequence[RunResult]) -> dict[str, list[str]]:
    """Return the commands that make the rows of every CSV file again, by the study of that name."""
    studies = sorted({result.origin for result in results if result.origin})
    return {name: [f"aspectlab run {ROWS}/{name}.toml --data FOLDER --out runs/{name}"] for name in studies}


def gather_results() -> PageMaterial:
    """Return all that the pages of results may ask for."""
    results = read_results([ROWS])
    report = RunReport("Results", results, summarise(results))
    return replace(gather(report, COMMAND), commands=list_commands(results))


if __name__ == "__main__":
    print(f"brought {len(fill_pages(PAGES, gather_results()))} files in {PAGES} up to date")
