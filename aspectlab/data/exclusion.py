"""Exclusion: the sentences of test sets, which nothing that is learnt from may hold."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable

_SHORT = 20
"""Letters. A shorter test sentence ("Delicious!") gives nothing away inside a review: it must be the line."""


class Exclusion:
    """The sentences of test sets, for finding them in other text whatever its case, marks and blanks.

    >>> leaked = Exclusion(["The soup was cold and bland."])
    >>> "Well. the SOUP was cold, and bland" in leaked, "The soup was cold." in leaked
    (True, False)
    """

    def __init__(self, texts: Iterable[str]) -> None:
        self._whole: set[str] = set()
        self._by_start: defaultdict[str, list[str]] = defaultdict(list)
        for text in {_letters(text) for text in texts} - {""}:
            self._whole.add(text)
            if len(text) >= _SHORT:
                self._by_start[text[:_SHORT]].append(text)

    def __len__(self) -> int:
        return len(self._whole)

    def __contains__(self, line: str) -> bool:
        text = _letters(line)
        if text in self._whole:
            return True
        windows = [text[start : start + _SHORT] for start in range(len(text) - _SHORT + 1)]
        # nearly all lines end here, without a loop in Python over the windows
        if self._by_start.keys().isdisjoint(windows):
            return False
        return any(sentence in text for window in windows for sentence in self._by_start.get(window, ()))


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text.casefold()))
