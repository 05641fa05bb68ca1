"""XLSX within bounds: the rows of the first sheet of a workbook, unpacked and parsed in one pass."""

import posixpath
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from xml.parsers import expat

from aspectlab.errors import DataError
from aspectlab.readers.source import Source
from aspectlab.readers.tables.csvfile import Row

MAX_UNPACKED_BYTES = 512 << 20
"""A workbook that says it unpacks to more is refused."""

MAX_RATIO = 200
"""A part over 1 MiB that is packed tighter is refused: sheets of real workbooks are packed about 10 to 1."""

_MAX_GAP_BYTES = 256 << 10
_PIECE_BYTES = 64 << 10
_PLAIN = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

# what the zip module raises when the directory, the flags or the packed bytes are broken
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, KeyError)

Start = Callable[[str, dict[str, str]], None]


class Parts:
    """The named parts of one workbook, which must not be a bomb."""

    def __init__(self, source: Source) -> None:
        self.source = source
        content = source.content()
        self.size = len(content)
        try:
            self._archive = zipfile.ZipFile(BytesIO(content))
            self._sizes = {part.filename: part for part in self._archive.infolist()}
        except _BROKEN as error:
            raise self._error("whole file", f"a broken archive ({error!s:.80})") from None
        self._refuse_bombs()

    def __contains__(self, name: str) -> bool:
        return name in self._sizes

    def parse(self, name: str, start: Start, text: Callable[[str], None], end: Callable[[str], None]) -> None:
        """Parse a whole part; see `stream`."""
        for _ in self.stream(name, start, text, end):
            pass

    def stream(
        self, name: str, start: Start, text: Callable[[str], None], end: Callable[[str], None]
    ) -> Iterator[None]:
        """Parse a part piece by piece, and give control back after each.

        `start`, `text` and `end` are called as expat calls its handlers; tags may carry a prefix.
        """
        # the encoding is set, since a declaration may name any that Python knows; workbooks are UTF-8
        parser = expat.ParserCreate("utf-8")
        parser.buffer_text = True
        parser.StartElementHandler, parser.EndElementHandler = start, end
        parser.CharacterDataHandler = text
        parser.StartDoctypeDeclHandler = self._refuse_doctype
        seen = 0
        for piece in self._unpack(name):
            try:
                parser.Parse(piece, not piece)
            except expat.ExpatError as error:
                raise self._error(f"part {name}, line {error.lineno}", f"{error!s:.80}") from None
            # expat scans an unfinished tag anew with each piece: without a limit one of 100 MB takes hours
            seen += len(piece)
            if seen - parser.CurrentByteIndex > _MAX_GAP_BYTES:
                raise self._error(f"part {name}", f"a tag of over {_MAX_GAP_BYTES:,} bytes")
            yield

    def _unpack(self, name: str) -> Iterator[bytes]:
        """Return the bytes of a part in pieces; the last one is empty."""
        try:
            with self._archive.open(name) as stream:
                piece = b"-"
                while piece:
                    piece = stream.read(_PIECE_BYTES)
                    yield piece
        except _BROKEN as error:
            raise self._error(f"part {name}", f"broken bytes ({error!s:.80})") from None

    def _refuse_bombs(self) -> None:
        total = sum(part.file_size for part in self._sizes.values())
        if total > MAX_UNPACKED_BYTES:
            raise self._error("whole file", f"{total:,} bytes unpacked", f"at most {MAX_UNPACKED_BYTES:,}")
        for part in self._sizes.values():
            if part.file_size > max(1 << 20, MAX_RATIO * part.compress_size):
                found = f"{part.file_size:,} bytes packed into {part.compress_size:,}"
                raise self._error(f"part {part.filename:.80}", found, f"at most {MAX_RATIO} to 1")
            # the other methods unpack without a limit on what one call gives
            if part.compress_type not in _PLAIN:
                found = f"packing method {part.compress_type}"
                raise self._error(f"part {part.filename:.80}", found, "deflate")

    def _refuse_doctype(self, name: str, system: str | None, public: str | None, internal: bool) -> None:
        raise self._error("XML prolog", "a document type declaration", "a workbook without one")

    def _error(self, where: str, found: str, expected: str = "an XLSX workbook") -> DataError:
        return self.source.error(where, found, expected, "save it again, or export the sheet as CSV")


