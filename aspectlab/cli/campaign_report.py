"""What the commands of every campaign print: findings and rankings, as tables, JSON, Markdown and HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from aspectlab import campaigns, reports
from aspectlab.cli.console import notice, print_json, print_table, print_text
from aspectlab.cli.options import refuse_unwritable_file
from aspectlab.errors import ConfigError

_PAGES = (".md", ".html", ".htm")
"""What a ranking can be written as."""

_NOTICES = 5
_SHORT = {"precision": "P", "recall": "R", "f1": "F1", "cprecision": "cP", "crecall": "cR", "cf1": "cF1"}
_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222}"
    "table{border-collapse:collapse;width:100%}th,td{padding:.4rem .6rem;border-bottom:1px solid #ccc;"
    "text-align:right}th:nth-child(2),td:nth-child(2){text-align:left;overflow-wrap:anywhere}"
    "p{color:#555;overflow-wrap:anywhere}"
)


def print_validation(
    run: Path, rows: int, findings: Sequence[campaigns.RunFinding], *, as_json: bool
) -> bool:
    """Print what is wrong with a run, and return whether it is valid: warnings are no errors."""
    errors = sum(finding.severity > campaigns.Severity.WARNING for finding in findings)
    if as_json:
        found = [_to_dict(finding) for finding in findings]
        print_json({"run": str(run), "valid": not errors, "rows": rows, "findings": found})
        return not errors
    for finding in findings:
        print_text(f"{'error' if finding.severity else 'warning'}: {finding}")
    print_text(f"{run}: {rows:,} rows, {errors} error(s), {len(findings) - errors} warning(s)")
    return not errors


def _to_dict(finding: campaigns.RunFinding) -> dict[str, object]:
    severity = "warning" if finding.severity is campaigns.Severity.WARNING else "error"
    return {**asdict(finding), "severity": severity, "message": str(finding)}


def report_findings(campaign: str, path: Path, findings: Sequence[campaigns.RunFinding]) -> None:
    """Report the format violations of a run that was scored all the same."""
    for finding in findings[:_NOTICES]:
        notice(f"{path}: {finding}")
    if len(findings) > _NOTICES:
        notice(f"{path}: {len(findings) - _NOTICES} more; `aspectlab {campaign} validate` lists them")


def name_apart(paths: Sequence[Path]) -> list[str]:
    """Name runs after their files, or by their paths where two files have one name, as in a folder a team."""
    names = [path.stem for path in paths]
    return [name if names.count(name) == 1 else str(path) for path, name in zip(paths, names, strict=True)]


def refuse_other_pages(out: Path | None, *, inputs: Sequence[Path]) -> None:
    """Refuse an output of a ranking that is no page, or that is read here, before the work."""
    refuse_unwritable_file(out, inputs=inputs)
    if out is not None and out.suffix.lower() not in _PAGES:
        raise ConfigError(f"--out {out}: expected one of {', '.join(_PAGES)}; end the name in one")


def print_ranking(title: str, standings: Sequence[campaigns.RankedRun]) -> None:
    """Print a ranking."""
    print_table(title, _columns(standings), _cells(standings))


def write_ranking(path: Path, title: str, standings: Sequence[campaigns.RankedRun], signature: str) -> None:
    """Write a ranking as a page (.html) or in Markdown, with the signature of its numbers."""
    columns = _columns(standings)
    rows = [[("–" if cell is None else str(cell)) for cell in row] for row in _cells(standings)]
    if path.suffix.lower() == ".md":
        # a bar would begin a new cell
        lines = [columns, ["---"] * len(columns), *([c.replace("|", "\\|") for c in row] for row in rows)]
        table = "".join(f"| {' | '.join(line)} |\n" for line in lines)
        reports.write_page(path, f"# {title}\n\n{table}\n`{signature}`\n")
        return
    head = "".join(f"<th>{reports.escape_html(column)}</th>" for column in columns)
    body = "".join(
        f"<tr>{''.join(f'<td>{reports.escape_html(cell)}</td>' for cell in row)}</tr>" for row in rows
    )
    table = f"<h1>{reports.escape_html(title)}</h1><table><tr>{head}</tr>{body}</table>"
    page = f"{table}<p>{reports.escape_html(signature)}</p>"
    reports.write_page(path, reports.render_page(title, page, style=_STYLE, script=""))


def _columns(standings: Sequence[campaigns.RankedRun]) -> list[str]:
    names = [_SHORT.get(name, name) for name in standings[0].scores]
    return ["place", "run", *names, "95% from", "to", "p against the first"]


def _cells(standings: Sequence[campaigns.RankedRun]) -> list[list[object]]:
    return [
        [
            *(str(s.place), s.run, *(f"{value:.4f}" for value in s.scores.values())),
            *(f"{bound:.4f}" for bound in s.interval),
            None if s.p is None else f"{s.p:.2g}",
        ]
        for s in standings
    ]
