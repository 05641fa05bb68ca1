"""The parts of a workbook, unpacked within bounds and parsed as XML without entities."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from io import BytesIO
from xml.parsers import expat

from aspectlab.errors import DataError
from aspectlab.readers.source import Source

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
        """Give the bytes of a part in pieces; the last one is empty."""
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
        return self.source.error(where, found, expected, "save it anew, or export the sheet as CSV")
