"""MuSe-CarASTE: triplets of car reviews by video and segment, in CSV or XLSX, with or without the text."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from aspectlab.data import Example, Quad, Term
from aspectlab.readers import Format, Head, Source, find_term
from aspectlab.readers.quadrows import NAMES
from aspectlab.readers.tables.columns import find_column, need_column, parse_polarity
from aspectlab.readers.tables.csvfile import head_columns
from aspectlab.readers.tables.opening import StrictTable, open_strict_table

TOPICS = (
    *("performance", "interior-features", "quality-aesthetic", "comfort", "handling", "safety"),
    *("general-information", "cost", "user-experience", "exterior-features"),
)
"""The ten topics, in the order of their numbers."""

_SEGMENT = {"id", "segment_id"}
_TRIPLET = ("aspect", "opinion", "sentiment")
_LABELS = {name for part in ("aspect", "opinion", "category", "polarity") for name in NAMES[part]}
_NO_TOPIC = {"", "-", "-1", "unknown"}
_EMPTY = {"", "-"}

Segment = tuple[int, int]
"""The numbers of a video and of a segment in it."""


class _Triplet(NamedTuple):
    """The cells of one row, verbatim, and their line."""

    line: int
    topic: str
    aspect: str
    opinion: str
    sentiment: str


@dataclass(slots=True)
class _Rows:
    """What the rows of one segment say, in their order."""

    triplets: list[_Triplet] = field(default_factory=list)
    texts: Counter[str] = field(default_factory=Counter)


def sniff(head: Head) -> bool:
    """Recognise CSV with MuSe's columns; a workbook is recognised by `table` when it reads the header."""
    return has_columns(head_columns(head))


def has_columns(header: Sequence[str]) -> bool:
    """Return whether a header names a segment and its triplets, or a segment and its transcript.

    A text with other labels is not a transcript: read as one, it would lose them.

    >>> has_columns(["id", "segment_id", "review", "aspect", "opinion", "sentiment"])
    True
    """
    names = {name.lower() for name in header}
    is_transcript = "text" in names and names.isdisjoint(_LABELS)
    return names >= _SEGMENT and (names >= set(_TRIPLET) or is_transcript)


def read(source: Source, *, transcripts: str | None = None) -> Iterator[Example]:
    """Return one example per segment and one quad per row, that of a segment without triplets included.

    `transcripts` is a CSV file with the columns id, segment_id and text; its texts replace the file's own.
    """
    yield from read_sheet(source, open_strict_table(source), transcripts)


def read_sheet(source: Source, sheet: StrictTable, transcripts: str | None = None) -> Iterator[Example]:
    """Return the examples of a sheet that is already open."""
    segments = _gather(source, sheet)
    texts = _read_transcripts(transcripts) if transcripts is not None else {}
    _note_repeated(source, segments)
    for segment, rows in segments.items():
        name = f"{segment[0]}-{segment[1]}"
        text = texts[segment] if segment in texts else _choose_text(source, name, rows.texts)
        if texts and segment not in texts:
            source.note(f"segment {name}", "not in the transcripts: kept with the text of the file, if any")
        yield Example(name, text, tuple(_read_quads(source, text, rows.triplets)))


def _gather(source: Source, sheet: StrictTable) -> dict[Segment, _Rows]:
    """Collect the rows by segment, since those of one segment need not be adjacent."""
    text = find_column(sheet.header, ["text", "review"])
    segments: dict[Segment, _Rows] = defaultdict(_Rows)
    if text is not None and find_column(sheet.header, list(_TRIPLET)) is None:
        for _, cells, segment in _with_segment(source, sheet):
            segments[segment].texts[cells[text]] += 1
        return segments
    parts = [need_column(source, sheet.header, name) for name in _TRIPLET]
    topic = find_column(sheet.header, ["topic", "label_topic"])
    for number, cells, segment in _with_segment(source, sheet):
        aspect, opinion, sentiment = (cells[part] for part in parts)
        name = "" if topic is None else cells[topic]
        rows = segments[segment]
        rows.triplets.append(_Triplet(number, name, aspect, opinion, sentiment))
        if text is not None:
            rows.texts[cells[text]] += 1
    return segments


def _with_segment(source: Source, sheet: StrictTable) -> Iterator[tuple[int, list[str], Segment]]:
    video, part = (need_column(source, sheet.header, name) for name in ("id", "segment_id"))
    for number, cells in sheet.rows:
        yield number, cells, (_whole(source, number, cells[video]), _whole(source, number, cells[part]))


def _read_transcripts(path: str) -> dict[Segment, str]:
    source = Source(Path(path))
    sheet = open_strict_table(source)
    text = need_column(source, sheet.header, "text")
    texts: dict[Segment, str] = {}
    for number, cells, segment in _with_segment(source, sheet):
        if texts.setdefault(segment, cells[text]) != cells[text]:
            found = f"segment {segment[0]}-{segment[1]} with another text before"
            raise source.error(number, found, "one text for each segment", "remove one of the rows")
    return texts


def _choose_text(source: Source, name: str, texts: Counter[str]) -> str:
    """Take the text that most rows of the segment have; the first of several equally frequent ones."""
    if len(texts) > 1:
        source.note(f"segment {name}", f"has {len(texts)} texts: the most frequent one is kept")
    return max(texts, key=lambda text: texts[text], default="")


def _note_repeated(source: Source, segments: dict[Segment, _Rows]) -> None:
    rows = sum(len(segment.triplets) for segment in segments.values())
    distinct = sum(len({triplet[1:] for triplet in segment.triplets}) for segment in segments.values())
    if distinct < rows:
        cause = ", as after a join of many rows to many" if rows > 2 * distinct else ""
        message = f"{rows - distinct:,} of {rows:,} rows repeat another of their segment{cause}: kept"
        source.note("whole file", message)


def _read_quads(source: Source, text: str, triplets: Sequence[_Triplet]) -> Iterator[Quad]:
    # a term may recur in hundreds of rows of a segment: it is looked for once
    cells = {cell for triplet in triplets for cell in (triplet.aspect, triplet.opinion)}
    terms = {cell: _read_term(text, cell) for cell in cells}
    for line, topic, aspect, opinion, sentiment in triplets:
        yield Quad(
            aspect=terms[aspect],
            category=_read_topic(source, line, topic),
            opinion=terms[opinion],
            polarity=None if sentiment.strip() in _EMPTY else parse_polarity(source, line, sentiment),
        )


def _read_term(text: str, cell: str) -> Term | None:
    return None if cell.strip() in _EMPTY else find_term(text, cell)


def _read_topic(source: Source, number: int, cell: str) -> str | None:
    name = cell.strip().lower().removesuffix(".0")
    if name in _NO_TOPIC:
        return None
    if name.isdecimal() and len(name) == 1:
        return TOPICS[int(name)]
    if name not in TOPICS:
        expected = f"0 to 9 or one of {', '.join(TOPICS)}"
        raise source.error(number, f"the topic {cell!r:.40}", expected, "correct the cell")
    return name


def _whole(source: Source, number: int, cell: str) -> int:
    """Read the number of a video or segment, which pandas has made "15.0" in some files."""
    match = re.fullmatch(r"\s*([0-9]{1,9})(?:\.0*)?\s*", cell)
    if match is None:
        expected = "the whole number of a video or segment"
        remedy = "correct or remove the row, or read a table of another kind as the format table"
        raise source.error(number, f"{cell!r:.40}", expected, remedy)
    return int(match.group(1))


FORMAT = Format("MuSe-CarASTE (CSV, XLSX): one row per triplet of a segment", sniff, read)
