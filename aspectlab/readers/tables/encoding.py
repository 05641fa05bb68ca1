"""Text files of any encoding: which one it is, and the lines within bounds."""

import codecs
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from aspectlab.errors import ConfigError, DataError
from aspectlab.readers.source import MAX_LINE_BYTES
from aspectlab.untrusted import open_file

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
_ENOUGH_LINES = 10_000
# the bytes that Windows-1252 leaves undefined
_UNDEFINED = frozenset(b"\x81\x8d\x8f\x90\x9d")


@dataclass(frozen=True, slots=True)
class TextEncoding:
    """The name of an encoding, and whether it was only guessed."""

    name: str
    is_guess: bool = False


def detect_encoding(path: Path) -> TextEncoding:
    """Detect the encoding of a file: by its byte-order mark, by zero bytes, or by what decodes; else cp1252.

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
        return _compare_lines(stream)


def check_encoding(name: str) -> TextEncoding:
    """Take an encoding that a user names, or say that there is none of that name.

    >>> check_encoding("latin-1")
    TextEncoding(name='latin-1', is_guess=False)
    """
    try:
        "".encode(name)
    # a codec that is not an encoding of text raises a LookupError as well
    except (LookupError, ValueError):
        raise ConfigError(f"--encoding {name!r}: no such encoding: try utf-8, cp1252 or gb18030") from None
    return TextEncoding(name)


def read_lines(path: Path, encoding: str) -> Iterator[str]:
    """Stream the lines with their ends; what cannot be decoded is marked, and a huge line is cut."""
    codecs.register_error(_ESCAPING, _mark_undecodable)
    with open_binary(path) as stream:
        text = io.TextIOWrapper(stream, encoding, _ESCAPING, newline="")
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


def open_binary(path: Path) -> io.BufferedReader:
    """Open a file, or say why that cannot be."""
    try:
        return open_file(path)
    except OSError as error:
        raise DataError(f"{path}: cannot be read: {error.strerror}; check the path") from None


def _cut_lines(text: io.TextIOWrapper) -> Iterator[str]:
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


def _is_utf8(stream: io.BufferedReader) -> bool:
    decoder = codecs.getincrementaldecoder("utf-8")()
    try:
        while piece := stream.read(_SCAN_BYTES):
            decoder.decode(piece)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _compare_lines(stream: io.BufferedReader) -> TextEncoding:
    """Distinguish UTF-8 with some broken lines from an old one-byte encoding: most lines decide."""
    right = wrong = 0
    seen: set[int] = set()
    while (line := stream.readline(_SCAN_BYTES)) and right + wrong < _ENOUGH_LINES:
        if line.isascii():
            continue
        try:
            line.decode()
            right += 1
        except UnicodeDecodeError:
            wrong += 1
            seen.update(line)
    if right >= wrong:
        return TextEncoding("utf-8")
    return TextEncoding("latin-1" if seen & _UNDEFINED else "cp1252", is_guess=True)
