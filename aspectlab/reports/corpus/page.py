"""The data card as one HTML page: it needs nothing beside it, no network and no script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from aspectlab.data.statistics.triplets import Ranking
from aspectlab.reports.corpus.card import Card
from aspectlab.reports.corpus.look import STYLE
from aspectlab.reports.corpus.tables import (
    MOST_CLASSES,
    list_counts,
    list_files,
    list_properties,
    list_tallies,
    render_table,
)
from aspectlab.reports.page import render_page, render_parts, shorten, show
from aspectlab.reports.runs.plots.picture import Picture

_MOST_NOTES, _LONGEST = 30, 300

_METHOD = (
    "A segment is one text with its annotations, a row one quad of it: aspect, category, opinion and "
    "polarity, those that the corpus annotates. A segment without opinions may have one empty row. Where "
    "terms and categories are annotated apart, as in SemEval-2014, both are rows.",
    "Words are separated by blanks. Terms are counted as they are written; ties stand in the order of their "
    "characters.",
)
_UNIQUE = "Sentences and aspects are counted with every sentence once; rows, topics and terms as they stand."
_RAW = "Everything is counted as it stands in the files, repeated sentences included."


def render_card(card: Card, pictures: Sequence[Picture]) -> str:
    """Give the page; the same card and pictures give the same bytes."""
    title = f"Data card: {shorten(card.name, 120)}"
    nav, sections = render_parts([part for part in _list_parts(card, pictures) if part[2]])
    body = (
        f'<a class="skip" href="#main">To the card</a>\n<header>\n<h1><bdi>{show(title)}</bdi></h1>\n'
        f"{_render_key(card)}\n"
        f'<nav aria-label="Parts of the card">{nav}</nav>\n</header>\n<main id="main">\n{sections}\n'
        f"<footer>{show(card.signature)}</footer>\n</main>"
    )
    return render_page(title, body, style=STYLE, script="")


def _list_parts(card: Card, pictures: Sequence[Picture]) -> Iterator[tuple[str, str, str]]:
    """Give the name, heading and body of each part; a body without anything to show is empty."""
    yield "pictures", "Pictures", _render_figures(pictures)
    yield "counts", "Counts", _render_counts(card)
    if card.parts.topics:
        columns, rows = list_tallies(card.parts.topics)
        yield "topics", "Topics", render_table("Segments and rows by topic", ["topic", *columns], rows)
    for name, rankings in card.parts.rankings.items():
        yield name.replace(" ", "-"), f"Frequent {name}", _render_rankings(rankings)
    yield "provenance", "Provenance", _render_provenance(card)


def _render_key(card: Card) -> str:
    """Give the numbers that say at a glance what this is."""
    whole = card.parts.whole
    total = card.total
    said = f"Language {total.language} · annotates {', '.join(total.annotates) or 'nothing'}"
    figures = {
        "Segments": f"{whole.segments:,}",
        "Segments with opinions": f"{100 * whole.nonempty_segments / max(whole.segments, 1):.1f} %",
        "Rows": f"{whole.rows:,}",
        **{f"Different {part}s": f"{number:,}" for part, number in card.parts.unique.items()},
        "Topics": f"{len(card.parts.topics):,}",
    }
    items = (f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in figures.items())
    return f'<p class="facts">{show(said)}</p>\n<dl class="key">{"".join(items)}</dl>'


def _render_figures(pictures: Sequence[Picture]) -> str:
    figures = "\n".join(f"<figure>{picture.inline()}</figure>" for picture in pictures)
    return f'<div class="figures">\n{figures}\n</div>' if pictures else ""


def _render_counts(card: Card) -> str:
    columns = ["", "number", "rule"]
    how = "files as they are" if card.raw else "every sentence once"
    tables = [render_table(f"Counts, {how}", columns, list_counts(card.total))]
    if card.total.triplet_properties is not None:
        properties = list_properties(card.total.triplet_properties)
        tables.append(render_table("Triplets, under the names of MuSe-CarASTE", columns, properties))
    each = card.rows if len(card.rows) > 1 else ()
    labels, rows = list_tallies([*each, replace(card.parts.whole, name="all")])
    tables.append(render_table("Rows by polarity", ["", *labels], rows))
    return "\n".join(tables)


def _render_rankings(rankings: Mapping[str, Ranking]) -> str:
    shown = list(rankings.items())[:MOST_CLASSES]
    tables = "\n".join(
        render_table(shorten(name, 60), ["term", "rows"], [[term, f"{count:,}"] for term, count in ranking])
        for name, ranking in shown
    )
    rest = len(rankings) - len(shown)
    more = f'\n<p class="note">{rest:,} more are in card.json.</p>' if rest else ""
    return f'<div class="tops">\n{tables}\n</div>{more}'


def _render_provenance(card: Card) -> str:
    columns = ["file", "format", "version", "language", "sentences", "rows", "sha256"]
    said = "".join(f"<p>{text}</p>" for text in (*_METHOD, _RAW if card.raw else _UNIQUE))
    listed = "".join(f"<li><bdi>{show(note, _LONGEST)}</bdi></li>" for note in card.notes[:_MOST_NOTES])
    number = f"Notes on reading: {len(card.notes):,}"
    if len(card.notes) > _MOST_NOTES:
        number += f", the first {_MOST_NOTES} of them"
    notes = f'<details><summary>{number}</summary><ul class="notes">{listed}</ul></details>'
    table = render_table("Files", columns, list_files(card.files))
    return f'{table}\n{notes if card.notes else ""}\n<div class="note">{said}</div>'
