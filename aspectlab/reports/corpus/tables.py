"""Tables of the data card as rows of text, each number with its rule."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from aspectlab.data.statistics import Statistics, Tally, TripletProperties
from aspectlab.data.statistics.breakdown import LABELS
from aspectlab.reports.corpus.figures import say_share
from aspectlab.reports.page import show

MOST_CLASSES = 40
"""So many topics have a table of their own."""

_WORDS = ("", "file", "topic", "term", "format", "version", "language")
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
    """Give a row per file: what it is, and which bytes."""
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
    """Give the counts with their rules; what is not there is left out."""
    record = total.to_dict()
    rows = [[name, _say(record[key]), rule] for key, (name, rule) in _COUNTS.items() if record[key]]
    rows.append(["Different words", f"{total.vocabulary:,}", "blank-separated, case counts"])
    if total.words_per_sentence is not None:
        rows.append(["Words per sentence", f"{total.words_per_sentence:.2f}", ""])
    return rows


def list_properties(found: TripletProperties) -> list[list[str]]:
    """Give the properties of triplets under the names of the MuSe-CarASTE paper."""
    values = {key: getattr(found, key) for key in _ROWS}
    return [[_ROWS[key][0], _say(value), _ROWS[key][1]] for key, value in values.items() if value is not None]


def list_tallies(tallies: Iterable[Tally]) -> tuple[list[str], list[list[str]]]:
    """Give the columns and a row per topic: segments, those with opinions, rows, and these by polarity."""
    known = list(tallies)
    labels = [label for label in LABELS if any(label in tally.polarities for tally in known)]
    rows = [
        [
            tally.name,
            f"{tally.segments:,}",
            say_share(tally.nonempty_segments, tally.segments),
            f"{tally.empty_rows:,}",
            f"{tally.rows:,}",
            *(say_share(tally.polarities.get(label, 0), tally.rows) for label in labels),
        ]
        for tally in known
    ]
    return ["segments", "with opinions", "empty rows", "rows", *labels], rows


def render_table(caption: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Give a table that scrolls by itself where the window is narrow; the first column names the row."""
    head = "".join(f'<th scope="col"{_kind(column)}>{show(column)}</th>' for column in columns)
    body = "\n".join(f"<tr>{''.join(_render_cells(columns, row))}</tr>" for row in rows)
    return (
        f'<div class="scroll" role="region" aria-label="{show(caption)}" tabindex="0"><table>'
        f"<caption>{show(caption)}</caption><thead><tr>{head}</tr></thead>\n<tbody>\n{body}\n"
        "</tbody></table></div>"
    )


def _render_cells(columns: Sequence[str], row: Sequence[str]) -> Iterator[str]:
    yield f'<th scope="row" class="named"><bdi>{show(row[0], 80)}</bdi></th>'
    for column, cell in zip(columns[1:], row[1:], strict=True):
        yield f"<td{_kind(column)}>{show(cell)}</td>"


def _kind(column: str) -> str:
    kinds = {"sha256": "named digest", "rule": "rule", **dict.fromkeys(_WORDS, "named")}
    return f' class="{kinds[column]}"' if column in kinds else ""


def _say(value: object) -> str:
    return f"{value:.4f}" if isinstance(value, float) else f"{value:,}"
