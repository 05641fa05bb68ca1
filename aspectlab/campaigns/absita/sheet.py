"""Run files of ABSITA: read leniently, with findings for whatever is wrong in the header and in the lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aspectlab.campaigns.evaluation import RunFinding, Severity, show_names
from aspectlab.errors import DataError
from aspectlab.readers import CATEGORIES, Source
from aspectlab.readers.tables import Row, detect_delimiter, read_csv, split_header

FLAGS = ("presence", "positive", "negative")
COLUMNS = tuple(f"{category}_{flag}" for category in CATEGORIES for flag in FLAGS)
"""The 24 columns of flags in their order; the id stands before them, the sentence after them."""

DELIMITER = ";"
ID = "sentence_id"
_TEXT = "sentence"
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


def read_header(line: int, cells: Sequence[str]) -> tuple[Header | None, list[RunFinding]]:
    """Find the columns by name; without an id or a presence column there is no header to go by."""
    names = [_canonical(cell) for cell in cells]
    findings = [*_check_separator(line, cells, names), *_check_names(line, cells, names)]
    if any(finding.severity is Severity.BLOCKER for finding in findings):
        return None, findings
    positions = {name: position for position, name in enumerate(names)}
    width = max(positions[name] + 1 for name in names if name)
    flags = tuple(positions.get(column) for column in COLUMNS)
    return Header(width, positions[ID], positions.get(_TEXT), flags), findings


def _canonical(cell: str) -> str:
    """Return a column's name as the organisers write it.

    >>> _canonical(" Staff_pos ")
    'staff_positive'
    """
    category, bar, flag = cell.strip().lower().rpartition("_")
    return f"{category}{bar}{_ALIASES.get(flag, flag)}"


def _check_separator(line: int, cells: Sequence[str], names: Sequence[str]) -> Iterator[RunFinding]:
    if ID in names:
        return
    whole = DELIMITER.join(cells)
    other = detect_delimiter(whole)
    if other in _SEPARATORS and ID in [name.strip().lower() for name in split_header(whole, other)]:
        found, remedy = f"cells separated by {_SEPARATORS[other]}", "save the file with semicolons"
        yield RunFinding(Severity.BLOCKER, line, found, "semicolons", remedy)
        return
    found = f"the columns {show_names(cells)}"
    remedy = "begin the file with the header of the training file"
    yield RunFinding(Severity.BLOCKER, line, found, f"a header with the column {ID}", remedy)


def _check_names(line: int, cells: Sequence[str], names: Sequence[str]) -> Iterator[RunFinding]:
    if ID not in names:
        return
    known = (ID, *COLUMNS, _TEXT)
    if repeated := sorted({name for name in names if name and names.count(name) > 1}):
        found, remedy = f"the column {show_names(repeated)} twice", "remove or rename one of them"
        yield RunFinding(Severity.BLOCKER, line, found, "every column once", remedy)
    yield from _check_foreign(line, [name for name in names if name and name not in known])
    yield from _check_missing(line, [name for name in COLUMNS if name not in names])
    if renamed := [cell for cell, name in zip(cells, names, strict=True) if name in known and cell != name]:
        remedy = "rename them: the organisers' script does not know these"
        expected = "the names of the training file, such as staff_positive"
        yield RunFinding(Severity.WARNING, line, f"the columns {show_names(renamed)}", expected, remedy)
    present = [name for name in names if name in known]
    if present != [name for name in known if name in present]:
        remedy = "nothing has to be done: columns are found by name"
        yield RunFinding(
            Severity.WARNING, line, "columns in another order", "that of the training file", remedy
        )


def _check_foreign(line: int, names: Sequence[str]) -> Iterator[RunFinding]:
    for name in names:
        category, _, flag = name.rpartition("_")
        if flag in FLAGS:
            near = next((english for word, english in _ITALIAN.items() if word in category), None)
            remedy = f"write {near}_{flag}" if near else "use the English names"
            expected = f"one of {', '.join(CATEGORIES)}"
            yield RunFinding(Severity.BLOCKER, line, f"the category {category!r:.40}", expected, remedy)
        else:
            found, remedy = f"the column {name!r:.40}", "remove it if it is not meant: it is passed over"
            yield RunFinding(Severity.WARNING, line, found, "the columns of the training file", remedy)


def _check_missing(line: int, missing: Sequence[str]) -> Iterator[RunFinding]:
    """Allow a file without `other`, and one without any polarity; anything else looks like a mistake."""
    polarities = [name for name in COLUMNS if not name.endswith("_presence")]
    aspects = [name for name in polarities if not name.startswith("other_")]
    no_polarity = all(name in missing for name in aspects)
    others = [name for name in COLUMNS if name.startswith("other_")]
    free = {*others} if all(name in missing for name in others) else set()
    if no_polarity:
        free |= {*polarities}
        found, remedy = "no polarity columns", "add them, with blank cells, to follow the full format"
        yield RunFinding(Severity.ERROR, line, found, "26 columns", remedy)
    if lost := [name for name in missing if name not in free]:
        found, remedy = f"no column {show_names(lost)}", "add what is missing"
        yield RunFinding(Severity.BLOCKER, line, found, "the columns of the training file", remedy)


# a spreadsheet turns 1240351476 into this, and the last digits are gone
_SCIENTIFIC = re.compile(r"\d+([.,]\d+)?[eE]\+?\d+")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, slots=True)
class Line:
    """One row: where it stands, its id, its 24 flags ("0", "1" or "" for blank), and its text."""

    number: int
    id: str
    flags: tuple[str, ...]
    text: str


@dataclass(frozen=True)
class RunSheet:
    """A file of the campaign: gold or run."""

    path: Path
    sha256: str
    lines: tuple[Line, ...]
    findings: tuple[RunFinding, ...]

    @cached_property  # asked for every line, and in an ACD run each answer would read all of them
    def has_polarity(self) -> bool:
        """Whether any polarity cell is filled; a run for ACD alone leaves all of them blank."""
        positions = [position for position, name in enumerate(COLUMNS) if not name.endswith("_presence")]
        return any(line.flags[position] for line in self.lines for position in positions)


def read_sheet(path: str | Path) -> RunSheet:
    """Read a file as far as it can be read; what is wrong with it becomes findings, never an error."""
    source = Source(Path(path))
    findings: list[RunFinding] = []
    if source.head.start.startswith(_BOM):
        remedy = "save the file without it: the organisers' script stops at it"
        findings.append(RunFinding(Severity.WARNING, 1, "a byte-order mark", "none", remedy))
    lines = tuple(_read_lines(source, findings))
    return RunSheet(source.path, source.sha256, lines, tuple(findings))


def _read_lines(source: Source, findings: list[RunFinding]) -> Iterator[Line]:
    rows = _collect(source, findings)
    first = next(rows, None)
    if first is None:
        if not findings:
            remedy = "begin the file with the header of the training file"
            findings.append(RunFinding(Severity.BLOCKER, None, "no rows", "a header and rows", remedy))
        return
    header, wrong = read_header(*first)
    findings += wrong
    if header is None:
        return
    for number, cells in rows:
        if len(cells) < header.width or any(cells[header.width :]):
            found, expected = f"{len(cells)} cells", f"{header.width}, as in the header"
            remedy = "leave cells blank but keep their semicolons, and quote a text that holds one"
            findings.append(RunFinding(Severity.BLOCKER, number, found, expected, remedy))
            continue
        findings += _check_id(number, cells[header.name])
        yield _read_line(number, cells, header, findings)


def _collect(source: Source, findings: list[RunFinding]) -> Iterator[Row]:
    """Stream the rows; where the file cannot be read on, say so and end."""
    rows = read_csv(source, DELIMITER)
    last = 0
    while True:
        try:
            row = next(rows, None)
        except DataError as error:
            # the message begins with file and line; the position is given again in our own form
            _, _, rest = str(error).removeprefix(f"{source.path}: ").partition(": found ")
            found, _, expected = rest.rpartition(": expected ")
            position = re.search(r"line (\d+)", str(error).removeprefix(str(source.path)))
            number = int(position[1]) if position else last + 1
            remedy = "correct this line first: nothing after it could be read"
            findings.append(RunFinding(Severity.BLOCKER, number, found, expected, remedy))
            return
        if row is None:
            return
        last = row[0]
        yield row


def _check_id(number: int, cell: str) -> Iterator[RunFinding]:
    name = cell.strip()
    if not name:
        yield RunFinding(Severity.BLOCKER, number, "no sentence_id", "one in every row", "fill it in")
    elif _SCIENTIFIC.fullmatch(name):
        remedy = "import the column as text: a spreadsheet has cut the number"
        yield RunFinding(
            Severity.BLOCKER, number, f"the sentence_id {name!r:.40}", "all of its digits", remedy
        )
    elif name != cell:
        found, remedy = f"blanks around the sentence_id {name!r:.40}", "remove them"
        yield RunFinding(Severity.ERROR, number, found, "none", remedy)
    elif name.startswith("0") and name.isdigit() and len(name) > 1:
        found, remedy = f"leading zeros in the sentence_id {name!r:.40}", "write it as the test file does"
        yield RunFinding(Severity.ERROR, number, found, "none", remedy)


def _read_line(number: int, cells: list[str], header: Header, findings: list[RunFinding]) -> Line:
    flags = tuple("" if position is None else cells[position] for position in header.flags)
    for column, value in zip(COLUMNS, flags, strict=True):
        if value not in {"0", "1", ""}:
            found = f"{value!r:.40} in {column}"
            remedy = "write 1 or 0 alone (`--fix` does): the organisers' script would count it as 0"
            findings.append(RunFinding(Severity.BLOCKER, number, found, "0 or 1", remedy))
    text = "" if header.text is None else cells[header.text]
    return Line(number, cells[header.name].strip(), flags, text)
