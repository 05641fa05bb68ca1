"""Find the words of a text without changing a character of it."""

from __future__ import annotations

import re

from aspectlab.data import Span

# a word may hold apostrophes and hyphens inside ("don't", "top-notch"); every other mark stands alone
_WORD = re.compile(r"\w+(?:['’-]\w+)*|[^\w\s]")


def word_spans(text: str) -> list[Span]:
    """Give the span of each word and each mark.

    >>> [text[start:end] for text in ["It's fine."] for start, end in word_spans(text)]
    ["It's", 'fine', '.']
    """
    return [Span(*match.span()) for match in _WORD.finditer(text)]
