"""Unlabelled text for post-training: read it, leave out what a test set holds, pack it into equal rows."""

from __future__ import annotations

import hashlib
import lzma
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Exclusion
from aspectlab.encodings import Subwords
from aspectlab.errors import DataError
from aspectlab.insight.reviewfiles import ENDINGS
from aspectlab.insight.reviews import Reading, open_reviews
from aspectlab.insight.tally import Tally

_BLOCK = 4_096
"""Lines that are tokenized at a time."""

_TABLES = {*ENDINGS} - {".txt"}
"""Files whose texts stand in one of several columns."""

_MARKUP = {".xml", ".html", ".htm"}
"""Files whose lines are no texts."""


@dataclass(frozen=True, slots=True)
class Packs:
    """Text as rows of equal length, each with its frame, and what became of the lines."""

    tokens: NDArray[np.int32]  # [N, L]
    lines: int
    excluded: int
    sha256: str  # of the lines that were kept
    notices: tuple[str, ...] = ()  # what was left out of tables because it cannot be read or is blank


def pack_texts(
    paths: Sequence[Path],
    exclusion: Exclusion,
    vocabulary: Subwords,
    *,
    length: int = 128,
    column: str | None = None,
) -> Packs:
    """Read texts and pack what no test set holds; `column` names that of the texts where files are tables."""
    length = min(length, vocabulary.max_length)
    digest, tally = hashlib.sha256(), Tally()
    lines, kept = 0, 0
    parts: list[NDArray[np.int32]] = []
    stream = (line for path in paths for line in read_texts(path, column, tally))
    while block := list(islice(stream, _BLOCK)):
        clean = [line for line in block if line not in exclusion]
        lines, kept = lines + len(block), kept + len(clean)
        digest.update("".join(f"{line}\n" for line in clean).encode())
        # a separator after each line tells the model that a new text begins
        parts += [np.array([*ids, *vocabulary.between], np.int32) for ids in vocabulary.number(clean)]
    tokens = _cut(np.concatenate([np.zeros(0, np.int32), *parts]), vocabulary, length)
    if not len(tokens):
        raise DataError(
            f"{paths[0]}{' …' if len(paths) > 1 else ''}: found {sum(map(len, parts)):,} tokens in {kept:,} "
            f"lines after leaving {lines - kept:,} out: expected at least {length}; give more text"
        )
    return Packs(tokens, lines, lines - kept, digest.hexdigest(), tuple(tally.notices()))


def read_texts(path: Path, column: str | None = None, tally: Tally | None = None) -> Iterator[str]:
    """Stream the texts of a file as lines: the reviews of a table, or the lines of any other file.

    The tally counts the rows of tables that are left out.
    """
    if path.suffix.lower() not in _TABLES:
        yield from read_lines(path)
        return
    reviews = open_reviews([path], Reading(text=column))
    yield from (" ".join(review.text.split()) for review in reviews.read(tally or Tally()))


def read_lines(path: Path) -> Iterator[str]:
    """Stream the lines of a text file that are not blank; .xz files are unpacked on the way."""
    is_packed = path.suffix.lower() == ".xz"
    _refuse_other_kinds(path, (path.with_suffix("") if is_packed else path).suffix.lower())
    try:
        with lzma.open(path, "rt", encoding="utf-8") if is_packed else path.open(encoding="utf-8") as stream:
            yield from (line.rstrip("\n") for line in stream if line.strip())
    except (OSError, EOFError, lzma.LZMAError, UnicodeDecodeError) as error:
        raise DataError(
            f"{path}: {error}: expected a text file in UTF-8, plain or .xz, one text a line; check the path"
        ) from None


def _refuse_other_kinds(path: Path, kind: str) -> None:
    """Refuse what has lines, but no text a line: marks and cells would be learnt as words."""
    if kind in _TABLES:
        raise DataError(
            f"{path}: found a packed table: expected one text a line in a .xz file; unpack it first"
        )
    if kind in _MARKUP:
        raise DataError(
            f"{path}: found a {kind} file: expected a table, or one text a line; make a table of it with: "
            "aspectlab data convert FILE texts.jsonl"
        )


def _cut(tokens: NDArray[np.int32], vocabulary: Subwords, length: int) -> NDArray[np.int32]:
    """Cut a stream of tokens into framed rows; what does not fill the last one is dropped."""
    first, last = vocabulary.first, vocabulary.last
    body = length - len(first) - len(last)
    count = len(tokens) // body
    frame = [np.tile(np.array(ids, np.int32), (count, 1)) for ids in (first, last)]
    return np.concatenate([frame[0], tokens[: count * body].reshape(count, body), frame[1]], axis=1)
