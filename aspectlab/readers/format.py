"""Format: how one kind of file is recognised, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from aspectlab.data import Corpus, Example, Part
from aspectlab.readers.source import Head

Read = Callable[..., Iterator[Example]]
"""`read(source, *, option=...)`: a generator of examples; keyword-only parameters are options."""

Write = Callable[[Corpus, Path], None]
"""`write(corpus, path)`: writes a new file; `aspectlab.readers.write` makes it appear whole or not at all."""


class Loss(StrEnum):
    """What a written file may have no place for, without being refused for it."""

    IDS = "ids"
    CATEGORIES = "categories"
    ORIGINS = "sources of variants"
    CONFIDENCES = "confidences"


@dataclass(frozen=True, slots=True)
class Format:
    """One line of the format table: what it is, and the functions that know it.

    `annotates` lists what files of this format label; None means that the file itself shows it.
    `language` is "und" where the format does not say. `loses` lists what writing leaves out.
    """

    title: str
    sniff: Callable[[Head], bool]
    read: Read
    write: Write | None = None
    annotates: frozenset[Part] | None = None
    language: str = "en"
    loses: frozenset[Loss] = frozenset({Loss.CONFIDENCES})
