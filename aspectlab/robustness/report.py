"""A page of failures: every unit that did not survive, with its original and its variants."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from aspectlab.data import Corpus, Example, Quad
from aspectlab.metrics import Unit, pair_examples, unit_of
from aspectlab.reports import (
    WordDiff,
    diff_words,
    escape_html,
    render_diff,
    render_failures_page,
    render_filter,
    write_page,
)
from aspectlab.robustness.scoring import Robustness, sign
from aspectlab.tasks import Task

_ORIGINAL = "original"
"""What the page calls an example that is no variant."""

_SHOWN = 5
"""How many predictions besides those about the gold terms a row lists: none of them decides."""


_MOST = 2000
"""How many units a page shows: no browser takes all of a large set; those of ARTS have fewer."""


@dataclass(frozen=True, slots=True)
class _FailureRow:
    """One example of a failed unit, as the page shows it."""

    kind: str
    gold: Example
    predicted: Example
    source: Example
    is_right: bool


def write_failures(
    path: Path, gold: Corpus, predicted: Corpus, robustness: Robustness, unit: Unit = "aspect"
) -> None:
    """Write the page of failures to a file."""
    write_page(path, render_failures(gold, predicted, robustness, unit))


def render_failures(gold: Corpus, predicted: Corpus, robustness: Robustness, unit: Unit = "aspect") -> str:
    """Return one page that needs nothing else: failed units, changed words marked, filter by strategy."""
    units = list(_failed_units(gold, predicted, robustness, unit))
    task = robustness.evaluation.metric.task
    change = robustness.entire[unit]
    title = f"{len(units):,} of {change.count:,} units fail: {gold.name}"
    body = [
        f"<h1>{escape_html(title)}</h1>",
        f"<p>Unit: {unit}. Aspect Robustness Score {100 * change.new:.2f} %; "
        f"originals alone {100 * change.ori:.2f} %.</p>",
        f"<p>The first {_MOST:,} of them are shown.</p>" if len(units) > _MOST else "",
        _render_counts(robustness),
        render_filter([_ORIGINAL, *robustness.subsets]),
        *(_render_unit(unit_of(rows[0].source, unit), rows, task) for rows in units[:_MOST]),
        f"<footer>{escape_html(sign(robustness, unit))}</footer>",
    ]
    return render_failures_page(title, body)


def _failed_units(
    gold: Corpus, predicted: Corpus, robustness: Robustness, unit: Unit
) -> Iterator[list[_FailureRow]]:
    """Return the rows of every unit with a mistake: each original, then its variants."""
    layout, right = robustness.layout, robustness.right
    pairs = pair_examples(gold, predicted)
    kinds = dict.fromkeys(range(len(pairs)), _ORIGINAL)
    for name, indices in layout.variants.items():
        kinds.update(dict.fromkeys(indices.tolist(), name))
    numbers = layout.units[unit]
    # stable: within a unit by original, within that in file order with the original first
    order = np.lexsort((~layout.is_original, layout.origins, numbers))
    failed = set(numbers[~right].tolist())
    members: dict[int, list[_FailureRow]] = {}
    for index in order.tolist():
        number = int(numbers[index])
        if number in failed:
            source = gold.examples[layout.origins[index]]
            row = _FailureRow(kinds[index], pairs[index][0], pairs[index][1], source, bool(right[index]))
            members.setdefault(number, []).append(row)
    yield from members.values()


def _render_counts(robustness: Robustness) -> str:
    """Return the table on top: how many of each kind are wrong."""
    right, layout = robustness.right, robustness.layout
    variants = ((name, right[indices]) for name, indices in layout.variants.items())
    groups = [(_ORIGINAL, right[layout.is_original]), *variants]
    rows = "".join(
        f"<tr><th scope=row>{escape_html(name)}</th><td>{len(group):,}</td><td>{np.sum(~group):,}</td>"
        f"<td>{100 * np.mean(~group):.1f} %</td></tr>"
        for name, group in groups
    )
    head = "<tr><th scope=col>Kind</th><th scope=col>Examples</th><th scope=col>Wrong</th><th></th></tr>"
    return f"<table>{head}{rows}</table>"


def _render_unit(name: str, rows: list[_FailureRow], task: Task) -> str:
    wrong = "\n".join(dict.fromkeys(row.kind for row in rows if not row.is_right))
    items = "\n".join(_render_row(row, task) for row in rows)
    return f'<section data-wrong="{escape_html(wrong)}">\n<h2>{escape_html(name)}</h2>\n{items}\n</section>'


def _render_row(row: _FailureRow, task: Task) -> str:
    is_variant = row.kind != _ORIGINAL
    difference = diff_words(row.source.text, row.gold.text) if is_variant else WordDiff()
    wanted, found = task.select(row.gold.quads), task.for_predictions.select(row.predicted.quads)
    spans = [quad.aspect.span for quad in wanted if quad.aspect and quad.aspect.span]
    about = [quad for quad in found if quad.aspect in {gold.aspect for gold in wanted}]
    besides = [quad for quad in found if quad not in about]
    verdict = "right" if row.is_right else "wrong"
    # a single given aspect is marked in the text: its polarity says all
    is_given = task.name == "atsc" and len(wanted) == 1 and _name_terms(wanted) == _name_terms(found)
    is_short = is_given and bool(spans)
    return (
        f'<article class="{verdict}"><div class=kind>{_show_kind(row.kind)}</div>'
        f'<p class=text dir="auto">{render_diff(row.gold.text, spans, difference)}</p>'
        f"<dl><dt>gold</dt><dd>{_describe(wanted, is_short)}</dd>"
        f"<dt>predicted</dt><dd>{_describe([*about, *besides[:_SHOWN]], is_short)}"
        f"{f'<br>and {len(besides) - _SHOWN:,} more' if len(besides) > _SHOWN else ''}</dd>"
        f"<dt class=verdict>{verdict}</dt></dl></article>"
    )


def _show_kind(kind: str) -> str:
    """Return a long name that may break where its parts meet: "revtgt+", "adddiff-", "predicted"."""
    return escape_html(kind).replace("+", "+<wbr>").replace("-", "-<wbr>")


def _describe(quads: Sequence[Quad], is_short: bool) -> str:
    """Describe quads by their terms and polarity, or by polarity only."""
    labels = [str(quad.polarity or "no label") for quad in quads]
    if not is_short:
        labels = [f"{terms}: {label}" for terms, label in zip(_name_terms(quads), labels, strict=True)]
    return "<br>".join(map(escape_html, labels)) or "nothing"


def _name_terms(quads: Sequence[Quad]) -> list[str]:
    return [" / ".join(term.text for term in quad.terms) for quad in quads]
