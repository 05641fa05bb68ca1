"""Source: one input file, read within bounds, with errors that name the line; and text of any encoding."""

import ast
import codecs
import hashlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property, partial
from io import BufferedReader, TextIOWrapper
from itertools import dropwhile
from pathlib import Path
from typing import NamedTuple

from aspectlab import untrusted
from aspectlab.data import Part
from aspectlab.errors import ConfigError, DataError

MAX_LINE_BYTES = 4 << 20
"""Longer lines are refused: the longest line of any known data set is under 50 kB."""

MAX_FILE_BYTES = 64 << 20
"""Formats that must be held in memory as a whole (JSON, XML) are refused above this size."""

_HEAD_BYTES = 64 << 10

_ESCAPING = "aspectlab-mark"
_UNDECODABLE = "\udcff"
_MARKS = {
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF32_LE: "utf-32",  # before UTF-16, whose mark it begins with
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
_SCAN_BYTES = 1 << 20
_ENOUGH_LINES, _ENOUGH_BYTES, _CHANCE = 10_000, 1 << 16, 0.05
_LATIN = ["cp1252", "mac_roman", "cp437"]
_OTHER_SCRIPTS = [
    *("cp1255", "cp1256", "cp1251", "koi8_r", "cp1253", "cp932", "euc_jp", "gb18030", "big5", "cp949"),
]
"""The old encodings that are looked for; of two that fit as well, the first is meant."""

_EQUAL = 0.05
_MOST_ACCENTS = 0.2  # of Latin script fewer bytes are beyond ASCII
# the bytes that Windows-1252 leaves undefined
_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")


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
    """What a self-describing file says of its corpus; without a name it is called as the file is."""

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
        with open_binary(self.path) as stream:
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
        with open_binary(self.path) as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()

    def lines(self) -> Iterator[tuple[int, str]]:
        """Stream the lines, numbered from 1, without their ends (LF or CRLF)."""
        for number, line in self.raw_lines():
            if number == 1:
                self._refuse_returns(line)
            yield number, self.decode(number, line).removesuffix("\n").removesuffix("\r")

    def raw_lines(self, kind: str = "text") -> Iterator[tuple[int, bytes]]:
        """Stream the lines with their ends, numbered from 1; a longer one than any text has is refused."""
        with open_binary(self.path) as stream:
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
        with open_binary(self.path) as stream:
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


def is_zip(head: Head) -> bool:
    """Return whether a file begins as a workbook does.

    >>> is_zip(Head("a.xlsx", b"PK..", ()))
    True
    """
    return head.start.startswith(b"PK")


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


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """The name of an encoding, and whether it was only guessed."""

    name: str
    is_guess: bool = False


def detect_encoding(path: Path) -> TextEncoding:
    """Detect the encoding of a file: by its byte-order mark, zero bytes, or what decodes; else guess it.

    The whole file is looked at, since the first letter beyond ASCII may come late.
    """
    with open_binary(path) as stream:
        head = stream.read(4096)
        marked = next((name for mark, name in _MARKS.items() if head.startswith(mark)), None)
        if marked:
            return TextEncoding(marked)
        if wide := _wide_encoding(head):
            return TextEncoding(wide)
        stream.seek(0)
        if _is_utf8(stream):
            return TextEncoding("utf-8")
        stream.seek(0)
        return _compare_lines(path, stream)


def check_encoding(name: str) -> TextEncoding:
    """Take an encoding that a user names, or say that there is none of that name.

    >>> check_encoding("latin-1")
    TextEncoding(name='latin-1', is_guess=False)
    """
    try:
        "".encode(name)
    # a codec that is not an encoding of text raises a LookupError as well
    except (LookupError, ValueError):
        raise ConfigError(f"--encoding {name!r}: no such encoding; try utf-8, cp1252 or gb18030") from None
    return TextEncoding(name)


def read_lines(path: Path, encoding: str) -> Iterator[str]:
    """Stream the lines with their ends; what cannot be decoded is marked, and a huge line is cut."""
    codecs.register_error(_ESCAPING, _mark_undecodable)
    with open_binary(path) as stream:
        text = TextIOWrapper(stream, encoding, _ESCAPING, newline="")
        try:
            yield from _cut_lines(text)
        # what no mark can replace: UTF-16 without the mark that says its order, or a codec of names
        except UnicodeError as error:
            raise DataError(
                f"{path}: cannot be read as {encoding}: {error}; name another --encoding"
            ) from None


def is_clean(text: str) -> bool:
    r"""Return whether a text holds neither undecodable bytes nor half a surrogate pair.

    >>> is_clean("café"), is_clean("caf\udcff")
    (True, False)
    """
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def open_binary(path: Path) -> BufferedReader:
    """Open a file, or say why that cannot be."""
    try:
        return untrusted.open_file(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None


def _cut_lines(text: TextIOWrapper) -> Iterator[str]:
    while line := text.readline(MAX_LINE_BYTES):
        yield line
        # a line may only be longer if it was cut: its rest is skipped in pieces
        while len(line) == MAX_LINE_BYTES and not line.endswith(("\n", "\r")):
            line = text.readline(MAX_LINE_BYTES)


def _mark_undecodable(error: UnicodeError) -> tuple[str, int]:
    """Stand a character that no text holds for bytes that are none; rows with it are skipped."""
    if isinstance(error, UnicodeDecodeError):
        return _UNDECODABLE, error.end
    raise error


def _wide_encoding(head: bytes) -> str | None:
    """Recognise UTF-16 without a mark: every other byte of most texts is zero."""
    even, odd = head[::2].count(0), head[1::2].count(0)
    if max(even, odd) < 0.3 * len(head) / 2 or min(even, odd) > 0.1 * max(even, odd):
        return None
    return "utf-16-le" if odd > even else "utf-16-be"


def _is_utf8(stream: BufferedReader) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while piece := stream.read(_SCAN_BYTES):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _compare_lines(path: Path, stream: BufferedReader) -> TextEncoding:
    """Distinguish UTF-8 with some broken lines from another encoding: most lines decide."""
    right = wrong = 0
    sample = bytearray()
    while (line := stream.readline(_SCAN_BYTES)) and right + wrong < _ENOUGH_LINES:
        if line.isascii():
            continue
        try:
            line.decode()
            right += 1
        except UnicodeDecodeError:
            wrong += 1
            sample += line if len(sample) < _ENOUGH_BYTES else b""
    if right >= wrong:
        return TextEncoding("utf-8")
    # a few lines of an old encoding are UTF-8 by chance
    if right > _CHANCE * wrong:
        raise DataError(
            f"{path}: whole file: found {right:,} lines in UTF-8 and {wrong:,} in another encoding: expected "
            "one encoding; convert the parts before they are joined, or name an --encoding for all"
        )
    return TextEncoding(_guess_encoding(bytes(sample)), is_guess=True)


def _guess_encoding(sample: bytes) -> str:
    r"""Return the encoding in which a sample that is not UTF-8 looks most like text.

    >>> _guess_encoding("L’hôtel était très calme.".encode("mac_roman"))
    'mac_roman'
    """
    from charset_normalizer import from_bytes  # few files need it

    is_latin = sum(byte > 127 for byte in sample) < _MOST_ACCENTS * len(sample)
    expected = _LATIN if is_latin else _OTHER_SCRIPTS
    found = from_bytes(sample, cp_isolation=expected)
    least = min((match.chaos for match in found), default=0.0)
    near = [match for match in found if match.chaos <= least + _EQUAL]
    equal = {name: match.coherence for match in near for name in match.could_be_from_charset}
    # max() takes the first of equals
    name = max((name for name in expected if name in equal), key=equal.__getitem__, default="cp1252")
    return "latin-1" if name == "cp1252" and _UNDEFINED & set(sample) else name
