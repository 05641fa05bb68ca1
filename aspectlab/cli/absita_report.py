"""What `aspectlab absita` prints: findings, scores and rankings, as tables, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np

from aspectlab import reports
from aspectlab.campaigns import absita
from aspectlab.cli.console import notice, print_table
from aspectlab.version import VERSION

PAGES = (".md", ".html", ".htm")
"""What a ranking can be written as."""

_NOTICES = 5
_COLUMNS = ("place", "run", "P", "R", "F1", "95% from", "to", "p against the first")
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;width:100%}th,td{padding:.4rem .6rem;border-bottom:1px solid #ccc;"
    "text-align:right}th:nth-child(2),td:nth-child(2){text-align:left;overflow-wrap:anywhere}"
    "p{color:#555;overflow-wrap:anywhere}"
)


def describe_mode(with_other: bool, official: bool = False, missing: int = 0) -> str:
    """Return which of the two scoring modes was used, and what was allowed."""
    mode = "with other, as in the published results" if with_other else "without other, as in the guidelines"
    taken = "; last row of an id, blank as 0" if official else ""
    return mode + taken + (f"; {missing:,} missing sentences count as empty" if missing else "")


def sign(sha256: str, score: absita.RunScore, *, resamples: int, seed: int) -> str:
    """Return the signature of the numbers."""
    aspects = 8 if score.with_other else 7
    allowed = ["official"] * score.official + [f"missing:{score.missing}"] * bool(score.missing)
    bootstrap = [f"bs:{resamples}", f"seed:{seed}"] if resamples else []
    parts = ["absita-f1", f"gold:{sha256[:8]}", f"aspects:{aspects}", *allowed, *bootstrap, f"v:{VERSION}"]
    return "|".join(parts)


def to_record(score: absita.RunScore, *, resamples: int, seed: int) -> dict[str, object]:
    """Return the numbers under the JSON contract's keys, as fractions; null for a task not scored."""
    tasks = {
        name: {
            **tally.micro,
            "macro": tally.macro,
            "by_aspect": tally.by_category,
            "interval": _interval(tally, resamples, seed),
            **_sizes(tally),
        }
        for name, tally in score.tallies.items()
    }
    return {"acd": None, "acp": None, **tasks, "with_other": score.with_other, "run": score.run}


def print_score(score: absita.RunScore, mode: str, *, resamples: int, seed: int) -> None:
    """Print the twelve numbers of the organisers' script, the intervals, and the aspects one by one."""
    rows = []
    for name, tally in score.tallies.items():
        interval = _interval(tally, resamples, seed).get("f1", [None, None])
        bounds = [None if bound is None else f"{bound:.4f}" for bound in interval]
        rows.append([name, "micro", *_four(tally.micro), *bounds])
        rows.append([name, "macro", *_four(tally.macro), None, None])
    columns = ["task", "mean", "P", "R", "F1", "95% from", "to"]
    print_table(f"{score.run}: {len(score.acd.counts):,} sentences", columns, rows)
    print(f"mode: {mode}")
    if score.acp is None:
        print("acp: not scored: the run gives no polarity")
    parts = [
        [category, name, *_four(values)]
        for name, tally in score.tallies.items()
        for category, values in tally.by_category.items()
    ]
    print_table("", ["aspect", "task", "P", "R", "F1"], parts)


def print_ranking(title: str, standings: Sequence[absita.RankedRun]) -> None:
    """Print a ranking."""
    print_table(title, _COLUMNS, _cells(standings))


def write_ranking(path: Path, title: str, standings: Sequence[absita.RankedRun], signature: str) -> None:
    """Write a ranking as a page (.html) or in Markdown, with the signature of its numbers."""
    rows = [[("–" if cell is None else str(cell)) for cell in row] for row in _cells(standings)]
    if path.suffix.lower() == ".md":
        # a bar would begin a new cell
        lines = [_COLUMNS, ["---"] * len(_COLUMNS), *([c.replace("|", "\\|") for c in row] for row in rows)]
        table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        reports.write_page(path, f"# {title}\n\n{table}\n`{signature}`\n")
        return
    head = "".join(f"<th>{reports.escape_html(column)}</th>" for column in _COLUMNS)
    body = "".join(
        f"<tr>{''.join(f'<td>{reports.escape_html(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f"<h1>{reports.escape_html(title)}</h1><table><tr>{head}</tr>{body}</table>"
    page = f"{table}<p>{reports.escape_html(signature)}</p>"
    reports.write_page(path, reports.render_page(title, page, style=_STYLE, script=""))


def report_findings(path: str, findings: Sequence[absita.RunFinding]) -> None:
    """Report the format violations of a run that was scored all the same."""
    for finding in findings[:_NOTICES]:
        notice(f"{path}: {finding}")
    if len(findings) > _NOTICES:
        notice(f"{path}: {len(findings) - _NOTICES} more; `aspectlab absita validate` lists them")


def to_dict(finding: absita.RunFinding) -> dict[str, object]:
    """Return a finding for JSON."""
    severity = "warning" if finding.severity is absita.Severity.WARNING else "error"
    return {**asdict(finding), "severity": severity, "message": str(finding)}


def _cells(standings: Sequence[absita.RankedRun]) -> list[list[object]]:
    return [
        [
            *(str(s.place), s.run, f"{s.precision:.4f}", f"{s.recall:.4f}", f"{s.f1:.4f}"),
            *(f"{bound:.4f}" for bound in s.interval),
            None if s.p is None else f"{s.p:.2g}",
        ]
        for s in standings
    ]


def _interval(tally: absita.RunCounts, resamples: int, seed: int) -> dict[str, list[float]]:
    if not resamples:
        return {}
    found = tally.interval(rng=np.random.default_rng(seed), resamples=resamples)
    return {name: list(bounds) for name, bounds in found.items()}


def _sizes(tally: absita.RunCounts) -> dict[str, int]:
    hit, extra, missed = (int(count) for count in tally.counts.sum(axis=(0, 1)))
    return {"hits": hit, "predicted": hit + extra, "gold": hit + missed}


def _four(values: dict[str, float]) -> list[str]:
    return [f"{values[name]:.4f}" for name in ("precision", "recall", "f1")]
