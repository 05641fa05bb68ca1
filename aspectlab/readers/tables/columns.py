"""Columns: the header, and columns found by the user's word, by usual names, and by what they hold."""

import csv
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from statistics import fmean

from aspectlab.data import Polarity
from aspectlab.errors import ConfigError
from aspectlab.readers.source import Source
from aspectlab.readers.tables.csvfile import DELIMITERS
from aspectlab.readers.tables.dates import is_day_first, parse_date
from aspectlab.registry import suggest

POLARITIES = {
    **dict.fromkeys(("positive", "pos", "1"), Polarity.POSITIVE),
    **dict.fromkeys(("negative", "neg", "-1"), Polarity.NEGATIVE),
    **dict.fromkeys(("neutral", "neu", "0"), Polarity.NEUTRAL),
    "conflict": Polarity.CONFLICT,
}
"""The words and numbers for polarities that tables use, in lower case."""


def find_column(header: Sequence[str], names: Sequence[str]) -> int | None:
    """Return the index of the first of these names that the header has, in any case.

    >>> find_column(["Id", "Sentence"], ["text", "sentence", "review"])
    1
    """
    lower = [name.lower() for name in header]
    return next((lower.index(name) for name in names if name in lower), None)


def count_named(header: Sequence[str]) -> int:
    """Return the width of a row: a name is missing where only a delimiter too many ends the header.

    >>> count_named(["id", "text", ""])
    2
    """
    return max((index + 1 for index, name in enumerate(header) if name), default=0)


def need_column(source: Source, header: Sequence[str], *names: str) -> int:
    """Return the index of a column that must be there."""
    column = find_column(header, names)
    if column is None:
        found, expected = f"the columns {', '.join(header):.200}", f"a column {' or '.join(names)}"
        raise source.error("header", found, expected, "name the columns in the first row")
    return column


def choose_column(header: Sequence[str], names: Sequence[str], option: str, chosen: str | None) -> int | None:
    """Find a column by the name a user gave, or by its usual names; an empty name means that there is none.

    >>> choose_column(["Comment", "Text"], ["text"], "text_column", "Comment")
    0
    """
    if chosen == "":
        return None
    if chosen is None:
        return find_column(header, names)
    column = find_column(header, [chosen.strip().lower()])
    if column is None:
        raise ConfigError(f"{option} = {chosen!r}: the file has no such column: {suggest(chosen, header)}")
    return column


def parse_polarity(source: Source, where: int | str, word: str) -> Polarity:
    """Take a cell as a polarity, or say which words there are."""
    polarity = POLARITIES.get(word.strip().lower().removesuffix(".0"))
    if polarity is None:
        found, expected = f"the polarity {word!r:.60}", f"one of {', '.join(POLARITIES)}"
        raise source.error(where, found, expected, "correct it or choose another column")
    return polarity


def choose_named_column(header: Sequence[str], name: str, option: str) -> int:
    """Find a column that a user named; of names that differ in case only, the one that is written so."""
    index = header.index(name) if name in header else choose_column(header, (), option, name)
    if index is None:
        raise ConfigError(f"{option} = {name!r}: expected the name of a column; leave out the empty one")
    return index


ROLES = ("text", "id", "group", "date", "rating")
"""What a column may hold, in the order in which columns are given away."""

OPTIONS = {role: "--group-by" if role == "group" else f"--{role}-column" for role in ROLES}
"""The option that names the column."""

