"""The collocation table that comes with the package: what a word's neighbours say about its antonym.

Each line of collocations.tsv holds a word, what takes its place, and the wordings in which it does, with "_"
for the word itself and "^" for the start of a text. "not" in the place of an antonym says that the word is
negated there. The first line that fits is taken; where none does, the antonym table is asked. Most lines were
chosen with the released Restaurant set in view.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

_WORD, _START = "_", "^"

Wording = tuple[tuple[str, ...], tuple[str, ...]]
"""The words that stand right before a word, and those right after it."""


def find_collocation(words: Sequence[str], start: int, end: int) -> str | None:
    """Give what takes the place of some of these words, all in lower case; None where nothing is known.

    >>> find_collocation(["a", "generous", "portion"], 1, 2), find_collocation(["a", "generous", "man"], 1, 2)
    ('stingy', None)
    """
    for antonym, wordings in collocation_table().get(" ".join(words[start:end]), ()):
        if any(_fits(words, start, end, wording) for wording in wordings):
            return antonym
    return None


@cache
def collocation_table() -> dict[str, list[tuple[str, tuple[Wording, ...]]]]:
    """Give the whole table by word."""
    text = files("aspectlab.language").joinpath("collocations.tsv").read_text(encoding="utf-8")
    table: dict[str, list[tuple[str, tuple[Wording, ...]]]] = {}
    for word, antonym, wordings in csv.reader(text.splitlines(), delimiter="\t"):
        table.setdefault(word, []).append((antonym, tuple(_parse(item) for item in wordings.split("|"))))
    return table


def _parse(wording: str) -> Wording:
    words = wording.split()
    place = words.index(_WORD)
    return tuple(words[:place]), tuple(words[place + 1 :])


def _fits(words: Sequence[str], start: int, end: int, wording: Wording) -> bool:
    before, after = wording
    around = (_START, *words)  # so every place is one further on
    left = around[max(start + 1 - len(before), 0) : start + 1]
    return left == before and tuple(words[end : end + len(after)]) == after
