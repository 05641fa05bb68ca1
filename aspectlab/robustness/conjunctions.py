"""Adjust "and" and "but" to the sentiments that now stand on their two sides.

Unlike the paper: it compares the two sentiments nearest to each conjunction. Its released files change one
"and": the nearest to the target, where the target now stands alone with its polarity. That is done here for
REVTGT, because it agrees far better with the released Restaurant variants. REVNON and every "but" follow the
paper's rule.
"""

from __future__ import annotations

from collections.abc import Collection

from aspectlab.data import Polarity, Span
from aspectlab.language.tagging import TaggedWord
from aspectlab.robustness.edits import Edit, match_case
from aspectlab.robustness.sentences import OPPOSITE, Aspect, Sentence

_NOUNS = frozenset({"NN", "NNS"})

_MARGIN = 3
"""Words that must stand before and after an "and" for it to join clauses or long phrases."""


def stands_alone(sentence: Sentence, target: Aspect) -> bool:
    """Tell whether the target, once reversed, differs from all other aspects and shares no opinion word.

    >>> from aspectlab.robustness.sentences import sketch
    >>> alone = sketch("Good/JJ tea/NN", {"tea": ("positive", "Good")})
    >>> stands_alone(alone, alone.aspects[0])
    False
    """
    text = sentence.example.text
    others = [aspect for aspect in sentence.aspects if aspect is not target]
    own = {text[start:end] for start, end in target.opinions}
    shared = any(text[start:end] in own for other in others for start, end in other.opinions)
    turned = OPPOSITE.get(target.polarity)
    if turned is None or not others or shared:
        return False
    return all(other.polarity is not turned for other in others)


def contrast(
    sentence: Sentence, target: Aspect, reversed_opinions: Collection[Span], *, torn: bool = False
) -> list[Edit]:
    """Turn the "and" that is nearest to the target into "but"; one that joins its own opinions stays.

    An "and" whose two nearest opinions have come to differ goes before all others; `torn` takes no other, and
    only where a statement begins.

    >>> from aspectlab.robustness.sentences import sketch
    >>> opinions = {"tea": ("positive", "good"), "cup": ("positive", "clean")}
    >>> pair = sketch("The/DT tea/NN is/VBZ good/JJ and/CC the/DT cup/NN clean/JJ", opinions)
    >>> contrast(pair, pair.aspects[1], pair.aspects[1].opinions)
    [(Span(start=16, end=19), 'but')]
    """
    words = sentence.words
    assert target.term.span is not None
    end = sum(word.span.start < target.term.span.end for word in words) - 1
    places = [n for n, word in enumerate(words) if word.lower == "and" and _joins(sentence, target, n, end)]
    if "and" in target.term.text.lower().split():
        return []
    differing = [n for n in places if _is_torn(sentence, words[n], reversed_opinions)]
    opening = [n for n in places if _opens_statement(sentence, n)]
    places = [n for n in differing if n in opening] if torn else differing or opening
    if not places:
        return []
    nearest = words[min(places, key=lambda place: abs(place - end))]
    return [(nearest.span, match_case("but", nearest.text))]


def drop_too(sentence: Sentence, opinions: Collection[Span]) -> list[Edit]:
    """Delete ", too" after these opinions: once they contrast with the rest, they come on top of nothing.

    >>> from aspectlab.robustness.sentences import sketch
    >>> drop_too(sketch("The/DT tea/NN is/VBZ good/JJ ,/, too/RB", {}), [Span(11, 15)])
    [(Span(start=15, end=21), '')]
    """
    words = sentence.words
    return [
        (Span(before.span.end, too.span.end), "")
        for before, comma, too in zip(words, words[1:], words[2:], strict=False)
        if comma.text == "," and too.lower == "too" and before.span.end in {span.end for span in opinions}
    ]


