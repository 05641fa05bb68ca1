"""Table: titled rows of text that any format can write, with the signature and the command at its end."""

import hashlib
import re
from dataclasses import dataclass

from aspectlab.reports.runs.significance import Significance

_UNSAFE = re.compile(r"\.*[^A-Za-z0-9._+-]+")

_MAX_NAME_CHARS = 80
"""Letters of a part of a file's name. Two parts at most are named by users, and systems take 255."""

NOTHING = "–"
"""What stands where nothing was measured or nothing can be known."""


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell: its text, and how it stands in its column where that is known."""

    text: str
    mark: Significance | None = None


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table for people; the first `names` columns name the row, the others hold numbers."""

    name: str
    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Entry, ...], ...]
    notes: tuple[str, ...]
    signature: str
    command: str
    names: int = 1


def join_title(*parts: str) -> str:
    """Return what a table was measured on, to be followed by what it holds."""
    named = " · ".join(part for part in parts if part)
    return f"{named}: " if named else ""


def make_slug(*parts: str) -> str:
    """Join names to one that may stand in a file name or a label, whatever they hold.

    >>> make_slug("runs", "../my corpus", "", "f1")
    'runs-_my_corpus-f1'
    """
    return "-".join(_truncate_name(_UNSAFE.sub("_", part).lstrip(".")) for part in parts if part)


def _truncate_name(name: str) -> str:
    """Cut what no file system takes; the digest keeps names apart that begin alike."""
    return name if len(name) <= _MAX_NAME_CHARS else f"{name[: _MAX_NAME_CHARS - 9]}-{make_digest(name)}"


def make_digest(values: str) -> str:
    """Return a short digest of all values behind a table, so that it can be told from one of other runs.

    >>> make_digest("80.0")
    '5afc581c'
    """
    return hashlib.sha256(values.encode()).hexdigest()[:8]


def format_number(value: float | None, digits: int = 2) -> str:
    """Format a number with a true minus.

    >>> format_number(-1.234), format_number(None)
    ('−1.23', '–')
    """
    return NOTHING if value is None else f"{value:.{digits}f}".replace("-", "−")


def format_spread(mean: float, std: float | None) -> str:
    """Format a mean with its deviation, or alone where there is none.

    >>> format_spread(83.891, 1.134), format_spread(83.891, None)
    ('83.89 ± 1.13', '83.89')
    """
    return format_number(mean) if std is None else f"{format_number(mean)} ± {format_number(std)}"


def format_difference(difference: float, interval: tuple[float, float] | None) -> str:
    """Format a difference with its sign and its confidence interval.

    >>> format_difference(-0.5, (-1.25, 0.25))
    '−0.50 [−1.25, +0.25]'
    """
    if interval is None:
        return format_signed(difference)
    return f"{format_signed(difference)} [{format_signed(interval[0])}, {format_signed(interval[1])}]"


def format_signed(value: float) -> str:
    """Format a number with its sign; what rounds to nothing has none.

    >>> format_signed(1.5), format_signed(-1.5), format_signed(-0.001)
    ('+1.50', '−1.50', '0.00')
    """
    text = f"{value:+.2f}"
    return "0.00" if text in ("+0.00", "-0.00") else text.replace("-", "−")
