"""Find the words of a text without changing a character of it."""

from __future__ import annotations

import re

from aspectlab.data import Span

# a word may hold apostrophes and hyphens inside ("don't", "top-notch"); every other mark stands alone
_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")

Place = tuple[int, int]
"""A span as a plain pair, for what is made for every word of many texts: a named one takes far longer."""


def word_spans(text: str) -> list[Span]:
    """Give the span of each word and each mark.

    >>> [text[start:end] for text in ["It's fine."] for start, end in word_spans(text)]
    ["It's", 'fine', '.']
    """
    return [Span(*place) for place in word_places(text)]


def word_places(text: str) -> list[Place]:
    """Give where each word and each mark stands, as `word_spans` does, in half the time.

    >>> word_places("It's fine.")
    [(0, 4), (5, 9), (9, 10)]
    """
    return [match.span() for match in _WORD.finditer(text)]
