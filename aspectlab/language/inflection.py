"""Inflect English words: put a lemma into the form that a Penn Treebank tag names, and back.

The tables are those of the package lemminflect.
"""

import re
from functools import cache
from types import ModuleType
from typing import cast

from aspectlab.data import Span
from aspectlab.errors import MissingPartError
from aspectlab.language.parsing import TaggedWord

_CLASSES = {"JJ": "ADJ", "RB": "ADV", "VB": "VERB", "NN": "NOUN"}

# words whose first letter says one thing and their sound another
_VOWEL_SOUND = re.compile(r"(?i)(hour|honest|honou?r|heir|[aeio]|u(?!s[aeu]|ni(?!n|m)|biq|ten|til))")
_CONSONANT_SOUND = re.compile(r"(?i)(one\b|once\b|eu|ewe|ouija)")


def word_class(tag: str) -> str | None:
    """Name the open class of a tag: ADJ, ADV, VERB or NOUN; None for every other.

    >>> word_class("VBZ"), word_class("JJS"), word_class("DT")
    ('VERB', 'ADJ', None)
    """
    return _CLASSES.get(tag[:2])


@cache
def find_lemma(word: str, tag: str) -> str:
    """Return the lemma of a word of an open class; every other word is its own.

    >>> find_lemma("changes", "VBZ"), find_lemma("fastest", "JJS"), find_lemma("The", "DT")
    ('change', 'fast', 'the')
    """
    kind = word_class(tag)
    lower = word.lower()
    if kind is None:
        return lower
    found = _tables().getLemma(lower, upos=kind)
    return str(found[0]) if found else lower


@cache
def list_lemmas(word: str) -> tuple[str, ...]:
    """Return the lemmas that the tables know: as a noun, a verb, an adjective; none of a word they lack.

    >>> list_lemmas("seats"), list_lemmas("nothing"), list_lemmas("touchscreens")
    (('seat', 'seat'), ('nothing',), ())
    """
    known = _tables().getAllLemmas(word.lower())
    return tuple(str(known[kind][0]) for kind in ("NOUN", "VERB", "ADJ") if kind in known)


@cache
def inflect(lemma: str, tag: str) -> str:
    """Inflect a lemma to the form of a tag; long adjectives are compared with more and most.

    >>> inflect("change", "VBD"), inflect("slow", "JJS"), inflect("expensive", "JJR")
    ('changed', 'slowest', 'more expensive')
    """
    if tag in {"JJR", "JJS", "RBR", "RBS"}:
        if not _is_short(lemma):
            return f"{'more' if tag.endswith('R') else 'most'} {lemma}"
    elif tag not in {"VBZ", "VBD", "VBN", "VBG", "NNS"}:
        return lemma
    found = _tables().getInflection(lemma, tag=tag)
    return str(found[0]) if found else lemma


def article(following: str) -> str:
    """Choose the indefinite article by the sound of what follows.

    >>> [f"{article(word)} {word}" for word in ("apple", "unit", "hour", "not", "unfair", "one")]
    ['an apple', 'a unit', 'an hour', 'a not', 'an unfair', 'a one']
    """
    if _CONSONANT_SOUND.match(following):
        return "a"
    return "an" if _VOWEL_SOUND.match(following) else "a"


def is_plural(noun: str, tag: str = "NN") -> bool:
    """Return whether a noun takes "are": by its tag, or by its form where the tagger took it for a name.

    >>> is_plural("portions", "NNS"), is_plural("Fries", "NNP"), is_plural("rolls", "VBZ"), is_plural("bass")
    (True, True, True, False)
    """
    lower = noun.lower()
    if tag in {"NNS", "NNPS"}:
        return True
    if not lower.endswith("s") or lower.endswith(("ss", "us", "is", "'s")):
        return False
    return find_lemma(lower, "NN") != lower


def _is_short(adjective: str) -> bool:
    """Return whether an adjective takes -er and -est: one syllable, or two with the second in y, le or ow."""
    syllables = len(re.findall(r"[aeiouy]+", re.sub(r"e$", "", adjective)))
    return syllables <= 1 or (syllables == 2 and adjective.endswith(("y", "le", "ow")))


@cache
def _tables() -> ModuleType:
    try:
        import lemminflect
    except ImportError:
        raise MissingPartError(
            "inflection: the package lemminflect is not installed: expected its tables of word forms; "
            "get it with: pip install 'aspectlab[parse]'"
        ) from None
    return cast(ModuleType, lemminflect)


def match_case(new: str, old: str) -> str:
    """Write a word with the capitals of the one it replaces.

    >>> match_case("bad", "GOOD"), match_case("bad", "Good"), match_case("bad", "good")
    ('BAD', 'Bad', 'bad')
    """
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new[:1].upper() + new[1:] if old[:1].isupper() else new


def fix_article(words: tuple[TaggedWord, ...], index: int, following: str) -> list[tuple[Span, str]]:
    """Make the indefinite article before a word agree with what now stands there.

    >>> words = (TaggedWord("A", Span(0, 1), "DT"), TaggedWord("bad", Span(2, 5), "JJ"))
    >>> fix_article(words, 1, "awful")
    [(Span(start=0, end=1), 'An')]
    """
    if index == 0 or words[index - 1].lower not in {"a", "an"}:
        return []
    before = words[index - 1]
    right = article(following)
    return [] if before.lower == right else [(before.span, match_case(right, before.text[:1]))]