REVIEW_NAMES: dict[str, tuple[str, ...]] = {
    "text": (
        *("reviewtext", "reviewbody", "reviewcontent", "text", "review", "reviews", "body", "comment"),
        *("comments", "content", "feedback", "message", "verbatim", "sentence", "reviewcomment", "answer"),
        *("response", "description", "usercomment", "customerreview", "tweet", "post", "opinion"),
    ),
    "id": ("id", "reviewid", "uid", "uuid", "guid", "key", "recordid", "respondentid", "commentid", "rowid"),
    "group": (
        *("product", "productname", "producttitle", "item", "itemname", "group", "brand", "model", "asin"),
        *("productid", "itemid", "hotel", "hotelname", "restaurant", "business", "businessid", "store"),
        *("branch", "location", "place", "company", "app", "appname", "parentasin", "market", "segment"),
        *("department", "category", "productcategory", "source", "version", "country", "city"),
    ),
    "date": (
        *("date", "reviewdate", "reviewtime", "time", "datetime", "timestamp", "created", "createdat"),
        *("createddate", "submissiontime", "submitted", "submittedat", "published", "publishedat"),
        *("posted", "postedat", "at", "day", "month", "unixreviewtime", "updatedat", "when", "ts", "epoch"),
        *("unixtime", "unixtimestamp"),
    ),
    "rating": (
        *("rating", "stars", "star", "starrating", "score", "reviewrating", "reviewscore", "overall"),
        *("overallrating", "ratingvalue", "grade", "points", "nps", "note"),
    ),
}
"""The usual names of columns, in lower case without spaces and marks, the surest first."""

KNOWN_NAMES = frozenset(name for names in REVIEW_NAMES.values() for name in names)

NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
"""How ratings are written, with a point or a comma."""