MAX_ROWS, MAX_COLUMNS, MAX_CELL_CHARS = 1 << 20, 16_384, 32_767
"""Excel's own limits."""

MAX_SHEET_CHARS, FREE_SHEET_CHARS = 256 << 20, 16 << 20
"""More text in all cells together is refused: a string is stored once, but may be in a million cells."""

_CHARS_PER_BYTE = 100

_USED_COLUMNS = 1024

_WORKBOOK = "xl/workbook.xml"
_RELATIONS = "xl/_rels/workbook.xml.rels"
# half of a surrogate pair is not a character, so it stays as it is written
_ESCAPED = re.compile("_x((?![dD][89A-Fa-f])[0-9A-Fa-f]{4})_")


def read_xlsx(source: Source) -> Iterator[Row]:
    """Stream the rows of the first sheet that are not empty; numbers, dates and truth values are strings."""
    parts = Parts(source)
    sheet, strings = _find_parts(parts)
    limit = min(MAX_SHEET_CHARS, FREE_SHEET_CHARS + _CHARS_PER_BYTE * parts.size)
    reader = _SheetReader(source, _read_strings(parts, strings) if strings else [], limit)
    for _ in parts.stream(sheet, reader.start, reader.text, reader.end):
        yield from reader.take_rows()


def _find_parts(parts: Parts) -> tuple[str, str | None]:
    """Name the part that holds the first sheet, and the one that holds the strings, if there is one."""
    for name in (_WORKBOOK, _RELATIONS):
        if name not in parts:
            raise parts.source.error(
                f"part {name}", "nothing", "an XLSX workbook", "unpack it if it is another archive"
            )
    sheets, relations = _elements(parts, _WORKBOOK, "sheet"), _elements(parts, _RELATIONS, "Relationship")
    targets = {relation.get("Id", ""): _target(relation) for relation in relations}
    first = next((value for key, value in sheets[0].items() if _local(key) == "id"), "") if sheets else ""
    if targets.get(first, "") not in parts:
        raise parts.source.error(f"part {_WORKBOOK}", "no sheet", "at least one", "save the workbook again")
    if len(sheets) > 1:
        parts.source.note("workbook", f"only the first of {len(sheets)} sheets is read")
    tables = (
        _target(relation) for relation in relations if relation.get("Type", "").endswith("/sharedStrings")
    )
    return targets[first], next((name for name in tables if name in parts), None)


def _target(relation: dict[str, str]) -> str:
    """Name the part that a relation of the workbook leads to: an absolute path, or one from its folder."""
    return posixpath.normpath(posixpath.join("/xl", relation.get("Target", ""))).lstrip("/")


def _elements(parts: Parts, name: str, tag: str) -> list[dict[str, str]]:
    found: list[dict[str, str]] = []

    def start(element: str, attributes: dict[str, str]) -> None:
        if _local(element) == tag:
            found.append(attributes)

    parts.parse(name, start, lambda text: None, lambda element: None)
    return found


def _read_strings(parts: Parts, name: str) -> list[str]:
    """Read the table of strings; a string may come in runs, and its pronunciation is left out."""
    strings: list[str] = []
    pieces: list[str] = []
    inside: set[str] = set()

    def start(element: str, attributes: dict[str, str]) -> None:
        inside.add(_local(element))

    def text(piece: str) -> None:
        if "t" in inside and "rPh" not in inside:
            pieces.append(piece)

    def end(element: str) -> None:
        inside.discard(_local(element))
        if _local(element) == "si":
            strings.append(_unescape(parts.source, f"part {name}", pieces))
            pieces.clear()

    parts.parse(name, start, text, end)
    return strings


