"""Evidence: every review with its sentences and what was found in them, packed for the page of the report.

The page holds columns: a block of reviews is a header in JSON, arrays of 16-bit numbers and the sentences,
all deflated and written in base64, which the browser unpacks by itself. Blocks are written one after
another, so that memory does not grow with the number of reviews.
"""

from __future__ import annotations

import base64
import csv
import json
import re
import struct
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from aspectlab.analysis.aggregate import Evidence
from aspectlab.analysis.opinions import take_whole
from aspectlab.analysis.survey import month_of
from aspectlab.data import Span
from aspectlab.errors import DataError
from aspectlab.language import split_sentences
from aspectlab.readers import NOT_ANALYSED, OPINIONS_CSV, Review, ReviewFiles, is_opinion_table
from aspectlab.readers.tables import ReadCounts, escape_formula, unescape_formula
from aspectlab.reports import POLARITY_SIGNS, escape_html, replace_unprintable

POLARITIES = tuple(POLARITY_SIGNS)
"""Polarities in the order of their numbers in the page; others count as neutral."""

_NONE = 0xFFFF
_BLOCK_REVIEWS, _BLOCK_CHARS = 2_000, 1 << 20
_MAX_NAME = 200
_LEVEL = 6
_SPLITS = Callable[[str], Sequence[Span]]


class FoundOpinion(NamedTuple):
    """One opinion of a review: its sentence by number, and spans that count characters of that sentence."""

    sentence: int
    category: str
    polarity: str
    probability: float | None
    aspect: tuple[int, int] | None
    opinion: tuple[int, int] | None
    named: str
    """What stands in the place of an aspect that is not named."""

    word: str
    """The words that judge."""


@dataclass(frozen=True, slots=True)
class JoinedReview:
    """A review, its sentences, and its opinions in the order of the sentences."""

    id: str
    group: str
    date: str
    rating: str
    sentences: list[str] = field(default_factory=list)
    opinions: list[FoundOpinion] = field(default_factory=list)

    @property
    def month(self) -> str:
        """The month of the review, "" where its date is not understood."""
        return month_of(self.date)


Row = Mapping[str, str]


def read_opinion_rows(out: Path, *, passed_over: bool = False) -> Iterator[Row]:
    """Stream the rows of `opinions.csv` as they stand there, with reviews that were not analysed if asked."""
    path = out / OPINIONS_CSV
    try:
        with path.open(encoding="utf-8", newline="") as stream:
            rows = csv.DictReader(stream)
            if not is_opinion_table(rows.fieldnames or ()):
                raise ValueError("its columns are not those of an analysis")
            yield from (row for row in rows if passed_over or row["category"] != NOT_ANALYSED)
    except (OSError, ValueError, csv.Error) as error:
        raise DataError(f"{path}: cannot be read: {error}; analyse the reviews again") from None


def join_evidence(reviews: ReviewFiles, out: Path, *, split: bool | None) -> Iterator[JoinedReview]:
    """Stream all reviews with the opinions that the folder of an analysis holds.

    They are split into sentences or not, as the analysis did; None is for who needs no others than those with
    opinions, and is fast.
    """
    cut = _take_none if split is None else split_sentences if split else take_whole
    return join_opinions(reviews.read(ReadCounts()), read_opinion_rows(out), cut)


def _take_none(text: str) -> list[Span]:
    """Take no sentence but those that rows bring."""
    return []


def join_opinions(reviews: Iterable[Review], rows: Iterable[Row], split: _SPLITS) -> Iterator[JoinedReview]:
    """Join reviews with the rows of their opinions; both come in the same order.

    Ids need not be unique: a row belongs to the next review of its id that holds its sentence. Rows that fit
    no review come last, with their sentence only, so that none is ever missing.
    """
    source = iter(rows)
    row = next(source, None)
    for review in reviews:
        joined = JoinedReview(review.id, review.group, review.date, review.rating)
        spans = split(review.text)
        numbers = {start: number for number, (start, _) in enumerate(spans)}
        joined.sentences.extend(review.text[start:end] for start, end in spans)
        last, name = 0, str(escape_formula(review.id))
        while row is not None and row["review"] == name and _fits(row, review, last):
            last = int(row["sentence"])
            _add(joined, row, numbers)
            row = next(source, None)
        joined.opinions.sort(key=lambda opinion: opinion.sentence)
        yield joined
    while row is not None:
        name, group, date, rating = (
            unescape_formula(row[key]) for key in ("review", "group", "date", "rating")
        )
        rest = JoinedReview(name, group, date, rating)
        _add(rest, row, {})
        yield rest
        row = next(source, None)


