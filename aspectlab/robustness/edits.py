"""Edits of a sentence: replacements that keep clear of one another, and the position where "not" goes."""

from collections.abc import Iterable
from dataclasses import replace

from aspectlab.data import Example, Quad, Span, edit
from aspectlab.language import TaggedWord, classes_of

Replacement = tuple[Span, str]
"""A span of the text and its replacement; an empty span is an insertion."""


def apply_replacements(example: Example, edits: Iterable[Replacement]) -> Example:
    """Apply edits; the opinion of a quad that would be torn or emptied is left out of it.

    >>> apply_replacements(Example("1", "No soup"), [(Span(0, 3), "")]).text
    'soup'
    """
    wanted = list(dict.fromkeys(edits))
    quads = tuple(_without_torn_opinion(quad, wanted) for quad in example.quads)
    return edit(replace(example, quads=quads), wanted)


def reconcile(edits: Iterable[Replacement]) -> list[Replacement]:
    """Keep the edits that do not get into one another's way; the earlier in the list wins.

    >>> reconcile([(Span(0, 4), "bad"), (Span(2, 6), "x"), (Span(5, 5), "not ")])
    [(Span(start=0, end=4), 'bad'), (Span(start=5, end=5), 'not ')]
    """
    kept: list[Replacement] = []
    wanted = list(edits)
    # "is" + "not" and "not" + "great" would meet: one is enough
    meeting = {span.start - 1 for span, new in wanted if new.lower() == "not "}
    for span, new in wanted:
        if new == " not" and span.start in meeting:
            continue
        if not any(_clash(span, other) for other, _ in kept):
            kept.append((span, new))
    return kept


def _clash(one: Span, other: Span) -> bool:
    if one == other:
        return True
    return one.start < other.end and other.start < one.end


def _without_torn_opinion(quad: Quad, edits: list[Replacement]) -> Quad:
    if quad.opinion is None or quad.opinion.span is None:
        return quad
    first, last = quad.opinion.span
    left = last - first
    for (start, end), new in edits:
        if end <= first or start >= last:
            continue
        if start < first or end > last:
            return replace(quad, opinion=None)
        left += len(new) - (end - start)
    return quad if left > 0 else replace(quad, opinion=None)


_BE = frozenset({"is", "was", "are", "were", "am", "be", "been", "'s", "'re", "'m", "’s", "’re", "’m"})
LITTLE = frozenset({"bit", "lil", "little", "tad", "touch", "trifle"})
"""Nouns that tone an adjective down after "a"."""

_DEGREES = LITTLE | {
    *("completely", "entirely", "even", "extremely", "fairly", "highly", "more", "pretty", "quite", "rather"),
    *("somewhat", "super", "too", "very", "way", "well"),
}
"""Words after which "not" sounds wrong ("very not good"); "really not good" and "absolutely not" do not."""

_ANYWHERE = frozenset({"extremely", "quite", "very"})
"""Those that "not" goes before wherever they stand; before the others it needs a form of "be"."""

_PHRASE = ("JJ", "NN", "RB", "VBN", "VBG", "HYPH")
_REACH = 4
"""How many words may stand between an article and its noun."""

Words = tuple[TaggedWord, ...]


def find_site(words: Words, position: int) -> int:
    """Return the position before which "not" negates a word best.

    >>> from aspectlab.robustness.aspects import sketch
    >>> find_site(sketch("It/PRP is/VBZ a/DT little/JJ too/RB odd/JJ", {}).words, 5)
    2
    >>> find_site(sketch("Such/JJ a/DT nice/JJ day/NN is/VBZ my/PRP$ favorite/NN", {}).words, 6)
    5
    """
    start = position
    while start > 0 and words[start - 1].lower in _DEGREES:
        start -= 1
    if start < position and words[start].lower in LITTLE and _is_at(words, start - 1, "a"):
        start -= 1
    if start < position and words[position - 1].lower in _ANYWHERE:
        return start
    if _is_at(words, position - 1, "a") and _is_at(words, position - 2, "such"):
        start = position - 2
    elif is_noun(words, position):
        verb = _verb_of(words, position)
        if verb is not None:
            return min(verb + 1, len(words) - 1)
        start = _article(words, position)
        if start > 1 and words[start - 1].tag == "IN":  # "is not in love"
            start -= 1
    if _follows_be(words, start):
        return _before_infinitive(words, start)
    return start if is_too_much(words, position) else position  # "I found it not too small"


def is_too_much(words: Words, position: int) -> bool:
    """Return whether "too" stands before a word, so that its antonym blames as well ("too small", "too big").

    >>> from aspectlab.robustness.aspects import sketch
    >>> is_too_much(sketch("too/RB big/JJ", {}).words, 1)
    True
    """
    return _is_at(words, position - 1, "too")


def is_head(words: Words, position: int) -> bool:
    """Return whether a noun has no other noun or adjective after it, which it would describe.

    >>> from aspectlab.robustness.aspects import sketch
    >>> is_head(sketch("a/DT quality/NN lamp/NN", {}).words, 1)
    False
    """
    describes = position + 1 < len(words) and words[position + 1].tag.startswith(("NN", "JJ"))
    return is_noun(words, position) and not describes


def is_noun(words: Words, position: int) -> bool:
    """Return whether a word is a noun; adjectives after their noun ("is the tea cold") are tagged as one too.

    >>> from aspectlab.robustness.aspects import sketch
    >>> is_noun(sketch("a/DT gem/NN", {}).words, 1)
    True
    """
    if not words[position].tag.startswith("NN"):
        return False
    classes = classes_of(words[position].lower)
    after_noun = position > 0 and words[position - 1].tag.startswith("NN")
    return "ADJ" not in classes or not (after_noun or "NOUN" not in classes)


def _verb_of(words: Words, position: int) -> int | None:
    """Find the form of "be" whose subject a noun is: right after it, or after a phrase with "of"."""
    for index in range(position + 1, min(position + 2 + _REACH, len(words))):
        if _is_be(words[index]):
            return index
        if words[position + 1].lower != "of" or not words[index].tag.startswith(("IN", "DT", *_PHRASE)):
            break
    return None


def _before_infinitive(words: Words, start: int) -> int:
    """Step to the left of "be" after a modal verb: "can not be a pain", but "was not a pain"."""
    position = start - 1
    while position > 0 and words[position].tag == "RB":
        position -= 1
    is_free = position > 0 and words[position - 1].lower not in {"not", "n't", "n’t", "never"}
    return position if is_free and words[position].lower == "be" else start


def _is_at(words: Words, position: int, word: str) -> bool:
    return position >= 0 and words[position].lower == word


def _article(words: Words, position: int) -> int:
    """Find the determiner of a noun; the noun itself where there is none."""
    for start in range(position - 1, max(position - 1 - _REACH, -1), -1):
        if words[start].tag in {"DT", "PRP$"}:
            return start
        if not words[start].tag.startswith(_PHRASE):
            break
    return position


def _follows_be(words: Words, position: int) -> bool:
    """Return whether a form of "be" stands before a position, or before the adverbs there."""
    position -= 1
    while position > 0 and words[position].tag == "RB":
        position -= 1
    return position >= 0 and _is_be(words[position])


def _is_be(word: TaggedWord) -> bool:
    return word.lower in _BE and word.tag.startswith("VB")
