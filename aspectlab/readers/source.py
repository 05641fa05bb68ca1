"""Source: one input file, read within bounds, with errors that name the line."""

import ast
import codecs
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from io import BufferedReader
from itertools import dropwhile
from pathlib import Path
from typing import NamedTuple

from aspectlab import untrusted
from aspectlab.data import Part
from aspectlab.errors import DataError
from aspectlab.untrusted import open_file

MAX_LINE_BYTES = 4 << 20
"""Longer lines are refused: the longest line of any known data set is under 50 kB."""

MAX_FILE_BYTES = 64 << 20
"""Formats that must be held in memory as a whole (JSON, XML) are refused above this size."""

_HEAD_BYTES = 64 << 10


class Packing(NamedTuple):
    """A way of packing a file, and the command that undoes it."""

    name: str
    tool: str


_PACKINGS = {
    b"\x1f\x8b": Packing("gzip", "gunzip"),
    b"BZh": Packing("bzip2", "bunzip2"),
    b"\xfd7zXZ": Packing("xz", "unxz"),
    b"\x28\xb5\x2f\xfd": Packing("zstd", "unzstd"),
}
"""How packed files begin."""


@dataclass(frozen=True, slots=True)
class Head:
    """The beginning of a file, for recognising its format."""

    name: str
    start: bytes
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        """The first lines as one string."""
        return "\n".join(self.lines)


@dataclass(frozen=True, slots=True)
class CorpusDescription:
    """What a self-describing file says of its corpus."""

    name: str
    language: str
    annotates: frozenset[Part]
    version: str = ""


@dataclass(eq=False)
class Source:
    """A file that a reader reads; it also collects what the reader had to mend.

    Offsets count Unicode characters, so text is decoded as UTF-8 (with or without a byte-order mark) and
    never stripped or normalised.
    """

    path: Path
    notes: list[str] = field(default_factory=list)
    description: CorpusDescription | None = None

    def note(self, where: int | str, message: str) -> None:
        """Record something that was mended or left out, for the reader of the corpus."""
        self.notes.append(f"{self._locate(where)}: {message}")

    def error(self, where: int | str, found: str, expected: str, remedy: str = "") -> DataError:
        """Make an error that names file and line (or record), what was found and expected, and what to do."""
        advice = f"; {remedy}" if remedy else ""
        return DataError(f"{self.path}: {self._locate(where)}: found {found}: expected {expected}{advice}")

    def _locate(self, where: int | str) -> str:
        return f"line {where}" if isinstance(where, int) else where

    @cached_property
    def head(self) -> Head:
        """The first 64 KiB, more of a longer JSON line; empty lines before the first are left out."""
        self._refuse_pipe()
        with self._open() as stream:
            start = stream.read(_HEAD_BYTES)
            is_cut = len(start) == _HEAD_BYTES
            # the keys that tell one kind of JSON line from another may come after a long text
            if is_cut and b"\n" not in start and start.removeprefix(codecs.BOM_UTF8).startswith(b"{"):
                start += stream.readline(MAX_LINE_BYTES)
        lines = start.decode("utf-8-sig", "replace").split("\n")
        if is_cut and len(lines) > 1:
            lines.pop()
        filled = dropwhile(lambda line: not line.strip(), lines)
        return Head(self.path.name, start, tuple(line.removesuffix("\r") for line in filled))

    @cached_property
    def sha256(self) -> str:
        """Hash the bytes of the file."""
        self._refuse_pipe()
        with self._open() as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def lines(self) -> Iterator[tuple[int, str]]:
        """Stream the lines, numbered from 1, without their ends (LF or CRLF)."""
        for number, line in self.raw_lines():
            if number == 1:
                self._refuse_returns(line)
            yield number, self.decode(number, line).removesuffix("\n").removesuffix("\r")

    def raw_lines(self, kind: str = "text") -> Iterator[tuple[int, bytes]]:
        """Stream the lines with their ends, numbered from 1; a longer one than any text has is refused."""
        with self._open() as stream:
            number = 0
            while line := stream.readline(MAX_LINE_BYTES + 1):
                number += 1
                if len(line) > MAX_LINE_BYTES:
                    found, remedy = f"over {MAX_LINE_BYTES:,} bytes", f"is this a {kind} file?"
                    raise self.error(number, found, "a shorter line", remedy)
                yield number, line

    def decode(self, number: int, line: bytes, remedy: str | None = None) -> str:
        """Decode a line as UTF-8; the first may begin with a byte-order mark."""
        try:
            return line.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            found = f"{error.object[error.start : error.end]!r} at byte {error.start} of the line"
            raise self.error(number, found, "UTF-8", remedy or advise_recoding(line)) from None

    def content(self) -> bytes:
        """Read the whole file, if it is not too large for that."""
        with self._open() as stream:
            # one byte more than allowed tells a file that is too large, also where no size is known (a pipe)
            content = stream.read(MAX_FILE_BYTES + 1)
        if len(content) > MAX_FILE_BYTES:
            raise self.error("whole file", "more bytes", f"at most {MAX_FILE_BYTES:,}", "split it into parts")
        return content

    def text(self) -> str:
        """Read and decode the whole file."""
        try:
            return self.content().decode("utf-8-sig")
        except UnicodeDecodeError as error:
            where = f"byte {error.start}"
            found, remedy = repr(error.object[error.start : error.end]), advise_recoding(error.object)
            raise self.error(where, found, "UTF-8", remedy) from None

    def _refuse_returns(self, line: bytes) -> None:
        """Refuse a file whose only line ends are carriage returns: it would be read as one long record."""
        if b"\r" in line.rstrip() and not line.endswith(b"\n"):
            found, remedy = "carriage returns without line feeds", r"convert the file, with: tr '\r' '\n'"
            raise self.error("whole file", found, "line feeds", remedy)

    def _refuse_pipe(self) -> None:
        """Refuse what can be read once only: recognising a format would take its beginning away."""
        if self.path.is_fifo():
            raise self.error("whole file", "a pipe", "a file, which can be read twice", "write it to a file")

    def _open(self) -> BufferedReader:
        try:
            return open_file(self.path)
        except OSError as error:
            raise DataError(f"{self.path}: cannot be read: {error.strerror}; check the path") from None


