"""Terms: what reviews call an aspect, brought to one form."""

from __future__ import annotations

import re
from functools import lru_cache

_ARTICLE = re.compile(r"^(?:the|a|an|my|our|your|their|its|his|her|this|these|those|that) (?=\S)")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_LETTER = re.compile(r"[^\W\d_]")
_SMALL_WORD = re.compile(r"a|an|and|at|by|for|from|in|of|on|or|the|to|with|['’]?s")
_MEASURE = re.compile(r"life|level|list|quality|range|selection|size|time")

_SAME_THING = """\
service staff waiter waitress server waitstaff hostess
ambience ambiance atmosphere vibe
decor decoration interior
price cost bill pricing priced
screen display monitor
trackpad touchpad
wifi wi-fi internet
bathroom restroom toilet
drink beverage
food meal cuisine
place spot establishment
reception receptionist concierge
bed mattress
image picture photo
program application app
engine motor
boot trunk
delivery shipping
"""
"""What reviews call by several words, a line each: a small model brings not all of them together."""

_NAMES = {word: line.split(" ")[0] for line in _SAME_THING.splitlines() for word in line.split(" ")}


@lru_cache(1 << 12)
def normalise_term(text: str) -> str:
    """Normalise a term: lower case, singular, without article and outer marks.

    >>> normalise_term("The Waiters"), normalise_term("battery  life"), normalise_term("dishes")
    ('waiter', 'battery life', 'dish')
    """
    plain = _ARTICLE.sub("", _EDGES.sub("", " ".join(text.lower().split())), count=1)
    *before, last = plain.split(" ")
    return " ".join([*before, _singular(last)])


def content_words(term: str) -> list[str]:
    """Return the words of a term that say which thing is meant; a term without such words keeps what it has.

    >>> content_words("bottle of wine"), content_words("battery life"), content_words("life")
    (['bottle', 'wine'], ['battery'], ['life'])
    """
    words = term.split(" ")
    named = [word for word in words if _LETTER.search(word) and not _SMALL_WORD.fullmatch(word)]
    return [word for word in named if not _MEASURE.fullmatch(word)] or named or words


def name_thing(word: str) -> str:
    """Return the word that represents all words of the same thing.

    >>> name_thing("waitress"), name_thing("staff"), name_thing("soup")
    ('service', 'service', 'soup')
    """
    return _NAMES.get(word, word)


def _singular(word: str) -> str:
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "'s", "’s")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(("sses", "shes", "ches", "xes", "zzes")) else word[:-1]
