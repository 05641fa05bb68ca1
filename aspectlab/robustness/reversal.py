"""Reverse opinions: by antonym, by taking a negation away, or by negating."""

from __future__ import annotations

from collections.abc import Iterable

from aspectlab.data import Span
from aspectlab.language.antonyms import NEGATE
from aspectlab.language.collocations import find_collocation
from aspectlab.language.lexicon import Lexicon
from aspectlab.robustness.edits import Edit, fix_article, match_case, reconcile
from aspectlab.robustness.negation import (
    BE,
    NOT,
    Words,
    find_negation,
    insert_before,
    is_negation,
    negate,
    remove_negation,
)
from aspectlab.robustness.sentences import Sentence
from aspectlab.robustness.sites import is_too_much

_APART = frozenset({"ever", "just", "merely", "only", "simply", "yet"})
"""Adverbs that make something else of a negation before them: "not only good" praises."""

_TONES = frozenset({"all", "at", "so", "that", "too", "very"})
_REACH = 3
"""How many degree words may stand between a negation and its opinion."""


def reverse(
    sentence: Sentence, opinions: Iterable[Span], lexicon: Lexicon, *, plain: bool = False
) -> list[Edit]:
    """Reverse these opinions of a sentence; the edits keep clear of all aspect terms.

    In plain wording "not" stands where English puts it; otherwise right before most opinions.

    >>> from aspectlab.robustness.sentences import sketch
    >>> lamp = sketch("A/DT cheap/JJ lamp/NN", {"lamp": ("positive", "cheap")})
    >>> reverse(lamp, [Span(2, 7)], Lexicon())
    [(Span(start=2, end=7), 'expensive'), (Span(start=0, end=1), 'An')]
    """
    edits: list[Edit] = []
    wanted = sorted(set(opinions))
    firm = [opinion for opinion in wanted if not _is_hedge(sentence.words, opinion)]
    for opinion in firm or wanted:
        for span in (opinion, *_echoes(sentence.words, opinion)):
            edits += _reverse_one(sentence, span, lexicon, plain=plain)
    return reconcile(edits)


def places_in(words: Words, span: Span) -> list[int]:
    """List the places of the words that a span covers or cuts.

    >>> from aspectlab.robustness.sentences import sketch
    >>> places_in(sketch("A/DT cheap/JJ lamp/NN", {}).words, Span(3, 9))
    [1, 2]
    """
    return [n for n, word in enumerate(words) if word.span.start < span.end and span.start < word.span.end]


def touches_term(sentence: Sentence, edits: Iterable[Edit]) -> bool:
    """Tell whether an edit would change a term; an insertion at the edge of one does not.

    >>> from aspectlab.robustness.sentences import sketch
    >>> lamp = sketch("A/DT cheap/JJ lamp/NN", {"lamp": ("positive", "cheap")})
    >>> touches_term(lamp, [(Span(8, 8), "odd ")]), touches_term(lamp, [(Span(9, 9), "-")])
    (False, True)
    """
    return any(_is_protected(sentence, span) for span, _ in edits)


def _reverse_one(sentence: Sentence, opinion: Span, lexicon: Lexicon, *, plain: bool) -> list[Edit]:
    words = sentence.words
    places = places_in(words, opinion)
    if not places:
        return []
    negation = find_negation(words, places)
    edits = _swap(sentence, places, lexicon, plain=plain)
    if edits:
        return edits
    if negation is None:
        negation = _find_beside(words, places)
    if negation is not None:
        edits = remove_negation(sentence.example.text, words, negation)
        # the deletion comes first; a capital that it would give to a term can be done without
        if not touches_term(sentence, edits[:1]):
            return [edit for edit in edits if not touches_term(sentence, [edit])]
    edits = negate(words, places, plain=plain)
    if touches_term(sentence, edits):
        # a capital inside a term stays
        edits = insert_before(words, _outside(sentence, places[0]), "not")
        edits = [edit for edit in edits if not touches_term(sentence, [edit])]
    return edits


def _find_beside(words: Words, places: list[int]) -> int | None:
    """Find a negation that belongs to an opinion: before it, or behind a form of "be" or a modal."""
    before, after = places[0] - 1, places[-1] + 1
    if before >= 0 and is_negation(words[before]):
        return before
    before = _before_degrees(words, places[0])
    if before >= 0 and words[before].lower in {*NOT, "never"}:
        return before
    is_helper = words[places[-1]].lower in BE or words[places[-1]].tag == "MD"
    return after if is_helper and after < len(words) and words[after].lower in NOT else None


def _before_degrees(words: Words, place: int) -> int:
    """Step over the degree words before an opinion: of "not that great" the negation stands before them."""
    before = place - 1
    while before >= max(place - _REACH, 0) and not is_negation(words[before]):
        word = words[before]
        is_adverb = word.tag.startswith("RB") and word.lower not in _APART
        if not is_adverb and word.lower not in _TONES:
            break
        before -= 1
    return before


def _is_hedge(words: Words, opinion: Span) -> bool:
    """Tell whether an opinion only tones down another: "good, but not great" is no praise once reversed."""
    first = next(iter(places_in(words, opinion)), 0)
    return first > 0 and is_negation(words[first]) and words[first - 1].lower in {"but", "just"}


def _echoes(words: Words, opinion: Span) -> list[Span]:
    """Find an opinion word that stands twice, as in "I love, love the tea"."""
    places = places_in(words, opinion)
    if len(places) != 1:
        return []
    word = words[places[0]]
    around = [n for n in (places[0] - 2, places[0] + 2) if 0 <= n < len(words)]
    return [
        words[n].span
        for n in around
        if words[n].lower == word.lower and words[(n + places[0]) // 2].text == ","
    ]


def _swap(sentence: Sentence, places: list[int], lexicon: Lexicon, *, plain: bool) -> list[Edit]:
    """Exchange an opinion for its opposite: by its wording, or a single word by its antonym."""
    words, first, last = sentence.words, places[0], places[-1]
    span = Span(words[first].span.start, words[last].span.end)
    if _is_protected(sentence, span) or is_too_much(words, first):
        return []
    new = find_collocation([word.lower for word in words], first, last + 1)
    if new is None and first == last and find_negation(words, places) is None:
        word = words[first]
        # "the not slowest" is poor English, unlike "not slower" and "did not love"
        exact = not plain and word.tag not in {"JJS", "RBS"}
        new = next(iter(lexicon.antonyms(word.text, word.tag, exact=exact)), None)
    if new is None or new == NEGATE:
        return []
    return [(span, match_case(new, words[first].text)), *fix_article(words, first, new)]


def _is_protected(sentence: Sentence, span: Span) -> bool:
    return any(span.start < term.end and term.start < span.end for term in sentence.protected)


def _outside(sentence: Sentence, place: int) -> int:
    """Give the first word of the aspect term around a place, or the place itself."""
    start = sentence.words[place].span.start
    for term in sentence.protected:
        if term.start < start < term.end:
            return places_in(sentence.words, term)[0]
    return place
