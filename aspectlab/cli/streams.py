"""Make the standard streams fit to print to: where one was closed, or lacks the signs of our tables."""

from __future__ import annotations

import codecs
import os
import sys
from io import TextIOWrapper
from typing import TextIO

_PLAIN = {
    "█": "#",
    "░": ".",
    "–": "-",
    "−": "-",
    "×": "x",
    "·": ".",
    "≈": "~",
    "→": ">",
    "↑": "^",
    "↓": "v",
    "±": "+-",
    "…": "...",
}
"""What stands for a sign that we print ourselves, of one width where that can be: columns stay straight."""

_ERRORS = "aspectlab.plain"


def prepare_streams() -> None:
    """Let every print succeed, whatever the caller made of the streams and whatever is printed."""
    _open_closed()
    codecs.register_error(_ERRORS, _replace)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            # a file name or an id may hold half a character, which no encoding has
            stream.reconfigure(errors=_ERRORS)


def _open_closed() -> None:
    """Send to nowhere what goes to a closed stream.

    A file that is opened gets the lowest free number: without this, one of ours would be the new stdout.
    """
    while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(number)
    sys.stdout = _or_nowhere(sys.stdout, 1)
    sys.stderr = _or_nowhere(sys.stderr, 2)


def _or_nowhere(stream: TextIO | None, number: int) -> TextIO:
    # Python has None for what was closed when it began
    return os.fdopen(number, "w", encoding="utf-8") if stream is None else stream


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Give plain letters for what an encoding lacks: a likeness of our own signs, an escape of all others."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lacking = error.object[error.start : error.end]
    likeness = "".join(_PLAIN.get(sign, sign) for sign in lacking)
    return likeness.encode("ascii", "backslashreplace").decode("ascii"), error.end