class _SheetReader:
    """The state between the tags of a sheet: the open row, the open cell, and the rows that are complete."""

    def __init__(self, source: Source, strings: list[str], limit: int) -> None:
        self._source = source
        self._strings = strings
        self._limit = limit
        self._columns: dict[str, int] = {}
        self._rows: list[tuple[int, dict[int, str]]] = []
        self._number = 0
        self._chars = 0
        self._cells: dict[int, str] = {}
        self._column = -1
        self._kind = ""
        self._pieces: list[str] | None = None

    def take_rows(self) -> Iterator[Row]:
        """Return the rows that are complete; each is filled up with empty cells only when it is asked for."""
        rows, self._rows = self._rows, []
        for number, found in rows:
            cells = [""] * (max(found) + 1)
            for column, value in found.items():
                cells[column] = value
            yield number, cells

    def start(self, element: str, attributes: dict[str, str]) -> None:
        tag = _local(element)
        if tag == "c":
            self._column = self._find_column(attributes.get("r"))
            self._kind = attributes.get("t", "n")
        elif tag in {"v", "t"}:
            self._pieces = [] if self._pieces is None else self._pieces
        elif tag == "row":
            self._open_row(attributes.get("r", ""))

    def text(self, piece: str) -> None:
        if self._pieces is not None:
            self._pieces.append(piece)

    def end(self, element: str) -> None:
        tag = _local(element)
        if tag == "c" and self._pieces is not None:
            value = self._value(self._pieces)
            # cells far to the right would make every row as long as that
            if value and self._column < _USED_COLUMNS:
                self._cells[self._column] = value
            self._count(len(value))
            self._pieces = None
        elif tag == "row" and any(cell.strip() for cell in self._cells.values()):
            self._rows.append((self._number, self._cells))

    def _count(self, chars: int) -> None:
        self._chars += chars
        if self._chars > self._limit:
            found = f"over {self._limit:,} characters so far"
            raise self._source.error(self._number, found, "a smaller sheet", "split it, or use CSV")

    def _open_row(self, number: str) -> None:
        self._number = int(number) if _is_index(number) else self._number + 1
        if self._number > MAX_ROWS:
            raise self._source.error(self._number, "another row", f"at most {MAX_ROWS:,}", "use CSV")
        self._cells, self._column = {}, -1

    def _find_column(self, reference: str | None) -> int:
        """Count the columns from 0; a cell without a reference follows the one before it."""
        letters = "" if reference is None else reference.rstrip("0123456789")
        column = self._column + 1 if reference is None else self._columns.get(letters)
        if column is None:
            column = self._columns[letters] = _column_number(letters)
        if not 0 <= column < MAX_COLUMNS:
            expected = f"a reference like B7, in one of {MAX_COLUMNS:,} columns"
            raise self._source.error(self._number, f"the cell {reference!r:.20}", expected)
        return column

    def _value(self, pieces: list[str]) -> str:
        if self._kind == "s":
            index = "".join(pieces).strip()
            if not _is_index(index) or int(index) >= len(self._strings):
                found = f"string number {index!r:.20}"
                raise self._source.error(self._number, found, f"one below {len(self._strings)}")
            return self._strings[int(index)]
        value = _unescape(self._source, self._number, pieces)
        if self._kind == "n":
            return _plain_number(value)
        return {"0": "FALSE", "1": "TRUE"}.get(value, value) if self._kind == "b" else value


def _is_index(text: str) -> bool:
    return text.isdecimal() and len(text) < 10


def _column_number(letters: str) -> int:
    """Count a column by its letters, from 0; -1 if these name none.

    >>> _column_number("A"), _column_number("XFD"), _column_number("ABCDE"), _column_number("é")
    (0, 16383, -1, -1)
    """
    if not re.fullmatch("[A-Z]{1,3}", letters):
        return -1
    column = 0
    for letter in letters:
        column = 26 * column + ord(letter) - ord("A") + 1
    return column - 1


def _local(name: str) -> str:
    """Drop the prefix of a tag or attribute, which a workbook may choose freely."""
    return name.rpartition(":")[2] if ":" in name else name


def _unescape(source: Source, where: int | str, pieces: list[str]) -> str:
    """Join the pieces of a string and resolve `_x000D_`, as XLSX writes what XML cannot hold."""
    text = "".join(pieces)
    if len(text) > MAX_CELL_CHARS:
        found = f"a cell of {len(text):,} characters"
        raise source.error(where, found, f"at most {MAX_CELL_CHARS:,}", "use CSV for longer texts")
    return _ESCAPED.sub(lambda match: chr(int(match.group(1), 16)), text) if "_x" in text else text


def _plain_number(value: str) -> str:
    """Write a whole number without exponent or fraction, as a CSV export shows it.

    >>> _plain_number("1.24E+9"), _plain_number("0.25"), _plain_number("-")
    ('1240000000', '0.25', '-')
    """
    if value.isdigit():
        return value
    try:
        number = float(value)
    except ValueError:
        return value
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)
