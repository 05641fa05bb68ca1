"""Reverse opinions: by antonym, by taking a negation away, or by negating."""

from __future__ import annotations

from collections.abc import Iterable

from aspectlab.data import Span
from aspectlab.language.lexicon import Lexicon
from aspectlab.robustness.edits import Edit, fix_article, match_case, reconcile
from aspectlab.robustness.negation import (
    Words,
    find_negation,
    insert_before,
    is_negation,
    negate,
    remove_negation,
)
from aspectlab.robustness.sentences import Sentence


def reverse(sentence: Sentence, opinions: Iterable[Span], lexicon: Lexicon) -> list[Edit]:
    """Reverse these opinions of a sentence; the edits keep clear of all aspect terms.

    >>> from aspectlab.robustness.sentences import sketch
    >>> lamp = sketch("A/DT cheap/JJ lamp/NN", {"lamp": ("positive", "cheap")})
    >>> reverse(lamp, [Span(2, 7)], Lexicon())
    [(Span(start=2, end=7), 'expensive'), (Span(start=0, end=1), 'An')]
    """
    edits: list[Edit] = []
    for opinion in sorted(set(opinions)):
        edits += _reverse_one(sentence, opinion, lexicon)
    return reconcile(edits)


def places_in(words: Words, span: Span) -> list[int]:
    """List the places of the words that a span covers or cuts.

    >>> from aspectlab.robustness.sentences import sketch
    >>> places_in(sketch("A/DT cheap/JJ lamp/NN", {}).words, Span(3, 9))
    [1, 2]
    """
    return [n for n, word in enumerate(words) if word.span.start < span.end and span.start < word.span.end]


def _reverse_one(sentence: Sentence, opinion: Span, lexicon: Lexicon) -> list[Edit]:
    words = sentence.words
    places = places_in(words, opinion)
    if not places:
        return []
    negation = find_negation(words, places)
    if negation is None and len(places) == 1 and not _is_protected(sentence, words[places[0]].span):
        edits = _swap(words, places[0], lexicon)
        if edits:
            return edits
    if negation is None and places[0] > 0 and is_negation(words[places[0] - 1]):
        negation = places[0] - 1
    if negation is not None:
        edits = remove_negation(sentence.example.text, words, negation)
        # the deletion comes first; a capital that it would give to a term can be done without
        if not _touches(sentence, edits[:1]):
            return [edit for edit in edits if not _touches(sentence, [edit])]
    edits = negate(sentence.example.text, words, places)
    return (
        edits if not _touches(sentence, edits) else insert_before(words, _outside(sentence, places[0]), "not")
    )


def _swap(words: Words, place: int, lexicon: Lexicon) -> list[Edit]:
    word = words[place]
    antonyms = lexicon.antonyms(word.text, word.tag)
    if not antonyms:
        return []
    return [(word.span, match_case(antonyms[0], word.text)), *fix_article(words, place, antonyms[0])]


def _is_protected(sentence: Sentence, span: Span) -> bool:
    return any(span.start < term.end and term.start < span.end for term in sentence.protected)


def _touches(sentence: Sentence, edits: list[Edit]) -> bool:
    """Tell whether an edit would change a term; an insertion at the edge of one does not."""
    return any(_is_protected(sentence, span) for span, _ in edits)


def _outside(sentence: Sentence, place: int) -> int:
    """Give the first word of the aspect term around a place, or the place itself."""
    start = sentence.words[place].span.start
    for term in sentence.protected:
        if term.start < start < term.end:
            return places_in(sentence.words, term)[0]
    return place
