"""CSV as people really have it: how its cells are separated, and its rows, past those that are broken."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from aspectlab.readers.csvfile import Row

DELIMITERS = ",;\t|"
"""What may separate cells."""

_NONE = "\x1f"
"""Separates the cells of a file that has only one column: it stands in no text."""

_SAMPLE_LINES, _SAMPLE_CHARS = 400, 256 << 10
_LEAST_AGREEMENT = 0.5
_QUOTES_MAY_BREAK = 0.05


@dataclass(frozen=True, slots=True)
class Broken:
    """A row that cannot be read: the line it begins on, and what is wrong with it."""

    number: int
    found: str


@dataclass(frozen=True, slots=True)
class Dialect:
    """How a file separates its cells, and whether quotes hold cells together.

    Mostly a quote within a cell is doubled; some programs (Spark, MySQL) put a backslash before it.
    """

    delimiter: str
    is_quoted: bool = True
    is_escaped: bool = False


def detect_dialect(lines: Iterable[str]) -> Dialect:
    r"""Choose what makes rows of the most even width; commas of the texts differ from row to row.

    >>> detect_dialect(["id;text\n", "1;Good, cheap, near\n", "2;Slow\n"]).delimiter
    ';'
    >>> detect_dialect(["review\n", "Good, cheap\n", "Slow\n"]) == Dialect("\x1f")
    True
    """
    sample = list(_sample(lines))
    is_escaped = any('\\"' in line for line in sample)
    scores = {dialect: _rate(dialect, sample) for dialect in _dialects(DELIMITERS, is_escaped)}
    best = max(scores, key=lambda dialect: scores[dialect])
    if scores[best] > 0:
        # texts with a stray quote break rows of files that do not quote; elsewhere quotes are the rule
        ways = Dialect(best.delimiter), Dialect(best.delimiter, is_escaped=is_escaped)
        quoted = max(ways, key=lambda dialect: scores[dialect])
        return quoted if scores[quoted] >= scores[best] - _QUOTES_MAY_BREAK else best
    single = Dialect(_NONE)
    return single if _agreement(single, sample)[1] >= 1 - _QUOTES_MAY_BREAK else Dialect(_NONE, False)


def read_rows(lines: Iterable[str], dialect: Dialect, width: int | None = None) -> Iterator[Row | Broken]:
    r"""Stream the rows that are not blank; with `width`, a row of another one is broken.

    After a broken row reading goes on at the line below its first, so that a quote that is never closed
    takes no other row with it.

    >>> list(read_rows(["1,Fine\n", '2,"Never closed\n', "3,Fine\n"], Dialect(","), 2))
    [(1, ['1', 'Fine']), Broken(number=2, found='a broken row (unexpected end of data)'), (3, ['3', 'Fine'])]
    """
    feed = _Feed(iter(lines))
    reader = _open(feed, dialect)
    while True:
        feed.begin_row()
        try:
            cells = next(reader, None)
        except csv.Error as error:
            yield Broken(feed.number, f"a broken row ({error})")
            feed.go_back()
            reader = _open(feed, dialect)
            continue
        if cells is None:
            return
        if not any(cell.strip() for cell in cells):
            continue
        if width is None or _fits(cells, width):
            yield feed.number, cells
            continue
        yield Broken(feed.number, f"{len(cells)} cells, not {width} as in the first row")
        if len(feed.taken) > 1 and _fits(
            next(csv.reader(feed.taken[:1], delimiter=dialect.delimiter)), width
        ):
            feed.go_back()
            reader = _open(feed, dialect)


class _Feed:
    """Lines for a CSV reader, which can go back to the second line of the row that it is in."""

    def __init__(self, lines: Iterator[str]) -> None:
        self._lines = lines
        self._again: deque[str] = deque()
        self.taken: list[str] = []
        self.number = 1

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._again.popleft() if self._again else next(self._lines)
        self.taken.append(line)
        return line

    def begin_row(self) -> None:
        """Forget the lines of the row before."""
        self.number += len(self.taken)
        self.taken.clear()

    def go_back(self) -> None:
        """Offer all lines of this row but its first again."""
        self._again.extendleft(reversed(self.taken[1:]))
        del self.taken[1:]


def _open(feed: _Feed, dialect: Dialect) -> Iterator[list[str]]:
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if dialect.is_quoted else csv.QUOTE_NONE
    return csv.reader(
        feed,
        delimiter=dialect.delimiter,
        quoting=quoting,
        escapechar="\\" if dialect.is_escaped else None,
        doublequote=not dialect.is_escaped,
        strict=True,
    )


def _fits(cells: list[str], width: int) -> bool:
    """Accept delimiters too many at the end of a line, which are common."""
    return len(cells) >= width and not any(cells[width:])


def _sample(lines: Iterable[str]) -> Iterator[str]:
    chars = 0
    for line in islice(lines, _SAMPLE_LINES):
        chars += len(line)
        if chars > _SAMPLE_CHARS:
            return
        yield line


def _dialects(delimiters: str, is_escaped: bool) -> Iterator[Dialect]:
    for delimiter in delimiters:
        yield Dialect(delimiter)
        if is_escaped:
            yield Dialect(delimiter, is_escaped=True)
        yield Dialect(delimiter, is_quoted=False)


def _rate(dialect: Dialect, sample: list[str]) -> float:
    """Rate a dialect: rows of one width are good, many columns are better, one column is nothing."""
    width, agreement = _agreement(dialect, sample)
    return agreement * (1 - 1 / width) if width > 1 and agreement > _LEAST_AGREEMENT else 0.0


def _agreement(dialect: Dialect, sample: list[str]) -> tuple[int, float]:
    """Give the width of the first row, and the share of rows that have it."""
    rows = list(read_rows(sample, dialect))
    # the sample may end within a row
    rows = rows[:-1] if len(rows) > 2 and isinstance(rows[-1], Broken) else rows
    widths = [0 if isinstance(row, Broken) else len(row[1]) for row in rows]
    if not widths or not widths[0]:
        return 0, 0.0
    return widths[0], widths.count(widths[0]) / len(widths)
