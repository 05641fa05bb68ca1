"""Sheet: the rows of an ABSITA file as they are, with everything that is wrong with them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from aspectlab.campaigns.absita.findings import Finding, Severity
from aspectlab.campaigns.absita.header import COLUMNS, DELIMITER, Header, read_header
from aspectlab.errors import DataError
from aspectlab.readers.csvfile import Row, read_csv
from aspectlab.readers.source import Source

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
class Sheet:
    """A file of the campaign: gold or run."""

    path: Path
    sha256: str
    lines: tuple[Line, ...]
    findings: tuple[Finding, ...]

    @cached_property  # asked for every line, and in an ACD run each answer would read all of them
    def has_polarity(self) -> bool:
        """Whether any polarity cell is filled; a run for ACD alone leaves all of them blank."""
        places = [place for place, name in enumerate(COLUMNS) if not name.endswith("_presence")]
        return any(line.flags[place] for line in self.lines for place in places)


def read_sheet(path: str | Path) -> Sheet:
    """Read a file as far as it can be read; what is wrong with it becomes findings, never an error."""
    source = Source(Path(path))
    findings: list[Finding] = []
    if source.head.start.startswith(_BOM):
        remedy = "save the file without it: the organisers' script stops at it"
        findings.append(Finding(Severity.WARNING, 1, "a byte-order mark", "none", remedy))
    lines = tuple(_read_lines(source, findings))
    return Sheet(source.path, source.sha256, lines, tuple(findings))


def _read_lines(source: Source, findings: list[Finding]) -> Iterator[Line]:
    rows = _collect(source, findings)
    first = next(rows, None)
    if first is None:
        if not findings:
            remedy = "begin the file with the header of the training file"
            findings.append(Finding(Severity.BLOCKER, None, "no rows", "a header and rows", remedy))
        return
    header, wrong = read_header(*first)
    findings += wrong
    if header is None:
        return
    for number, cells in rows:
        if len(cells) < header.width or any(cells[header.width :]):
            found, expected = f"{len(cells)} cells", f"{header.width}, as in the header"
            remedy = "leave cells blank but keep their semicolons, and quote a text that holds one"
            findings.append(Finding(Severity.BLOCKER, number, found, expected, remedy))
            continue
        findings += _check_id(number, cells[header.name])
        yield _read_line(number, cells, header, findings)


def _collect(source: Source, findings: list[Finding]) -> Iterator[Row]:
    """Stream the rows; where the file cannot be read on, say so and end."""
    rows = read_csv(source, DELIMITER)
    last = 0
    while True:
        try:
            row = next(rows, None)
        except DataError as error:
            # the message begins with file and line; the place is told again in our own form
            _, _, rest = str(error).removeprefix(f"{source.path}: ").partition(": found ")
            found, _, expected = rest.rpartition(": expected ")
            place = re.search(r"line (\d+)", str(error).removeprefix(str(source.path)))
            number = int(place[1]) if place else last + 1
            remedy = "mend this line first: nothing after it could be read"
            findings.append(Finding(Severity.BLOCKER, number, found, expected, remedy))
            return
        if row is None:
            return
        last = row[0]
        yield row


def _check_id(number: int, cell: str) -> Iterator[Finding]:
    name = cell.strip()
    if not name:
        yield Finding(Severity.BLOCKER, number, "no sentence_id", "one in every row", "fill it in")
    elif _SCIENTIFIC.fullmatch(name):
        remedy = "import the column as text: a spreadsheet has cut the number"
        yield Finding(Severity.BLOCKER, number, f"the sentence_id {name!r:.40}", "all of its digits", remedy)
    elif name != cell:
        found, remedy = f"blanks around the sentence_id {name!r:.40}", "remove them"
        yield Finding(Severity.ERROR, number, found, "none", remedy)
    elif name.startswith("0") and name.isdigit() and len(name) > 1:
        found, remedy = f"leading zeros in the sentence_id {name!r:.40}", "write it as the test file does"
        yield Finding(Severity.ERROR, number, found, "none", remedy)


def _read_line(number: int, cells: list[str], header: Header, findings: list[Finding]) -> Line:
    flags = tuple("" if place is None else cells[place] for place in header.flags)
    for column, value in zip(COLUMNS, flags, strict=True):
        if value not in {"0", "1", ""}:
            found = f"{value!r:.40} in {column}"
            remedy = "write 1 or 0 alone (`--fix` does): the organisers' script would count it as 0"
            findings.append(Finding(Severity.BLOCKER, number, found, "0 or 1", remedy))
    text = "" if header.text is None else cells[header.text]
    return Line(number, cells[header.name].strip(), flags, text)
