"""Dates as people and programs write them, parsed to ISO form."""

import re
from collections.abc import Iterable
from datetime import UTC, date, datetime
from itertools import chain

_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_ISO = re.compile(r"(\d{4})[-/.](\d{1,2})(?:[-/.](\d{1,2}))?(?!\d)")
_COMPACT = re.compile(r"((?:19|20)\d{2})(0[1-9]|1[0-2])([0-2]\d|3[01])")
_NUMBERS = re.compile(r"(\d{1,2})[-/.](\d{1,2})[-/.](\d{4}|\d{2})(?!\d)")
# "09 13, 2009", as the corpora of Amazon reviews have it
_SPACED_NUMBERS = re.compile(r"(\d{1,2}) (\d{1,2}), (\d{4})")
_WORDED = (
    re.compile(
        r"(?P<day>\d{1,2})(?:[snrt][tdh])?[ -](?P<month>[a-z]{3})[a-z]*\.?[ ,-]+(?P<year>\d{4})", re.I
    ),
    # databases and spreadsheets write 01-MAR-25
    re.compile(r"(?P<day>\d{1,2})-(?P<month>[a-z]{3})-(?P<year>\d{2})(?!\d)", re.I),
    # there may be a time, also with a zone: "Sat Mar  1 10:00:00 +0000 2025"
    re.compile(
        r"(?P<month>[a-z]{3})[a-z]*\.?[ -] ?(?P<day>\d{1,2})(?:[snrt][tdh])?,?"
        r"(?: [\d:]+(?: [+-]\d{4}| [a-z]{3,4})?)? (?P<year>\d{4})",
        re.I,
    ),
)
_MONTH = re.compile(r"([a-z]{3})[a-z]*\.?,? (\d{4})", re.I)
# a column with gaps makes programs write whole numbers with a point
_SECONDS = re.compile(r"(\d{9,10}(?:\d{3})?)(?:\.\d+)?")
_LONGEST = 60


def parse_date(text: str, *, day_first: bool = False) -> str | None:
    """Return a date in ISO form, to the day or, where only that is known, to the month.

    >>> parse_date("2025-03-01T10:00:00Z"), parse_date("March 1st, 2025"), parse_date("Mar 2025")
    ('2025-03-01', '2025-03-01', '2025-03')
    >>> parse_date("3/4/2025"), parse_date("3/4/2025", day_first=True), parse_date("soon")
    ('2025-03-04', '2025-04-03', None)
    >>> parse_date("1740787200")
    '2025-03-01'
    """
    word = text.strip()
    if not word or len(word) > _LONGEST:
        return None
    if match := _ISO.match(word) or _COMPACT.fullmatch(word):
        year, month, day = match.groups()
        return _iso(year, month, day)
    if match := _NUMBERS.match(word):
        first, second, year = match.groups()
        return _iso(year, second, first) if day_first else _iso(year, first, second)
    if match := _SPACED_NUMBERS.fullmatch(word):
        month, day, year = match.groups()
        return _iso(year, month, day)
    return _parse_seconds(word) or _parse_words(word)


def is_day_first(texts: Iterable[str]) -> bool:
    """Distinguish 31/12/2025 from 12/31/2025 by the first date that shows it; else dots mean day first.

    >>> is_day_first(["3/4/2025", "15/4/2025"]), is_day_first(["3/4/2025"]), is_day_first(["3.4.2025"])
    (True, False, True)
    """
    has_dots = False
    for match in filter(None, (_NUMBERS.match(text.strip()) for text in texts)):
        if max(int(match[1]), int(match[2])) > 12:
            return int(match[1]) > 12
        has_dots = has_dots or "." in match[0]
    return has_dots


def fit_both_orders(texts: Iterable[str]) -> bool:
    """Return whether there are dates such as 3/4/2025, and none that shows which number is the day.

    >>> fit_both_orders(["3/4/2025"]), fit_both_orders(["3/4/2025", "15/4/2025"])
    (True, False)
    """
    matches = [match for text in texts if (match := _NUMBERS.match(text.strip()))]
    return bool(matches) and all(max(int(match[1]), int(match[2])) <= 12 for match in matches)


def _parse_words(word: str) -> str | None:
    for match in chain.from_iterable(pattern.finditer(word) for pattern in _WORDED):
        # "Sat Mar 1 10:00:00 EST 2025" begins with the day of the week, and ends like a date
        if _month_number(match["month"]) != "0":
            return _iso(match["year"], _month_number(match["month"]), match["day"])
    found = _MONTH.fullmatch(word)
    return _iso(found[2], _month_number(found[1]), None) if found else None


def _parse_seconds(word: str) -> str | None:
    if match := _SECONDS.fullmatch(word):
        seconds = int(match[1]) / (1000 if len(match[1]) > 10 else 1)
        return datetime.fromtimestamp(seconds, UTC).date().isoformat()
    return None


def _month_number(name: str) -> str:
    lower = name.lower()
    return str(_MONTHS.index(lower) + 1) if lower in _MONTHS else "0"


def _iso(year: str, month: str, day: str | None) -> str | None:
    full = int(year) + (0 if len(year) == 4 else 2000 if int(year) < 70 else 1900)
    try:
        found = date(full, int(month), int(day or 1))
    except ValueError:
        return None
    return found.isoformat() if day else found.isoformat()[:7]