def _fits(row: Row, review: Review, last: int) -> bool:
    start = int(row["sentence_start"])
    text = unescape_formula(row["text"])
    return int(row["sentence"]) >= last and review.text[start : start + len(text)] == text


def _add(joined: JoinedReview, row: Row, numbers: dict[int, int]) -> None:
    """Add the opinion of a row; a sentence that was cut elsewhere than here is added as well."""
    start, text = int(row["sentence_start"]), unescape_formula(row["text"])
    number = numbers.get(start, -1)
    if number < 0 or len(joined.sentences[number]) < len(text):
        numbers[start] = number = len(joined.sentences)
        joined.sentences.append(text)
    joined.opinions.append(
        FoundOpinion(
            number,
            unescape_formula(row["category"]),
            row["polarity"] if row["polarity"] in POLARITY_SIGNS else "neutral",
            float(row["probability"]) if row["probability"] else None,
            _span(row, "aspect", start),
            _span(row, "opinion", start),
            "" if row["aspect"] else unescape_formula(row.get("predicted_category") or ""),
            unescape_formula(row["opinion"]),
        )
    )


def _span(row: Row, part: str, start: int) -> tuple[int, int] | None:
    first, last = row[f"{part}_start"], row[f"{part}_end"]
    return (int(first) - start, int(last) - start) if first and last else None


def pack_blocks(joined: Iterable[JoinedReview], categories: Sequence[str]) -> Iterator[str]:
    """Pack reviews block by block; a category is known to the page by its number in the list."""
    numbers = {name: number for number, name in enumerate(categories)}
    block, chars = _Block(), 0
    for review in joined:
        block.add(review, numbers)
        chars += sum(map(len, review.sentences))
        if len(block.ids) >= _BLOCK_REVIEWS or chars >= _BLOCK_CHARS:
            yield block.pack()
            block, chars = _Block(), 0
    if block.ids:
        yield block.pack()


_PER_REVIEW, _PER_SENTENCE = ("sentences",), ("length", "opinions")
_PER_OPINION = (
    *("category", "polarity", "probability", "aspect", "aspect_length", "opinion", "opinion_length", "named"),
)


class _Block:
    """Some reviews as columns."""

    def __init__(self) -> None:
        self.ids: list[str] = []
        self._columns: dict[str, list[str]] = {"group": [], "date": [], "rating": []}
        self._numbers = {name: array("H") for name in (*_PER_REVIEW, *_PER_SENTENCE, *_PER_OPINION)}
        self._named: dict[str, int] = {"": 0}
        self._texts: list[str] = []

    def add(self, review: JoinedReview, categories: Mapping[str, int]) -> None:
        """Add a review; offsets count UTF-16 units, as those of a browser do."""
        self.ids.append(_clean(review.id))
        for name, values in self._columns.items():
            values.append(_clean(getattr(review, name)))
        self._numbers["sentences"].append(min(len(review.sentences), _NONE))
        counts = [0] * len(review.sentences)
        for opinion in review.opinions:
            counts[opinion.sentence] += 1
            self._add_opinion(opinion, review.sentences[opinion.sentence], categories)
        for text, count in zip(review.sentences, counts, strict=True):
            self._texts.append(replace_unprintable(text))
            self._numbers["length"].append(_units(text))
            self._numbers["opinions"].append(count)

    def _add_opinion(self, opinion: FoundOpinion, text: str, categories: Mapping[str, int]) -> None:
        cells = self._numbers
        cells["category"].append(categories[opinion.category])
        cells["polarity"].append(POLARITIES.index(opinion.polarity))
        cells["probability"].append(
            0 if opinion.probability is None else 1 + round(1e4 * opinion.probability)
        )
        cells["named"].append(self._named.setdefault(opinion.named[:_MAX_NAME], len(self._named)))
        for part, span in (("aspect", opinion.aspect), ("opinion", opinion.opinion)):
            is_within = span is not None and 0 <= span[0] < span[1] <= len(text)
            cells[part].append(_units(text[: span[0]]) if span and is_within else _NONE)
            cells[f"{part}_length"].append(_units(text[slice(*span)]) if span and is_within else 0)

    def pack(self) -> str:
        """Return the block as base64 of deflated bytes."""
        named = list(map(_clean, self._named))
        head = {"ids": self.ids, **self._columns, "named": named}
        described = {**head, "counts": {name: len(cells) for name, cells in self._numbers.items()}}
        header = json.dumps(described, separators=(",", ":")).encode()
        header += b" " * (-len(header) % 4)
        # the browser reads little-endian numbers whatever machine wrote them
        numbers = b"".join(struct.pack(f"<{len(each)}H", *each) for each in self._numbers.values())
        texts = "".join(self._texts).encode("utf-8", "replace")
        packer = zlib.compressobj(_LEVEL, zlib.DEFLATED, -zlib.MAX_WBITS)
        packed = packer.compress(struct.pack("<I", len(header)) + header + numbers + texts) + packer.flush()
        return base64.b64encode(packed).decode()


