"""A page of violations: source and follow-up side by side, with the expected and the predicted triplets."""

from collections import Counter
from collections.abc import Sequence
from html import escape
from pathlib import Path

from aspectlab.data import Example, Quad
from aspectlab.metamorphic.model_answers import ModelAnswer
from aspectlab.metamorphic.violations import CaseVerdict, Findings
from aspectlab.reports import (
    WordDiff,
    diff_words,
    escape_html,
    format_count,
    render_diff,
    render_failures_page,
    render_filter,
    write_page,
)


def write_violations(
    path: Path, name: str, findings: Findings, verdicts: Sequence[CaseVerdict], signature: str
) -> None:
    """Write the page of violations to a file."""
    write_page(path, render_violations(name, findings, verdicts, signature))


def render_violations(name: str, findings: Findings, verdicts: Sequence[CaseVerdict], signature: str) -> str:
    """Return one HTML page that needs nothing else; it shows the violations that were kept."""
    tallies = findings.table.tallies
    total = sum(tally.violations for tally in tallies.values())
    title = f"{format_count(total, 'violation')}: {name}"
    shown = Counter(verdict.case.relation for verdict in verdicts)
    body = [
        f"<h1>{escape_html(title)}</h1>",
        f"<p>{len(verdicts):,} of them are shown.</p>",
        _render_counts(findings, shown),
        render_filter([name for name in tallies if shown[name]], "violations of", "target"),
        *(_render_verdict(verdict) for verdict in verdicts),
        f"<footer>{escape_html(signature)}</footer>",
    ]
    return render_failures_page(title, body)


def _render_counts(findings: Findings, shown: Counter[str]) -> str:
    heads = ["Relation", "Cases", "Violations", "VR", "Conditional VR", "Shown"]
    rows = [
        [
            name,
            f"{t.cases:,}",
            f"{t.violations:,}",
            _format_rate(t.vr),
            _format_rate(t.vr_conditional),
            str(shown[name]),
        ]
        for name, t in findings.table.tallies.items()
    ]
    head = "".join(f"<th scope=col>{name}</th>" for name in heads)
    cells = ("".join(f"<td>{cell}</td>" for cell in row[1:]) for row in rows)
    lines = (f"<tr><th scope=row>{row[0]}</th>{rest}</tr>" for row, rest in zip(rows, cells, strict=True))
    return f"<table><tr>{head}</tr>{''.join(lines)}</table>"


def _render_verdict(verdict: CaseVerdict) -> str:
    case = verdict.case
    difference = diff_words(case.source.text, case.followup.text)
    rows = [
        _render_side("source", case.source, case.target, verdict.before, WordDiff(), ""),
        _render_side(
            case.relation, case.followup, case.expected, verdict.after, difference, verdict.failure or ""
        ),
    ]
    origin = case.followup.origin
    heading = f"{case.followup.id} · {origin.description if origin else ''}"
    return (
        f'<section data-wrong="{escape(case.relation)}">\n<h2>{escape_html(heading)}</h2>\n'
        + "\n".join(rows)
        + "\n</section>"
    )


def _render_side(
    kind: str, example: Example, wanted: Quad, answer: ModelAnswer, difference: WordDiff, failure: str
) -> str:
    spans = [term.span for term in wanted.terms if term.span]
    faults = "".join(f"<dt>fault</dt><dd>{escape_html(fault)}</dd>" for fault in sorted(answer.faults))
    return (
        f'<article class="{"wrong" if failure else "right"}"><div class=kind>{escape_html(kind)}</div>'
        f'<p class=text dir="auto">{render_diff(example.text, spans, difference)}</p>'
        f"<dl><dt>{'expected' if failure else 'target'}</dt><dd>{_describe([wanted])}</dd>"
        f"<dt>predicted</dt><dd>{_describe(answer.quads)}</dd>{faults}"
        f"<dt class=verdict>{escape_html(failure)}</dt></dl></article>"
    )


def _describe(quads: Sequence[Quad]) -> str:
    named = [
        f"{' / '.join(term.text for term in quad.terms)}: {quad.polarity or 'no label'}" for quad in quads
    ]
    return "<br>".join(map(escape_html, named)) or "nothing"


def _format_rate(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
