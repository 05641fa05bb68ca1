"""Aligning: from what was written to where it stands in the text."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import TypeVar

from aspectlab.data import Example, Quad, Term
from aspectlab.encodings.grammar import Triplet
from aspectlab.encodings.spelling import IMPLICIT, build_speller
from aspectlab.encodings.text import TextItem, WordSpan, quad_at, term_at
from aspectlab.encodings.vocabulary import Vocabulary
from aspectlab.language import word_spans

T = TypeVar("T", int, str)


def find_runs(tokens: Sequence[T], words: Sequence[int], run: Sequence[T]) -> list[WordSpan]:
    """Find the words that a run of tokens covers, wherever it stands; it must not cut a word.

    >>> find_runs([7, 5, 6, 7, 8], [0, 1, 1, 2, 2], [7])
    [(0, 0)]
    """
    found = []
    for start in range(len(tokens) - len(run) + 1 if run else 0):
        end = start + len(run)
        if list(tokens[start:end]) != list(run) or min(words[start:end]) < 0:
            continue
        is_cut = (start > 0 and words[start - 1] == words[start]) or (
            end < len(words) and words[end - 1] == words[end]
        )
        if not is_cut:
            found.append((words[start], words[end - 1]))
    return found


def closest_pair(aspects: Sequence[WordSpan], opinions: Sequence[WordSpan]) -> tuple[WordSpan, WordSpan]:
    """Choose the two places that have the fewest words between them; of equals, the first.

    >>> closest_pair([(0, 0), (5, 6)], [(2, 2), (7, 7)])
    ((5, 6), (7, 7))
    """
    return min(product(aspects, opinions), key=lambda pair: _gap(*pair))


def _gap(one: WordSpan, other: WordSpan) -> int:
    return max(one[0], other[0]) - min(one[1], other[1])


def nearest_word(word: str, words: Sequence[str]) -> str:
    """Give the word that takes the fewest edits to reach; of equals, the first.

    >>> nearest_word("dumpling", ["the", "dumplings", "dumping"])
    'dumplings'
    """
    return min(words, key=lambda other: edit_distance(word, other))


def edit_distance(one: str, other: str) -> int:
    """Count the characters to insert, delete or replace.

    >>> edit_distance("soup", "soap"), edit_distance("", "tea"), edit_distance("kitten", "sitting")
    (1, 3, 3)
    """
    above = list(range(len(other) + 1))
    for row, mark in enumerate(one, start=1):
        line = [row]
        for column, char in enumerate(other, start=1):
            line.append(min(above[column] + 1, line[-1] + 1, above[column - 1] + (mark != char)))
        above = line
    return above[-1]


class Aligner:
    """Find where triplets stand that were written with tokens; `normalise` mends what stands nowhere.

    Every word of a term that is not in the text is then replaced by the nearest one of the text (Zhang et
    al., 2021). A term that still stands nowhere has no span.
    """

    def __init__(self, vocabulary: Vocabulary, *, normalise: bool) -> None:
        self.spell = build_speller(vocabulary)
        self.normalise = normalise

    def quads(self, triplets: Sequence[Triplet], item: TextItem, example: Example) -> tuple[Quad, ...]:
        """Give the quads of some triplets, each once."""
        found = (self._quad(triplet, item, example) for triplet in triplets)
        return tuple(dict.fromkeys(found))

    def _quad(self, triplet: Triplet, item: TextItem, example: Example) -> Quad:
        aspects, opinions = (
            find_runs(item.tokens, item.words, term) for term in (triplet.aspect, triplet.opinion)
        )
        if aspects and opinions:
            return quad_at(example, item, *closest_pair(aspects, opinions), triplet.polarity)
        words = [example.text[start:end].lower() for start, end in item.places]
        aspects = aspects or self._find(triplet.aspect, words)
        opinions = opinions or self._find(triplet.opinion, words)
        if aspects and opinions:
            return quad_at(example, item, *closest_pair(aspects, opinions), triplet.polarity)
        terms = (
            term_at(example.text, item.places, spans[0]) if spans else self._unplaced(term)
            for spans, term in ((aspects, triplet.aspect), (opinions, triplet.opinion))
        )
        return Quad(aspect=next(terms), opinion=next(terms), polarity=triplet.polarity)

    def _find(self, term: tuple[int, ...], words: Sequence[str]) -> list[WordSpan]:
        """Find a term by its spelling, mended if need be."""
        text = self.spell(term).lower()
        named = [text[start:end] for start, end in word_spans(text)]
        places = range(len(words))
        found = find_runs(words, places, named)
        if found or not self.normalise or not words or text == IMPLICIT:
            return found
        return find_runs(words, places, [nearest_word(word, words) for word in named])

    def _unplaced(self, term: tuple[int, ...]) -> Term | None:
        text = self.spell(term)
        return None if text == IMPLICIT else Term(text)
