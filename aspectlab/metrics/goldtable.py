"""Gold table: paint triplets into a table of words and read them back, as EMCGCN's released scorer does.

Words are known by the character where they start, and come from the terms alone: no other word says anything.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from aspectlab.data import Part, Polarity, Quad, Span, Term

_Word = tuple[int, str]
"""Where a word starts, and the word."""

_Labels = dict[_Word, tuple[Part, bool]]
"""The kind of term that a word belongs to, and whether it opens it: the diagonal of the table."""

_Cells = dict[tuple[_Word, _Word], Polarity | None]
"""The polarity between two words; None where both lie in one term."""

_TIES = (Polarity.POSITIVE, Polarity.NEUTRAL, Polarity.NEGATIVE)
"""Of polarities that as many cells have, the first one is taken."""


def reread(quads: Sequence[Quad]) -> list[Quad]:
    """Give the triplets that the table of some triplets holds; those without a place stay as they are.

    >>> good, cups = Term("Good", Span(0, 4)), Term("tea cups", Span(5, 13))
    >>> both = [Quad(Term("tea", Span(5, 8)), None, good, Polarity.POSITIVE)]
    >>> both.append(Quad(cups, None, good, Polarity.POSITIVE))
    >>> [quad.aspect.text for quad in reread(both)]
    ['tea cups']
    """
    placed = [quad for quad in quads if _is_placed(quad)]
    labels, cells = _paint(placed)
    aspects, opinions = (_read_terms(labels, part) for part in (Part.ASPECT, Part.OPINION))
    found = [
        Quad(_join(aspect), None, _join(opinion), polarity)
        for aspect in aspects
        for opinion in opinions
        if (polarity := _vote(aspect, opinion, cells))
    ]
    return [*found, *(quad for quad in quads if not _is_placed(quad))]


def _is_placed(quad: Quad) -> bool:
    return len(quad.terms) == 2 and all(term.span for term in quad.terms)


def _paint(quads: Sequence[Quad]) -> tuple[_Labels, _Cells]:
    """Fill the table triplet by triplet; where two disagree, the later one stays."""
    labels: _Labels = {}
    cells: _Cells = {}
    for quad in quads:
        aspect, opinion = (_words(term) for term in quad.terms)
        for part, words in ((Part.ASPECT, aspect), (Part.OPINION, opinion)):
            labels |= {word: (part, word == words[0]) for word in words}
            cells |= dict.fromkeys(_pairs(words, words))
        cells |= dict.fromkeys(_pairs(aspect, opinion), quad.polarity)
        # a word of both terms is a pair with itself: there the polarity covers what opens or continues
        labels |= {word: (Part.POLARITY, False) for word in aspect if word in opinion}
    return labels, cells


def _words(term: Term) -> list[_Word]:
    first = term.span.start if term.span else 0
    return [(first + found.start(), found[0]) for found in re.finditer(r"\S+", term.text)]


def _pairs(words: Sequence[_Word], others: Sequence[_Word]) -> Iterator[tuple[_Word, _Word]]:
    return ((min(word, other), max(word, other)) for word in words for other in others)


def _read_terms(labels: _Labels, part: Part) -> list[list[_Word]]:
    """Find the terms of one kind; a word that continues nothing is passed over."""
    terms: list[list[_Word]] = []
    before: _Word | None = None
    for word, (kind, opens) in sorted(labels.items()):
        if kind == part and opens:
            terms.append([word])
        # what stands before a word within its term is in the table too, so that `before` is next to it
        elif kind == part and terms and terms[-1][-1] == before:
            terms[-1].append(word)
        before = word
    return terms


def _vote(aspect: Sequence[_Word], opinion: Sequence[_Word], cells: _Cells) -> Polarity | None:
    """Give what most cells between two terms say, None where they say nothing."""
    said = (cells.get(pair) for pair in _pairs(aspect, opinion))
    votes = Counter(polarity for polarity in said if polarity)
    return max(_TIES, key=lambda polarity: votes[polarity]) if votes else None


def _join(words: Sequence[_Word]) -> Term:
    (first, _), (last, word) = words[0], words[-1]
    return Term(" ".join(text for _, text in words), Span(first, last + len(word)))