def agree(sentence: Sentence, reversed_opinions: Collection[Span], reversal: Collection[Edit]) -> list[Edit]:
    """Turn each "but" into "and" whose two nearest opinions differed and agree after a reversal.

    One before a denial stays: "good tea but the cup is not dirty" is good English.

    >>> from aspectlab.robustness.sentences import sketch
    >>> opinions = {"tea": ("positive", "good"), "cup": ("negative", "dirty")}
    >>> pair = sketch("The/DT tea/NN is/VBZ good/JJ but/CC the/DT cup/NN dirty/JJ", opinions)
    >>> agree(pair, pair.aspects[1].opinions, [])
    [(Span(start=16, end=19), 'and')]
    """
    opinions = _polarities(sentence)
    denied = {span.start for span, new in reversal if new == "not "}
    edits: list[Edit] = []
    for word in sentence.words:
        is_free = word.lower == "but" and not _is_inside(word, sentence.protected)
        sides = _sides(word, list(opinions)) if is_free else None
        if sides is None or opinions[sides[0]] is opinions[sides[1]]:
            continue
        if sides[1].start not in denied and not _is_torn(sentence, word, reversed_opinions):
            edits.append((word.span, match_case("and", word.text)))
    return edits


def _joins(sentence: Sentence, target: Aspect, place: int, end: int) -> bool:
    """Tell whether an "and" may join the target's part of the sentence with another."""
    word = sentence.words[place]
    opinions = _polarities(sentence)
    if _is_inside(word, (*sentence.protected, *opinions)):
        return False
    # "the soup and fresh bread": right after the term it joins two things, not two statements
    if place == end + 1 or _joins_terms(sentence, place):
        return False
    sides = _sides(word, list(opinions))
    if sides is not None and all(side in target.opinions for side in sides):
        return False
    return (place < end and place > _MARGIN) or (place > end and len(sentence.words) - place > _MARGIN)


def _is_inside(word: TaggedWord, spans: Collection[Span]) -> bool:
    return any(span.start <= word.span.start < span.end for span in spans)


def _joins_terms(sentence: Sentence, place: int) -> bool:
    """Tell whether a word stands right between two aspect terms: "tea and milk" share what is said."""
    around = sentence.words[max(place - 1, 0) : place + 2]
    neighbours = [around[0].span, around[-1].span]
    return all(any(t.start <= n.start < t.end for t in sentence.protected) for n in neighbours)


def _is_torn(sentence: Sentence, word: TaggedWord, reversed_opinions: Collection[Span]) -> bool:
    """Tell whether the nearest opinions on the two sides of a word differ after the reversal."""
    opinions = _polarities(sentence)
    sides = _sides(word, list(opinions))
    if sides is None:
        return False
    left, right = (_turn(opinions[side]) if side in reversed_opinions else opinions[side] for side in sides)
    return left is not right


def _opens_statement(sentence: Sentence, place: int) -> bool:
    """Tell whether an "and" goes on with a verb or an opinion, unlike "girls and boys" and other lists."""
    words = sentence.words
    if words[place - 1].tag in _NOUNS and words[place + 1].tag in _NOUNS:
        return False
    opinions = _polarities(sentence)
    for word in words[place + 1 :]:
        if word.tag in {".", ",", ":", "-LRB-", "-RRB-"}:
            return False
        if word.tag in {"VBZ", "VBP", "VBD", "VB", "MD"} or any(
            span.start == word.span.start for span in opinions
        ):
            return True
    return False


def _polarities(sentence: Sentence) -> dict[Span, Polarity]:
    return {span: aspect.polarity for aspect in sentence.aspects for span in aspect.opinions}


def _sides(word: TaggedWord, opinions: list[Span]) -> tuple[Span, Span] | None:
    """Find the nearest opinion on each side of a word."""
    left = max((span for span in opinions if span.end <= word.span.start), key=lambda s: s.end, default=None)
    right = min((span for span in opinions if span.start >= word.span.end), default=None)
    return None if left is None or right is None else (left, right)


def _turn(polarity: Polarity) -> Polarity:
    return OPPOSITE.get(polarity, polarity)
