"""Spelling: which numbers a term is written with, and which tokens numbers stand for.

`constrained`: a term is copied from the text, and a number is the place of a token in it. Otherwise a number
is a token of the vocabulary, so that a term need not stand in the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from aspectlab.data import Example, Quad, Term
from aspectlab.encodings.grammar import Triplet
from aspectlab.encodings.text import POLARITIES, TextItem, WordSpan, encode_texts
from aspectlab.encodings.vocabulary import Subwords, Vocabulary, WordList
from aspectlab.errors import TaskError

IMPLICIT = "null"
"""What is written for a term that the annotator did not name."""


class Gold(NamedTuple):
    """A gold triplet as it is written, and the words of its terms where these stand in the text."""

    triplet: Triplet
    aspect: WordSpan | None
    opinion: WordSpan | None


@dataclass(frozen=True, slots=True)
class Spelling:
    """Texts to items, gold triplets to numbers and back to tokens; numbers of terms begin at `first`."""

    vocabulary: Vocabulary
    first: int
    constrained: bool

    def encode(self, examples: Sequence[Example], taken: int = 0) -> list[TextItem]:
        """Make the items; terms that do not stand in the text are refused if terms are to be copied."""
        shown = examples if self.constrained else [_verbatim(example) for example in examples]
        return encode_texts(self.vocabulary, shown, with_opinions=True, taken=taken)

    def golds(self, item: TextItem, example: Example) -> list[Gold]:
        """Write the triplets of an item: those that stand in the text, then those that are only named."""
        tokens: dict[int, list[int]] = {}
        for place, word in enumerate(item.words):
            tokens.setdefault(word, []).append(
                self.first + (place if self.constrained else item.tokens[place])
            )

        def spell(span: WordSpan) -> tuple[int, ...]:
            return tuple(number for word in range(span[0], span[1] + 1) for number in tokens.get(word, ()))

        placed = [
            Gold(Triplet(spell(q.aspect), spell(q.opinion), q.polarity), q.aspect, q.opinion)
            for q in item.quads
            if q.opinion
        ]
        # a character that the vocabulary passes over may be all that a term has
        written = [gold for gold in placed if gold.triplet.aspect and gold.triplet.opinion]
        return written if self.constrained else [*written, *self._named(item, example)]

    def tokens(self, triplet: Triplet, item: TextItem) -> Triplet:
        """Give a triplet by its tokens."""

        def look_up(term: tuple[int, ...]) -> tuple[int, ...]:
            numbers = (number - self.first for number in term)
            return tuple(item.tokens[number] for number in numbers) if self.constrained else tuple(numbers)

        return Triplet(look_up(triplet.aspect), look_up(triplet.opinion), triplet.polarity)

    def _named(self, item: TextItem, example: Example) -> Iterator[Gold]:
        """Write the quads that are not wholly verbatim, if what is verbatim in them is in this window."""
        for quad in example.quads:
            if quad.polarity is None or _is_verbatim(quad) or not _is_within(quad, item):
                continue
            if quad.polarity not in POLARITIES:
                raise TaskError(
                    f"example {example.id!r}: found polarity {quad.polarity.value!r}: expected positive, "
                    "negative or neutral; remove it with `aspectlab data clean`"
                )
            terms = self.vocabulary.tokenize([_name(quad.aspect), _name(quad.opinion)])
            numbers = [tuple(self.first + token for token in term.ids) for term in terms]
            if all(numbers):
                yield Gold(Triplet(numbers[0], numbers[1], quad.polarity), None, None)


def build_speller(vocabulary: Vocabulary) -> Callable[[Sequence[int]], str]:
    """Give a function that turns tokens into text."""
    if isinstance(vocabulary, Subwords):
        tokenizer = vocabulary.tokenizer
        return lambda tokens: tokenizer.decode(list(tokens)).replace(" ##", "").strip()
    assert isinstance(vocabulary, WordList)
    words = {number: word for word, number in vocabulary.numbers.items()}
    return lambda tokens: " ".join(words.get(token, "") for token in tokens).strip()


def _name(term: Term | None) -> str:
    return IMPLICIT if term is None else term.text


def _is_verbatim(quad: Quad) -> bool:
    return len(quad.terms) == 2 and all(term.span is not None for term in quad.terms)


def _verbatim(example: Example) -> Example:
    return replace(example, quads=tuple(quad for quad in example.quads if _is_verbatim(quad)))


def _is_within(quad: Quad, item: TextItem) -> bool:
    spans = [term.span for term in quad.terms if term.span is not None]
    if not item.places:
        return not spans
    first, last = item.places[0][0], item.places[-1][1]
    return all(first <= span.start and span.end <= last for span in spans)
