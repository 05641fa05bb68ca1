"""Find the columns of a review table: by the user's word, by their usual names, and by what they hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from aspectlab.insight.dates import is_day_first, parse_date
from aspectlab.readers.columns import choose_column

ROLES = ("text", "id", "group", "date", "rating")
"""What a column may hold, in the order in which columns are given away."""

OPTIONS = {role: "--group-by" if role == "group" else f"--{role}-column" for role in ROLES}
"""The option that names the column."""

NAMES: dict[str, tuple[str, ...]] = {
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

KNOWN_NAMES = frozenset(name for names in NAMES.values() for name in names)

NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
"""How ratings are written, with a point or a comma."""

_MOST = 0.8
# ratings that say their scale: "4/5", "4.0 out of 5 stars", "★★★★☆"
_SCALED = re.compile(r"\d+(?:[.,]\d+)? ?(?:/ ?\d+|(?:out )?of \d+(?: stars)?|stars?)|[★☆⭐]+", re.I)
_MOST_GROUPS = 50
# in a workbook dates are numbers of days, as large as the codes of places
_YEARS = range(1995, 2045)
# seconds since 1970 look like the numbers of orders and customers: only the name of a column tells them
_COUNTED = re.compile(r"\d{9,}(?:\.\d+)?")


@dataclass(frozen=True, slots=True)
class Profile:
    """What the cells of a column look like in a sample."""

    filled: tuple[str, ...]
    rows: int
    is_workbook: bool = False

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
        """Tell prose from names, numbers and dates."""
        return bool(self.filled) and self.share(NUMBER) < 1 - _MOST and not self.is_date

    @property
    def is_date(self) -> bool:
        """Tell dates; years alone or plain numbers are none."""
        day_first = is_day_first(self.filled)
        dates = sum(self._shows_date(cell.strip(), day_first) for cell in self.filled)
        return bool(self.filled) and dates >= _MOST * len(self.filled)

    def _shows_date(self, cell: str, day_first: bool) -> bool:
        """Tell a date; of plain numbers only one of the years in which people write reviews."""
        found = parse_date(cell, day_first=day_first, is_workbook=self.is_workbook)
        if found is None or not NUMBER.fullmatch(cell):
            return found is not None
        return int(found[:4]) in _YEARS and not _COUNTED.fullmatch(cell)

    @property
    def is_rating(self) -> bool:
        """Tell numbers of a small scale of which several are in use, and ratings that say their scale."""
        if self.share(_SCALED) >= _MOST:
            return True
        if not self.filled or self.share(NUMBER) < _MOST:
            return False
        values = {float(cell.replace(",", ".")) for cell in self.filled if NUMBER.fullmatch(cell.strip())}
        # ratings recur, running numbers do not
        is_scale = 3 <= len(values) <= min(11, len(self.filled) - 1)
        return is_scale and min(values) >= 0 and max(values) <= 10

    @property
    def is_group(self) -> bool:
        """Tell short names that recur."""
        values = len(set(self.filled))
        short = self.words <= 6 and self.is_text and not self.is_rating
        return short and 2 <= values <= min(_MOST_GROUPS, len(self.filled) // 3)


def normalise_name(name: str) -> str:
    """Drop what column names differ in: case, spaces and marks.

    >>> normalise_name("Review_Text"), normalise_name("Star rating")
    ('reviewtext', 'starrating')
    """
    return re.sub(r"[\W_]+", "", name.lower())


def choose_columns(
    header: Sequence[str], profiles: Sequence[Profile], chosen: Mapping[str, str | None]
) -> dict[str, int]:
    """Say which column holds what; text is always found, the others where there is one.

    >>> rows = [("7", "Slow but kind staff."), ("8", "A lovely old place.")]
    >>> profiles = [Profile(cells, len(rows)) for cells in zip(*rows)]
    >>> choose_columns(["no", "what"], profiles, {})
    {'text': 1}
    """
    columns: dict[str, int] = {}
    for role in ROLES:
        if name := chosen.get(role):
            # names that differ in case only are two columns: the one that is written so is meant
            is_exact = name in header
            place = header.index(name) if is_exact else choose_column(header, (), OPTIONS[role], name)
            assert place is not None, "a name that is not empty is found or refused"
            columns[role] = place
    # a name says more than content, for whatever role: a column called date is no group
    for find in (_find_by_name, _find_by_content):
        for role in ROLES:
            if role not in columns and chosen.get(role) is None:
                free = [place for place in range(len(header)) if place not in columns.values()]
                found = find(role, header, profiles, free)
                columns |= {} if found is None else {role: found}
    return {role: columns[role] for role in ROLES if role in columns}


def _find_by_name(
    role: str, header: Sequence[str], profiles: Sequence[Profile], free: Sequence[int]
) -> int | None:
    names = {normalise_name(header[place]): place for place in reversed(free)}
    places = (names[name] for name in NAMES[role] if name in names)
    return next((place for place in places if _suits(role, profiles[place])), None)


def _find_by_content(
    role: str, header: Sequence[str], profiles: Sequence[Profile], free: Sequence[int]
) -> int | None:
    if role == "text":
        # where nothing looks like prose, the longest column is still the best guess
        prose = [place for place in free if profiles[place].is_text] or free
        return max(prose, key=lambda place: profiles[place].chars, default=None)
    return next((place for place in free if _holds(role, profiles[place])), None)


def _suits(role: str, profile: Profile) -> bool:
    """Tell whether a column of the right name may hold what its name says."""
    if role == "text":
        return profile.is_text and profile.words >= 2
    return bool(profile.filled)


def _holds(role: str, profile: Profile) -> bool:
    """Tell by its cells alone what a column holds; nothing but its name tells an id."""
    if role == "date":
        return profile.is_date
    return profile.is_rating if role == "rating" else role == "group" and profile.is_group
