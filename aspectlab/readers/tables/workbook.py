"""Workbooks within bounds: XLSX, XLSB, XLS and ODS, read by python-calamine in a process of its own."""

import json
import subprocess
import sys
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

from aspectlab.errors import ConfigError
from aspectlab.readers.source import Head, Source, is_zip
from aspectlab.readers.tables.columns import KNOWN_NAMES, normalise_name
from aspectlab.readers.tables.csvfile import Row
from aspectlab.registry import suggest

MAX_UNPACKED_BYTES = 512 << 20
"""A workbook that says it unpacks to more is refused."""

MAX_RATIO = 200
"""A part over 1 MiB that is packed tighter is refused: sheets of real workbooks are packed about 10 to 1."""

MAX_SHEET_CHARS = 256 << 20
"""More text in all cells together is refused: a string is stored once, but may be in a million cells."""

FREE_BYTES, BYTES_PER_BYTE, MAX_BYTES = 512 << 20, 12, 2 << 30
"""The address space of the worker: what it has anyway, so much more a byte unpacked, and never above this."""

_MAX_SECONDS = 300
_OLE = b"\xd0\xcf\x11\xe0"
_WORKER = Path(__file__).with_name("workbook_worker.py")
_PLAIN = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}
_KINDS = "an XLSX, XLSB, XLS or ODS workbook"
_REMEDY = "save it again, or export the sheet as CSV"

# what the zip module raises when the directory, the flags or the packed bytes are broken
_BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, OSError, RuntimeError, ValueError, KeyError)


def is_workbook(head: Head) -> bool:
    r"""Return whether a file begins as a workbook does; other archives and old documents do too.

    >>> is_workbook(Head("a.xls", b"\xd0\xcf\x11\xe0", ())), is_workbook(Head("a.csv", b"id,text", ()))
    (True, False)
    """
    return is_zip(head) or head.start.startswith(_OLE)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet of a workbook: its name and, unless it is hidden, its height and first rows."""

    name: str
    is_hidden: bool
    height: int
    rows: Sequence[Sequence[str]]

    @property
    def is_table(self) -> bool:
        """Whether a row names two columns or more as columns of reviews are usually named."""
        return any(len({normalise_name(cell) for cell in row} & KNOWN_NAMES) >= 2 for row in self.rows)


def choose_sheet(source: Source, name: str | None = None) -> Sheet:
    """Return the sheet of this name or, without one, the first with named columns, else the largest.

    Hidden sheets and title pages are passed over unless they are named; a note says what was read.
    """
    sheets = [Sheet(**line) for line in _ask(source) if isinstance(line, dict)]
    if name is not None:
        return _find_sheet(source, sheets, name)
    filled = [sheet for sheet in sheets if sheet.rows]
    if not filled:
        hidden = [sheet.name for sheet in sheets if sheet.is_hidden]
        found = (
            f"only hidden sheets, such as {hidden[0]!r:.60}" if hidden else "no row" if sheets else "no sheet"
        )
        raise source.error("workbook", found, "a sheet with rows", "choose another file or name a --sheet")
    chosen = max(filled, key=lambda sheet: (sheet.is_table, sheet.height))
    if len(sheets) > 1:
        hidden_count = sum(sheet.is_hidden for sheet in sheets)
        hidden_part = f" ({hidden_count} hidden)" if hidden_count else ""
        source.note("workbook", f"only sheet {chosen.name!r:.60} of {len(sheets)}{hidden_part} is read")
    return chosen


def _find_sheet(source: Source, sheets: Sequence[Sheet], name: str) -> Sheet:
    exact = [sheet for sheet in sheets if sheet.name == name]
    found = exact or [sheet for sheet in sheets if sheet.name.casefold() == name.strip().casefold()]
    if not found:
        names = [sheet.name for sheet in sheets]
        raise ConfigError(f"{source.path}: --sheet {name!r}: no such sheet: {suggest(name, names)}")
    return found[0]


def read_sheet(source: Source, name: str) -> Iterator[Row]:
    """Stream the rows of a sheet that are not empty, with their numbers; all cells are strings."""
    chars = 0
    for line in _ask(source, name):
        number, cells = line
        chars += sum(map(len, cells))
        if chars > MAX_SHEET_CHARS:
            found = f"over {MAX_SHEET_CHARS:,} characters so far"
            raise source.error(number, found, "a smaller sheet", "split it, or use CSV")
        yield number, cells


def _ask(source: Source, sheet: str | None = None) -> Iterator[Any]:
    """Stream the lines of the worker's answer; what it cannot read is an error, and so is its end."""
    memory = _limit_memory(source)
    name = "" if sheet is None else json.dumps(sheet)
    # without the folder of the script, whose modules would stand for others of their names
    command = [sys.executable, "-P", str(_WORKER), str(source.path.absolute()), name]
    worker = subprocess.Popen(  # noqa: S603 our own script
        [*command, str(memory), str(_MAX_SECONDS)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    with worker:
        assert worker.stdout is not None
        try:
            for text in worker.stdout:
                line = json.loads(text)
                if line is True:
                    return
                if isinstance(line, dict) and "error" in line:
                    raise source.error("workbook", _name_fault(line["error"]), _KINDS, _REMEDY)
                yield line
        finally:
            worker.kill()
    found = f"a sheet that needs over {memory >> 20:,} MiB or {_MAX_SECONDS} seconds, or breaks the reader"
    raise source.error("workbook", found, "a smaller one", "split it, or export the sheet as CSV")


def _name_fault(message: str) -> str:
    # the reader tries all formats, and names the fault of none
    return "no workbook" if message == "Cannot detect file format" else f"{message:.200}"


def _limit_memory(source: Source) -> int:
    """Return what the worker may use for such a file; what looks like a bomb is refused."""
    content = source.content()
    unpacked = len(content)
    if is_zip(source.head):
        try:
            with zipfile.ZipFile(BytesIO(content)) as archive:
                parts = archive.infolist()
        except _BROKEN as error:
            raise source.error("whole file", f"a broken archive ({error!s:.80})", _KINDS, _REMEDY) from None
        _refuse_bombs(source, parts)
        unpacked = sum(part.file_size for part in parts)
    return min(FREE_BYTES + BYTES_PER_BYTE * unpacked, MAX_BYTES)


def _refuse_bombs(source: Source, parts: Sequence[zipfile.ZipInfo]) -> None:
    total = sum(part.file_size for part in parts)
    if total > MAX_UNPACKED_BYTES:
        expected = f"at most {MAX_UNPACKED_BYTES:,}"
        raise source.error("whole file", f"{total:,} bytes unpacked", expected, _REMEDY)
    for part in parts:
        where = f"part {part.filename:.80}"
        if part.file_size > max(1 << 20, MAX_RATIO * part.compress_size):
            found = f"{part.file_size:,} bytes packed into {part.compress_size:,}"
            raise source.error(where, found, f"at most {MAX_RATIO} to 1", _REMEDY)
        # the other methods unpack without a limit on what one call gives
        if part.compress_type not in _PLAIN:
            raise source.error(where, f"packing method {part.compress_type}", "deflate", _REMEDY)
