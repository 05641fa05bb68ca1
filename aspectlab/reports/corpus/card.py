"""The data card of a corpus: everything that is known of it, on one page, as numbers, and as pictures."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from pathlib import Path
from typing import TypeVar

from aspectlab.data import Corpus
from aspectlab.data.statistics import (
    LABELS,
    Breakdown,
    LabelCounts,
    Ranking,
    Statistics,
    TripletProperties,
    break_down,
    describe,
    tally_rows,
)
from aspectlab.errors import MissingPartError
from aspectlab.metrics import Signature
from aspectlab.reports import (
    ASSETS,
    TABLE_STYLES,
    escape_html,
    load_assets,
    render_page,
    render_sections,
    truncate_text,
    write_file,
)
from aspectlab.reports.corpus.figures import format_part, list_clouds, list_figures
from aspectlab.reports.svg import Picture, render_png


@dataclass(frozen=True, slots=True)
class DataCard:
    """The numbers of each file, of all together, and what reading them had to mend."""

    name: str
    files: tuple[Statistics, ...]
    rows: tuple[LabelCounts, ...]
    total: Statistics
    parts: Breakdown
    notes: tuple[str, ...]
    raw: bool
    own_names: tuple[str, ...] = ()  # without those that are only a file's

    @property
    def signature(self) -> str:
        """What was counted and how."""
        found = [one.sha256 for one in self.files]
        digest = found[0] if len(found) == 1 else sha256("".join(found).encode()).hexdigest()
        name = "+".join(dict.fromkeys(filter(None, self.own_names)))
        match = "as-it-is" if self.raw else "unique-sentences"
        return str(Signature("data", "card", name, digest, "counts", match))

    def to_dict(self) -> dict[str, object]:
        """Return all numbers for a program to read."""
        return {
            "name": self.name,
            "files": [one.to_dict() for one in self.files],
            "total": self.total.to_dict(),
            "rows": [asdict(one) for one in self.rows],
            "parts": asdict(self.parts),
            "signature": self.signature,
        }


def build_card(corpora: Sequence[Corpus], *, raw: bool = False) -> DataCard:
    """Count the corpora one by one and together.

    >>> from aspectlab.readers import read
    >>> build_card([read(Path("examples/sample.jsonl"))]).parts.whole.segments
    132
    """
    files = tuple(describe(corpus, raw=raw) for corpus in corpora)
    notes = tuple(
        f"{_file_name(corpus.provenance.path)}: {note}"
        for corpus in corpora
        for note in corpus.provenance.notes
    )
    return DataCard(
        name=" + ".join(dict.fromkeys(corpus.name for corpus in corpora)),
        files=files,
        rows=tuple(tally_rows(corpus) for corpus in corpora),
        total=files[0] if len(files) == 1 else describe(*corpora, raw=raw),
        parts=break_down(*corpora, raw=raw),
        notes=notes,
        raw=raw,
        own_names=tuple(corpus.own_name for corpus in corpora),
    )


def _file_name(path: str) -> str:
    # a card is published: where the file lay on this machine is nobody's business
    return Path(path).name


T = TypeVar("T")


def write_card(folder: Path, corpora: Sequence[Corpus], *, raw: bool = False) -> tuple[list[Path], list[str]]:
    """Write card.html, card.json and the pictures; return the files, and what could not be made and why.

    The same corpora give the same bytes.
    """
    absent: list[str] = []
    card = build_card(corpora, raw=raw)
    clouds = _make_optional(lambda: list_clouds(card.parts), absent) or []
    pictures = [*list_figures(card.parts), *clouds]
    files = {
        "card.html": render_card(card, pictures).encode("utf-8", "xmlcharrefreplace"),
        "card.json": (json.dumps(card.to_dict(), indent=1) + "\n").encode(),
        **{f"{picture.name}.svg": picture.as_file().encode("utf-8", "replace") for picture in pictures},
        **(_make_optional(lambda: _render_pngs(pictures), absent) or {}),
    }
    return [write_file(folder / name, content) for name, content in files.items()], absent


def find_others(folder: Path, written: Sequence[Path]) -> list[Path]:
    """List the pictures in the folder of a card that are not its own, as an earlier card leaves them.

    >>> find_others(Path("absent"), [])
    []
    """
    pictures = (path for end in ("svg", "png") for path in folder.glob(f"*.{end}"))
    return sorted(set(pictures) - set(written))


def _render_pngs(pictures: Sequence[Picture]) -> dict[str, bytes]:
    return {f"{picture.name}.png": render_png(picture.as_file()) for picture in pictures}


def _make_optional(make: Callable[[], T], absent: list[str]) -> T | None:
    """Do without what needs a package that is not installed, and remember why."""
    try:
        return make()
    except MissingPartError as error:
        absent.append(str(error))
        return None


_MAX_NOTES, _MAX_NOTE_CHARS = 30, 300

_METHOD = (
    "A segment is one text with its annotations, a row one quad of it: aspect, category, opinion and "
    "polarity, those that the corpus annotates. A segment without opinions may have one empty row. Where "
    "terms and categories are annotated apart, as in SemEval-2014, both are rows.",
    "Words are separated by whitespace. Terms are counted as they are written; ties stand in the order of "
    "their characters.",
)
_COUNTED_UNIQUE = (
    "Sentences and aspects are counted with every sentence once; rows, topics and terms as they stand."
)
_COUNTED_RAW = "Everything is counted as it stands in the files, repeated sentences included."


def render_card(card: DataCard, pictures: Sequence[Picture]) -> str:
    """Return the page; the same card and pictures give the same bytes."""
    title = f"Data card: {truncate_text(card.name, 120)}"
    nav, sections = render_sections([part for part in _list_parts(card, pictures) if part[2]])
    body = (
        f'<a class="skip" href="#main">To the card</a>\n<header>\n<h1><bdi>{escape_html(title)}</bdi></h1>\n'
        f"{_render_key(card)}\n"
        f'<nav aria-label="Parts of the card">{nav}</nav>\n</header>\n<main id="main">\n{sections}\n'
        f"<footer>{escape_html(card.signature)}</footer>\n</main>"
    )
    return render_page(title, body, style=load_assets(*TABLE_STYLES, ASSETS / "card.css"), script="")


def _list_parts(card: DataCard, pictures: Sequence[Picture]) -> Iterator[tuple[str, str, str]]:
    """Return the name, heading and body of each part; a body without anything to show is empty."""
    yield "pictures", "Pictures", _render_figures(pictures)
    yield "counts", "Counts", _render_counts(card)
    if card.parts.topics:
        columns, rows = list_tallies(card.parts.topics)
        yield "topics", "Topics", render_card_table("Segments and rows by topic", ["topic", *columns], rows)
    for name, rankings in card.parts.rankings.items():
        yield name.replace(" ", "-"), f"Frequent {name}", _render_rankings(rankings)
    yield "provenance", "Provenance", _render_provenance(card)


def _render_key(card: DataCard) -> str:
    """Return the numbers that say at a glance what this is."""
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
    return f'<p class="facts">{escape_html(said)}</p>\n<dl class="key">{"".join(items)}</dl>'


def _render_figures(pictures: Sequence[Picture]) -> str:
    figures = "\n".join(f"<figure>{picture.inline()}</figure>" for picture in pictures)
    return f'<div class="figures">\n{figures}\n</div>' if pictures else ""


def _render_counts(card: DataCard) -> str:
    columns = ["", "number", "rule"]
    how = "files as they are" if card.raw else "every sentence once"
    tables = [render_card_table(f"Counts, {how}", columns, list_counts(card.total))]
    if card.total.triplet_properties is not None:
        properties = list_properties(card.total.triplet_properties)
        tables.append(render_card_table("Triplets, under the names of MuSe-CarASTE", columns, properties))
    each = card.rows if len(card.rows) > 1 else ()
    labels, rows = list_tallies([*each, replace(card.parts.whole, name="all")])
    tables.append(render_card_table("Rows by polarity", ["", *labels], rows))
    return "\n".join(tables)


def _render_rankings(rankings: Mapping[str, Ranking]) -> str:
    shown = list(rankings.items())[:MAX_RANKINGS]
    tables = "\n".join(
        render_card_table(
            truncate_text(name, 60), ["term", "rows"], [[term, f"{count:,}"] for term, count in ranking]
        )
        for name, ranking in shown
    )
    rest = len(rankings) - len(shown)
    more = f'\n<p class="note">{rest:,} more are in card.json.</p>' if rest else ""
    return f'<div class="tops">\n{tables}\n</div>{more}'


def _render_provenance(card: DataCard) -> str:
    columns = ["file", "format", "version", "language", "sentences", "rows", "sha256"]
    said = "".join(f"<p>{text}</p>" for text in (*_METHOD, _COUNTED_RAW if card.raw else _COUNTED_UNIQUE))
    listed = "".join(
        f"<li><bdi>{escape_html(note, _MAX_NOTE_CHARS)}</bdi></li>" for note in card.notes[:_MAX_NOTES]
    )
    number = f"Notes on reading: {len(card.notes):,}"
    if len(card.notes) > _MAX_NOTES:
        number += f", the first {_MAX_NOTES} of them"
    notes = f'<details><summary>{number}</summary><ul class="notes">{listed}</ul></details>'
    table = render_card_table("Files", columns, list_files(card.files))
    return f'{table}\n{notes if card.notes else ""}\n<div class="note">{said}</div>'


MAX_RANKINGS = 40
"""So many topics have a table of their own."""

_TEXT_COLUMNS = ("", "file", "topic", "term", "format", "version", "language")
"""Columns of words, set flush left."""

_COUNTS = {
    "sentences": ("Sentences", ""),
    "sentences_unique": ("Different sentences", ""),
    "sentences_with_aspects": ("Sentences with an aspect", ""),
    "multi_polarity_sentences": ("Sentences with several polarities", ""),
    "aspects": ("Aspects", "different pairs of aspect (or category) and polarity of a sentence"),
    "positive": ("Positive aspects", ""),
    "neutral": ("Neutral aspects", ""),
    "negative": ("Negative aspects", ""),
    "conflict": ("Aspects in conflict", "not among the aspects"),
    "opinions": ("Opinion terms", "different ones of a sentence"),
    "categories": ("Categories", ""),
}

_ROWS = {
    "rows": ("Rows", "empty ones included"),
    "empty_rows": ("Empty rows", "segments without opinion have one"),
    "nonempty_rows": ("Triplets", "rows that are not empty"),
    "segments": ("Segments", ""),
    "nonempty_segments": ("Segments with triplets", ""),
    "videos": ("Videos", "highest number of a video"),
    "videos_present": ("Videos present", "different numbers of videos in the files"),
    "unique_aspects": ("Different aspects", "case counts"),
    "unique_opinions": ("Different opinions", "case counts"),
    "unique_aspects_caseless": ("Different aspects in lower case", ""),
    "unique_opinions_caseless": ("Different opinions in lower case", ""),
    "unique_triplets": ("Different triplets", ""),
    "multiword_aspects": ("#MA", "aspects of several words"),
    "multiword_opinions": ("#MO", "opinions of several words"),
    "multiword_triplets": ("#MT", "triplets with either"),
    "implicit_aspects": ("#IA", "aspects with a word that is not in the text"),
    "implicit_opinions": ("#IO", "opinions with a word that is not in the text"),
    "implicit_triplets": ("#IT", "different triplets with either"),
    "words_per_pair": ("#W/AO", "words of aspect and opinion, over all rows"),
    "words_per_pair_nonempty": ("#W/AO of triplets", "the same over rows that are not empty"),
    "words_per_triplet": ("#W/T", "one more, for the polarity"),
    "words_per_row": ("#W/S", "words of the text, over all rows"),
    "triplets_per_segment": ("#T/S", "triplets by segments"),
    "triplets_per_nonempty": ("#T/NS", "triplets by different texts that have one"),
}


def list_files(files: Sequence[Statistics]) -> list[list[str]]:
    """Return a row per file: what it is, and which bytes."""
    return [
        [
            Path(one.file).name,
            one.format,
            one.version or "–",
            one.language,
            f"{one.counts.sentences:,}",
            f"{one.counts.quads:,}",
            one.sha256,
        ]
        for one in files
    ]


def list_counts(total: Statistics) -> list[list[str]]:
    """Return the counts with their rules; what is not there is left out."""
    record = total.to_dict()
    rows = [[name, _format_value(record[key]), rule] for key, (name, rule) in _COUNTS.items() if record[key]]
    rows.append(["Different words", f"{total.vocabulary:,}", "separated by whitespace, case-sensitive"])
    if total.words_per_sentence is not None:
        rows.append(["Words per sentence", f"{total.words_per_sentence:.2f}", ""])
    return rows


def list_properties(found: TripletProperties) -> list[list[str]]:
    """Return the properties of triplets under the names of the MuSe-CarASTE paper."""
    values = {key: getattr(found, key) for key in _ROWS}
    return [
        [_ROWS[key][0], _format_value(value), _ROWS[key][1]]
        for key, value in values.items()
        if value is not None
    ]


def list_tallies(tallies: Iterable[LabelCounts]) -> tuple[list[str], list[list[str]]]:
    """Return the columns and a row per topic: segments, those with opinions, rows, and these by polarity."""
    known = list(tallies)
    labels = [label for label in LABELS if any(label in tally.polarities for tally in known)]
    rows = [
        [
            tally.name,
            f"{tally.segments:,}",
            format_part(tally.nonempty_segments, tally.segments),
            f"{tally.empty_rows:,}",
            f"{tally.rows:,}",
            *(format_part(tally.polarities.get(label, 0), tally.rows) for label in labels),
        ]
        for tally in known
    ]
    return ["segments", "with opinions", "empty rows", "rows", *labels], rows


def render_card_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table that scrolls by itself where the window is narrow; the first column names the row."""
    head = "".join(f'<th scope="col"{_column_class(column)}>{escape_html(column)}</th>' for column in columns)
    body = "\n".join(f"<tr>{''.join(_render_cells(columns, row))}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" aria-label="{escape_html(caption)}" tabindex="0"><table>'
        f"<caption>{escape_html(caption)}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n"
        "</tbody></table></div>"
    )


def _render_cells(columns: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    yield f'<th scope="row" class="named"><bdi>{escape_html(row[0], 80)}</bdi></th>'
    for column, cell in zip(columns[1:], row[1:], strict=True):
        yield f"<td{_column_class(column)}>{escape_html(cell)}</td>"


def _column_class(column: str) -> str:
    kinds = {"sha256": "named digest", "rule": "rule", **dict.fromkeys(_TEXT_COLUMNS, "named")}
    return f' class="{kinds[column]}"' if column in kinds else ""


def _format_value(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