_MOST = 0.8
# ratings that say their scale: "4/5", "4.0 out of 5 stars", "★★★★☆"
_SCALED = re.compile(r"\d+(?:[.,]\d+)? ?(?:/ ?\d+|(?:out )?of \d+(?: stars)?|stars?)|[★☆⭐]+", re.I)
_MOST_GROUPS = 50
_YEARS = range(1995, 2045)
# seconds since 1970 look like the numbers of orders and customers: only the name of a column tells them
_COUNTED = re.compile(r"\d{9,}(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """What the cells of a column look like in a sample."""

    filled: tuple[str, ...]
    rows: int

    @property
    def words(self) -> float:
        """The mean number of words."""
        return fmean(len(cell.split()) for cell in self.filled) if self.filled else 0.0

    @property
    def chars(self) -> float:
        """The mean length over all rows, so that a column that is mostly empty counts little."""
        return sum(map(len, self.filled)) / max(self.rows, 1)

    def share(self, kind: re.Pattern[str]) -> float:
        """The share of filled cells that are of one kind."""
        return sum(bool(kind.fullmatch(cell.strip())) for cell in self.filled) / max(len(self.filled), 1)

    @property
    def is_text(self) -> bool:
        """Whether the cells are prose, and not names, numbers or dates."""
        return bool(self.filled) and self.share(NUMBER) < 1 - _MOST and not self.is_date

    @property
    def is_date(self) -> bool:
        """Whether the cells are dates; years alone or plain numbers are none."""
        day_first = is_day_first(self.filled)
        dates = sum(self._shows_date(cell.strip(), day_first) for cell in self.filled)
        return bool(self.filled) and dates >= _MOST * len(self.filled)

    def _shows_date(self, cell: str, day_first: bool) -> bool:
        """Return whether a cell is a date; of plain numbers, only the years of online reviews are."""
        found = parse_date(cell, day_first=day_first)
        if found is None or not NUMBER.fullmatch(cell):
            return found is not None
        return int(found[:4]) in _YEARS and not _COUNTED.fullmatch(cell)

    @property
    def is_rating(self) -> bool:
        """Whether the cells are numbers of a small scale, several of them in use, or name their scale."""
        if self.share(_SCALED) >= _MOST:
            return True
        if not self.filled or self.share(NUMBER) < _MOST:
            return False
        # float() does not pass over all that strip() does
        cells = map(str.strip, self.filled)
        values = {float(cell.replace(",", ".")) for cell in cells if NUMBER.fullmatch(cell)}
        # ratings recur, running numbers do not
        is_scale = 3 <= len(values) <= min(11, len(self.filled) - 1)
        return is_scale and min(values) >= 0 and max(values) <= 10

    @property
    def is_group(self) -> bool:
        """Whether the cells are short names that recur."""
        values = len(set(self.filled))
        short = self.words <= 6 and self.is_text and not self.is_rating
        return short and 2 <= values <= min(_MOST_GROUPS, len(self.filled) // 3)


def normalise_name(name: str) -> str:
    """Drop what column names differ in: case, spaces and marks.

    >>> normalise_name("Review_Text"), normalise_name("Star rating")
    ('reviewtext', 'starrating')
    """
    return re.sub(r"[\W_]+", "", name.lower())


def choose_review_columns(
    header: Sequence[str], profiles: Sequence[ColumnProfile], chosen: Mapping[str, str | None]
) -> dict[str, int]:
    """Return the column of each role; text is always found, the others where there is one.

    >>> rows = [("7", "Slow but kind staff."), ("8", "A lovely old place.")]
    >>> profiles = [ColumnProfile(cells, len(rows)) for cells in zip(*rows)]
    >>> choose_review_columns(["no", "what"], profiles, {})
    {'text': 1}
    """
    columns: dict[str, int] = {}
    for role in ROLES:
        if name := chosen.get(role):
            columns[role] = choose_named_column(header, name, OPTIONS[role])
    # a name says more than content, for whatever role: a column called date is not a group
    for find in (_find_by_name, _find_by_content):
        for role in ROLES:
            if role not in columns and chosen.get(role) is None:
                free = [index for index in range(len(header)) if index not in columns.values()]
                found = find(role, header, profiles, free)
                columns |= {} if found is None else {role: found}
    return {role: columns[role] for role in ROLES if role in columns}


def _find_by_name(
    role: str, header: Sequence[str], profiles: Sequence[ColumnProfile], free: Sequence[int]
) -> int | None:
    names = {normalise_name(header[index]): index for index in reversed(free)}
    indices = (names[name] for name in REVIEW_NAMES[role] if name in names)
    return next((index for index in indices if _suits(role, profiles[index])), None)


def _find_by_content(
    role: str, header: Sequence[str], profiles: Sequence[ColumnProfile], free: Sequence[int]
) -> int | None:
    if role == "text":
        # where nothing looks like prose, the longest column is still the best guess
        prose = [index for index in free if profiles[index].is_text] or free
        return max(prose, key=lambda index: profiles[index].chars, default=None)
    return next((index for index in free if _holds(role, profiles[index])), None)


def _suits(role: str, profile: ColumnProfile) -> bool:
    """Return whether a column of the right name may hold what its name says."""
    if role == "text":
        return profile.is_text and profile.words >= 2
    return bool(profile.filled)


def _holds(role: str, profile: ColumnProfile) -> bool:
    """Return whether a column has a role by its cells alone; nothing but its name shows an id."""
    if role == "date":
        return profile.is_date
    return profile.is_rating if role == "rating" else role == "group" and profile.is_group


MOST_ROWS = 20
"""A header further down is not looked for."""

_FEWEST_NAMES = 2
_LONGEST = 1 << 16
_SEPARATOR = re.compile(r'"?sep=.?"?\s*', re.I)


def count_rows_above(rows: Iterable[Sequence[str]]) -> int:
    """Count the rows above the header: that has two names or more that columns usually have, they have less.

    >>> count_rows_above([["Export of May"], [""], ["Id", "Text"], ["1", "Fine."]])
    2
    >>> count_rows_above([["1", "Fine."], ["2", "Slow."]])
    0
    """
    widest = 0
    for number, cells in enumerate(islice(rows, MOST_ROWS)):
        filled = sum(bool(cell.strip()) for cell in cells)
        names = {normalise_name(cell) for cell in cells} & KNOWN_NAMES
        if len(names) >= _FEWEST_NAMES and filled > widest:
            return number
        widest = max(widest, filled)
    return 0


def count_lines_above(lines: Iterable[str]) -> int:
    r"""Count the lines above the header of a CSV file, whatever separates its cells.

    >>> count_lines_above(["sep=;\n", "id;text\n"]), count_lines_above(["id;text\n", "1;Fine.\n"])
    (1, 0)
    """
    sample = list(islice(lines, MOST_ROWS))
    if sample and _SEPARATOR.fullmatch(sample[0]):
        return 1
    counts = (count_rows_above(_split(line, mark) for line in sample) for mark in DELIMITERS)
    return next(filter(None, counts), 0)


def _split(line: str, delimiter: str) -> list[str]:
    # the reader refuses longer cells
    return next(csv.reader([line[:_LONGEST]], delimiter=delimiter), [])
