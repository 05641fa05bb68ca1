"""Terms: what reviews call an aspect, brought to one form."""

from __future__ import annotations

import re
from functools import lru_cache

_ARTICLE = re.compile(r"^(?:the|a|an|my|our|your|their|its|his|her|this|these|those|that) (?=\S)")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")


@lru_cache(1 << 16)
def normalise_term(text: str) -> str:
    """Bring a term to lower case and singular, without article and outer marks.

    >>> normalise_term("The Waiters"), normalise_term("battery  life"), normalise_term("dishes")
    ('waiter', 'battery life', 'dish')
    """
    plain = _ARTICLE.sub("", _EDGES.sub("", " ".join(text.lower().split())), count=1)
    *before, last = plain.split(" ")
    return " ".join([*before, _singular(last)])


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s", "’s")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zzes")) else word[:-1]