def advise_recoding(start: bytes) -> str:
    r"""Return advice on converting a file that begins so, and is not UTF-8.

    >>> advise_recoding(b"\xff\xfeT\x00")
    'convert the file, for example with: iconv -f UTF-16 -t UTF-8'
    """
    encoding = "UTF-16" if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "LATIN1"
    return f"convert the file, for example with: iconv -f {encoding} -t UTF-8"


def find_packing(start: bytes) -> Packing | None:
    r"""Detect what packed a file that begins so; None if nothing did.

    >>> find_packing(b"BZh9"), find_packing(b"Fine.")
    (Packing(name='bzip2', tool='bunzip2'), None)
    """
    return next((packing for mark, packing in _PACKINGS.items() if start.startswith(mark)), None)


def parse_json(source: Source, where: int | str, text: str, *, unique: bool = False) -> object:
    """Parse one JSON value, or raise a DataError that names the line.

    Of two equal keys the parser keeps the last; with `unique` they are refused, where a key is an id.
    """
    try:
        return untrusted.parse_json(text, partial(_refuse_repeated, source) if unique else None)
    except ValueError as error:
        raise source.error(where, f"{text[:60]!r} ({error})", "valid JSON") from None


def _refuse_repeated(source: Source, pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        key, _ = Counter(key for key, _ in pairs).most_common(1)[0]
        raise source.error(f"key {key!r:.80}", "this key twice", "unique keys", "rename one of them")
    return found


def parse_literal(source: Source, where: int | str, text: str) -> object:
    """Parse one Python literal without evaluating anything, or raise a DataError that names the line."""
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, TypeError, RecursionError, MemoryError) as error:
        raise source.error(where, f"{text[:60]!r} ({error})", "a Python literal") from None
