"""The header of an ABSITA file: which column is which, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from aspectlab.campaigns.absita.findings import Finding, Severity, show_names
from aspectlab.readers.absita import CATEGORIES
from aspectlab.readers.csvfile import detect_delimiter, split_header

FLAGS = ("presence", "positive", "negative")
COLUMNS = tuple(f"{category}_{flag}" for category in CATEGORIES for flag in FLAGS)
"""The 24 columns of flags in their order; the id stands before them, the sentence after them."""

DELIMITER = ";"
_ID, _TEXT = "sentence_id", "sentence"
_ALIASES = {"pos": "positive", "neg": "negative"}
_ITALIAN = {"pulizia": "cleanliness", "servizi": "amenities", "posizione": "location", "prezzo": "value"}
_SEPARATORS = {",": "commas", "\t": "tabs"}


@dataclass(frozen=True, slots=True)
class Header:
    """Where the columns stand; None where the file does not have one."""

    width: int
    name: int
    text: int | None
    flags: tuple[int | None, ...]  # [24], in the order of COLUMNS


def read_header(line: int, cells: Sequence[str]) -> tuple[Header | None, list[Finding]]:
    """Find the columns by name; without an id or a presence column there is no header to go by."""
    names = [_canonical(cell) for cell in cells]
    findings = [*_check_separator(line, cells, names), *_check_names(line, cells, names)]
    if any(finding.severity is Severity.BLOCKER for finding in findings):
        return None, findings
    places = {name: place for place, name in enumerate(names)}
    width = max(places[name] + 1 for name in names if name)
    flags = tuple(places.get(column) for column in COLUMNS)
    return Header(width, places[_ID], places.get(_TEXT), flags), findings


def _canonical(cell: str) -> str:
    """Give a column's name as the organisers write it.

    >>> _canonical(" Staff_pos ")
    'staff_positive'
    """
    category, bar, flag = cell.strip().lower().rpartition("_")
    return f"{category}{bar}{_ALIASES.get(flag, flag)}"


def _check_separator(line: int, cells: Sequence[str], names: Sequence[str]) -> Iterator[Finding]:
    if _ID in names:
        return
    whole = DELIMITER.join(cells)
    other = detect_delimiter(whole)
    if other in _SEPARATORS and _ID in [name.strip().lower() for name in split_header(whole, other)]:
        found, remedy = f"cells separated by {_SEPARATORS[other]}", "save the file with semicolons"
        yield Finding(Severity.BLOCKER, line, found, "semicolons", remedy)
        return
    found = f"the columns {show_names(cells)}"
    remedy = "begin the file with the header of the training file"
    yield Finding(Severity.BLOCKER, line, found, f"a header with the column {_ID}", remedy)


def _check_names(line: int, cells: Sequence[str], names: Sequence[str]) -> Iterator[Finding]:
    if _ID not in names:
        return
    known = (_ID, *COLUMNS, _TEXT)
    if repeated := sorted({name for name in names if name and names.count(name) > 1}):
        found, remedy = f"the column {show_names(repeated)} twice", "remove or rename one of them"
        yield Finding(Severity.BLOCKER, line, found, "every column once", remedy)
    yield from _check_foreign(line, [name for name in names if name and name not in known])
    yield from _check_missing(line, [name for name in COLUMNS if name not in names])
    if renamed := [cell for cell, name in zip(cells, names, strict=True) if name in known and cell != name]:
        remedy = "rename them: the organisers' script does not know these"
        expected = "the names of the training file, such as staff_positive"
        yield Finding(Severity.WARNING, line, f"the columns {show_names(renamed)}", expected, remedy)
    present = [name for name in names if name in known]
    if present != [name for name in known if name in present]:
        remedy = "nothing has to be done: columns are found by name"
        yield Finding(Severity.WARNING, line, "columns in another order", "that of the training file", remedy)


def _check_foreign(line: int, names: Sequence[str]) -> Iterator[Finding]:
    for name in names:
        category, _, flag = name.rpartition("_")
        if flag in FLAGS:
            near = next((english for word, english in _ITALIAN.items() if word in category), None)
            remedy = f"write {near}_{flag}" if near else "use the English names"
            expected = f"one of {', '.join(CATEGORIES)}"
            yield Finding(Severity.BLOCKER, line, f"the category {category!r:.40}", expected, remedy)
        else:
            found, remedy = f"the column {name!r:.40}", "remove it if it is not meant: it is passed over"
            yield Finding(Severity.WARNING, line, found, "the columns of the training file", remedy)


def _check_missing(line: int, missing: Sequence[str]) -> Iterator[Finding]:
    """Allow a file without `other`, and one without any polarity; anything else looks like a mistake."""
    polarities = [name for name in COLUMNS if not name.endswith("_presence")]
    aspects = [name for name in polarities if not name.startswith("other_")]
    no_polarity = all(name in missing for name in aspects)
    others = [name for name in COLUMNS if name.startswith("other_")]
    free = {*others} if all(name in missing for name in others) else set()
    if no_polarity:
        free |= {*polarities}
        found, remedy = "no polarity columns", "add them, with blank cells, to follow the full format"
        yield Finding(Severity.ERROR, line, found, "26 columns", remedy)
    if lost := [name for name in missing if name not in free]:
        found, remedy = f"no column {show_names(lost)}", "add what is missing"
        yield Finding(Severity.BLOCKER, line, found, "the columns of the training file", remedy)
