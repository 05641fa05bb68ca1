"""What others wrote: files of the expected kind and size, JSON and numbers, checked before they are used.

A path may lead to a device without end or to a pipe that nobody writes to. JSON may be nested until the
parser's stack is used up, and hold whole numbers beyond any float. What reads such files does it from here.
"""

from __future__ import annotations

import errno
import json
import math
import os
import re
import stat
import tomllib
from collections.abc import Callable
from io import BufferedReader
from pathlib import Path

from aspectlab.errors import DataError

LARGEST_RECORD = 64 << 20
"""No file that is read as a whole, such as JSON, has more bytes."""

_KINDS: dict[Callable[[int], bool], str] = {
    stat.S_ISDIR: "a folder",
    stat.S_ISFIFO: "a pipe",
    stat.S_ISCHR: "a device",
    stat.S_ISBLK: "a device",
    stat.S_ISSOCK: "a socket",
}
_AT_ONCE = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
"""A pipe is opened without waiting for someone who writes to it; Windows changes no line ends."""


def open_file(path: Path) -> BufferedReader:
    """Open a regular file to read its bytes; anything else is an OSError, and never waited for.

    Files without a size count as empty: those that the system makes up may have no end.
    """
    _refuse_special(path, path.stat().st_mode)  # to open a device may already do something
    stream = os.fdopen(os.open(path, os.O_RDONLY | _AT_ONCE), "rb")
    try:
        status = os.fstat(stream.fileno())
        _refuse_special(path, status.st_mode)
    except BaseException:
        stream.close()
        raise
    if status.st_size:
        return stream
    stream.close()
    return Path(os.devnull).open("rb")


def _refuse_special(path: Path, mode: int) -> None:
    for is_kind, name in _KINDS.items():
        if is_kind(mode):
            raise OSError(errno.EINVAL, f"it is {name}, not a file", str(path))


def read_file(path: Path, most: int = LARGEST_RECORD) -> bytes:
    """Read a file as a whole; one of more bytes than `most` is an OSError, and not read.

    >>> read_file(Path(os.devnull))
    Traceback (most recent call last):
    OSError: [Errno 22] it is a device, not a file: '/dev/null'
    """
    with open_file(path) as stream:
        content = stream.read(most + 1)
    if len(content) > most:
        raise OSError(errno.EFBIG, f"it has over {most:,} bytes", str(path))
    return content


def read_json(path: Path, most: int = LARGEST_RECORD) -> object:
    """Read a file of JSON; an OSError if it cannot be read, a ValueError if it is no JSON in UTF-8."""
    return parse_json(read_file(path, most).decode())


Pairs = list[tuple[str, object]]


def parse_json(text: str, make_object: Callable[[Pairs], object] | None = None) -> object:
    """Parse JSON; a ValueError for all that is none, or is nested too deeply for the parser.

    >>> parse_json("[" * 100_000)
    Traceback (most recent call last):
    ValueError: nested too deeply
    """
    try:
        return json.loads(text, object_pairs_hook=make_object)
    except RecursionError:
        raise ValueError("nested too deeply") from None


_NUMBER = re.compile(r"[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?", re.ASCII)
_MOST_DIGITS = 15
"""Whole numbers of so many digits are exact in every program."""


def parse_number(text: str) -> float | None:
    """Read a finite number; None for what else float() takes, such as 8_4, nan or digits of other scripts.

    >>> parse_number("8.4"), parse_number("8_4"), parse_number("nan"), parse_number("1e999")
    (8.4, None, None, None)
    """
    number = float(text) if _NUMBER.fullmatch(text) else math.inf
    return number if math.isfinite(number) else None


def parse_count(text: str) -> int | None:
    """Read a whole number from 0 on; None for what int() refuses, as it does "²" though that is a digit.

    >>> parse_count("17"), parse_count("²"), parse_count("-1"), parse_count("9" * 5000)
    (17, None, None, None)
    """
    is_count = text.isascii() and text.isdigit() and len(text) <= _MOST_DIGITS
    return int(text) if is_count else None


def as_number(value: object) -> float | None:
    """Take a value of JSON as a finite number; None if it is none.

    >>> as_number(3), as_number(True), as_number("3"), as_number(10**400)
    (3.0, None, None, None)
    """
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def parse_toml(text: str) -> dict[str, object]:
    """Parse TOML; a ValueError for all that is none, or is nested too deeply for the parser."""
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None


_MOST_ENTRIES = 10_000
_WEIGHTS = (".safetensors", ".bin", ".npz", ".npy")
"""How files end whose size is that of a model; all others are read as a whole."""


def check_model_folder(folder: Path) -> None:
    """Refuse a folder of a model that holds what no model needs, before a library opens any of its files.

    >>> check_model_folder(Path("/absent"))
    """
    if not folder.is_dir():
        return  # whoever reads it says what is missing
    with os.scandir(folder) as entries:
        for number, entry in enumerate(entries):
            if number >= _MOST_ENTRIES:
                raise _refuse_entry(folder, f"over {_MOST_ENTRIES:,} files", "those of one model")
            if not os.path.exists(entry):
                continue  # a link to nothing
            status = entry.stat()
            kind = next((name for is_kind, name in _KINDS.items() if is_kind(status.st_mode)), None)
            if kind not in (None, "a folder"):
                raise _refuse_entry(Path(entry), kind or "", "a file")
            if kind is None and status.st_size > LARGEST_RECORD and not entry.name.endswith(_WEIGHTS):
                found = f"{status.st_size:,} bytes"
                raise _refuse_entry(
                    Path(entry), found, f"at most {LARGEST_RECORD:,} in a file without weights"
                )


def find_member(folder: Path, name: str) -> Path:
    """Return the path of a file that a description names; one that leads out of the folder is refused.

    >>> find_member(Path("/models/tea"), "../../dev/zero")
    Traceback (most recent call last):
    aspectlab.errors.DataError: /models/tea: found the file name '../../dev/zero': expected the name of a \
file in it; copy the folder again
    """
    path = folder / name.partition("\0")[0]
    if Path(name).name != name or "\0" in name or path.resolve().parent != folder.resolve():
        raise _refuse_entry(folder, f"the file name {name!r:.60}", "the name of a file in it")
    return path


_MARKUP = re.compile(r"([\\`*_<>|\[\]])")
_BACKTICKS = re.compile(r"`+")


def escape_markdown(text: str) -> str:
    r"""Return a text on one line of which Markdown, or HTML within it, takes nothing for its own.

    >>> print(escape_markdown("a|<b>"))
    a\|\<b\>
    """
    return _MARKUP.sub(r"\\\1", " ".join(text.splitlines()))


def format_code_span(text: str) -> str:
    """Return a text as code in Markdown; a backtick in it ends no code, since more of them enclose it.

    >>> format_code_span("a"), format_code_span("`<img>"), format_code_span("``")
    ('`a`', '`` `<img> ``', '` `` `')
    """
    line = " ".join(text.splitlines())
    marks = {len(run) for run in _BACKTICKS.findall(line)}
    fence = "`" * next(length for length in range(1, len(marks) + 2) if length not in marks)
    # spaces are dropped again where both ends have one
    return f"{fence} {line} {fence}" if marks or not line.strip() else f"{fence}{line}{fence}"


def _refuse_entry(path: Path, found: str, expected: str) -> DataError:
    return DataError(f"{path}: found {found}: expected {expected}; copy the folder again")