def _clean(text: str) -> str:
    return replace_unprintable(text[:_MAX_NAME])


def _units(text: str) -> int:
    """Count the UTF-16 units of a text.

    >>> _units("né"), _units("\N{GRINNING FACE}!")
    (2, 3)
    """
    return len(text) if text.isascii() else len(text) + sum(letter > "\uffff" for letter in text)


MAX_CHARS = 300
"""A longer quote is cut."""

_BEFORE = 80
_BORDER = re.compile(r"[,;:.!?–—](?=\s|$)|\b(?:but|although|while)\b", re.I)


def mark_quote(evidence: Evidence) -> str:
    """Return a sentence as HTML with its aspect and opinion marked; of a long one, the part around them.

    Where no words judge, the clause around the aspect is marked, since it tells what happened.

    >>> mark_quote(Evidence("1", "", "", "", "Bad <tea>", (5, 8), (0, 3), "negative", 0.9))
    '<mark class="opinion negative">Bad</mark> &lt;<mark class="aspect">tea</mark>&gt;'
    """
    text = evidence.text
    aspect, opinion = _span_within(evidence.aspect, text), _span_within(evidence.opinion, text)
    kind = "opinion"
    if aspect and not opinion:
        opinion, kind = _find_clause(text, aspect), "clause"
    first = min((span.start for span in (aspect, opinion) if span), default=0)
    start = max(0, first - _BEFORE) if len(text) > MAX_CHARS else 0
    end = min(len(text), start + MAX_CHARS)
    cuts = {start, end, *(offset for span in (aspect, opinion) if span for offset in span)}
    pieces = ["…" if start else ""]
    for left, right in pairwise(sorted(cut for cut in cuts if start <= cut <= end)):
        piece = escape_html(text[left:right])
        if opinion and opinion.start <= left < opinion.end:
            piece = f'<mark class="{kind} {polarity_class(evidence)}">{piece}</mark>'
        if aspect and aspect.start <= left < aspect.end:
            piece = f'<mark class="aspect">{piece}</mark>'
        pieces.append(piece)
    return "".join(pieces) + ("…" if end < len(text) else "")


def _find_clause(text: str, aspect: Span) -> Span:
    """Return the clause around an aspect, as far as commas and a few words tell clauses apart.

    >>> text = "We liked it, but the gearbox failed: never again."
    >>> text[slice(*_find_clause(text, Span(20, 27)))]
    'the gearbox failed'
    """
    start = max((found.end() for found in _BORDER.finditer(text, 0, aspect.start)), default=0)
    border = _BORDER.search(text, aspect.end)
    clause = text[start : border.start() if border else len(text)]
    start += len(clause) - len(clause.lstrip())
    return Span(start, start + len(clause.strip()))


def polarity_class(evidence: Evidence) -> str:
    """Return the polarity that an opinion counts for."""
    # a model of one's own may know more polarities; they are counted as neutral too
    return evidence.polarity if evidence.polarity in POLARITY_SIGNS else "neutral"


def _span_within(offsets: tuple[int, int] | None, text: str) -> Span | None:
    return Span(*offsets) if offsets and 0 <= offsets[0] < offsets[1] <= len(text) else None
