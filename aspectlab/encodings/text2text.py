"""Text-to-text encoding: triplets are written down, read off what a model writes, and aligned with the text.

`constrained`: a term is copied from the text, and a number is the position of a token in it. Otherwise a
number is a token of the vocabulary, so that a term need not stand in the text.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from aspectlab.data import Example, Quad, Term
from aspectlab.encodings.base import (
    IMPLICIT,
    POLARITIES,
    A,
    Array,
    Batch,
    Item,
    Scores,
    TextItem,
    WordSpan,
    encode_texts,
    frame_arrays,
    pad_field,
    quad_at,
    term_at,
)
from aspectlab.encodings.grammar import Slot, Template, WrittenTriplet
from aspectlab.encodings.vocabulary import Subwords, Vocabulary, WordList
from aspectlab.errors import TaskError
from aspectlab.language import word_spans

T = TypeVar("T", int, str)

NULL = "null"
"""What is written for a term that the annotator did not name, where a grammar has no word for it."""


class Gold(NamedTuple):
    """A gold triplet as it is written, and the words of its terms where these stand in the text."""

    triplet: WrittenTriplet
    aspect: WordSpan | None
    opinion: WordSpan | None


@dataclass(frozen=True, slots=True)
class Spelling:
    """Texts to items, gold triplets to numbers and back to tokens; numbers of terms begin at `first`.

    `with_implicit`: there is a word for a term that is not named; its numbers are none.
    """

    vocabulary: Vocabulary
    first: int
    constrained: bool
    with_implicit: bool = False

    def encode(self, examples: Sequence[Example], taken: int = 0) -> list[TextItem]:
        """Make the items; terms that do not stand in the text are refused if terms are to be copied."""
        shown = examples if self.constrained else [_verbatim(example) for example in examples]
        return encode_texts(
            self.vocabulary, shown, with_opinions=True, with_implicit=self.with_implicit, taken=taken
        )

    def golds(self, item: TextItem, example: Example) -> list[Gold]:
        """Write the triplets of an item: those that stand in the text, then those that are only named."""
        tokens: dict[int, list[int]] = {}
        for position, word in enumerate(item.words):
            tokens.setdefault(word, []).append(
                self.first + (position if self.constrained else item.tokens[position])
            )

        def spell(span: WordSpan) -> tuple[int, ...]:
            if span == IMPLICIT:
                return ()
            return tuple(number for word in range(span[0], span[1] + 1) for number in tokens.get(word, ()))

        written = []
        for quad in item.quads:
            terms = [(span, spell(span)) for span in (quad.aspect, quad.opinion) if span]
            # a character that the vocabulary passes over may be all that a term has
            if len(terms) == 2 and all(numbers or span == IMPLICIT for span, numbers in terms):
                numbers = [numbers for _, numbers in terms]
                triplet = WrittenTriplet(numbers[0], numbers[1], quad.polarity, quad.category)
                written.append(Gold(triplet, quad.aspect, quad.opinion))
        return written if self.constrained else [*written, *self._named(item, example)]

    def tokens(self, triplet: WrittenTriplet, item: TextItem) -> WrittenTriplet:
        """Return a triplet by its tokens."""

        def look_up(term: tuple[int, ...]) -> tuple[int, ...]:
            numbers = (number - self.first for number in term)
            return tuple(item.tokens[number] for number in numbers) if self.constrained else tuple(numbers)

        return triplet._replace(aspect=look_up(triplet.aspect), opinion=look_up(triplet.opinion))

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
                yield Gold(WrittenTriplet(numbers[0], numbers[1], quad.polarity), None, None)


def build_speller(vocabulary: Vocabulary) -> Callable[[Sequence[int]], str]:
    """Return a function that turns tokens into text."""
    if isinstance(vocabulary, Subwords):
        tokenizer = vocabulary.tokenizer
        return lambda tokens: tokenizer.decode(list(tokens)).replace(" ##", "").strip()
    assert isinstance(vocabulary, WordList)
    words = {number: word for word, number in vocabulary.numbers.items()}
    return lambda tokens: " ".join(words.get(token, "") for token in tokens).strip()


def _name(term: Term | None) -> str:
    return NULL if term is None else term.text


def _is_verbatim(quad: Quad) -> bool:
    return len(quad.terms) == 2 and all(term.span is not None for term in quad.terms)


def _verbatim(example: Example) -> Example:
    return replace(example, quads=tuple(quad for quad in example.quads if _is_verbatim(quad)))


def _is_within(quad: Quad, item: TextItem) -> bool:
    spans = [term.span for term in quad.terms if term.span is not None]
    if not item.offsets:
        return not spans
    first, last = item.offsets[0][0], item.offsets[-1][1]
    return all(first <= span.start and span.end <= last for span in spans)


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
    """Choose the two spans that have the fewest words between them; of equals, the first.

    >>> closest_pair([(0, 0), (5, 6)], [(2, 2), (7, 7)])
    ((5, 6), (7, 7))
    """
    return min(product(aspects, opinions), key=lambda pair: _gap(*pair))


def _gap(one: WordSpan, other: WordSpan) -> int:
    return max(one[0], other[0]) - min(one[1], other[1])


def nearest_word(word: str, words: Sequence[str]) -> str:
    """Return the word that takes the fewest edits to reach; of equals, the first.

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

    def quads(self, triplets: Sequence[WrittenTriplet], item: TextItem, example: Example) -> tuple[Quad, ...]:
        """Return the quads of some triplets, each once."""
        found = (
            replace(self._quad(triplet, item, example), category=triplet.category) for triplet in triplets
        )
        return tuple(dict.fromkeys(found))

    def _quad(self, triplet: WrittenTriplet, item: TextItem, example: Example) -> Quad:
        aspects, opinions = (
            find_runs(item.tokens, item.words, term) for term in (triplet.aspect, triplet.opinion)
        )
        if aspects and opinions:
            return quad_at(example, item, *closest_pair(aspects, opinions), triplet.polarity)
        words = [example.text[start:end].lower() for start, end in item.offsets]
        aspects = aspects or self._find(triplet.aspect, words)
        opinions = opinions or self._find(triplet.opinion, words)
        if aspects and opinions:
            return quad_at(example, item, *closest_pair(aspects, opinions), triplet.polarity)
        terms = (
            term_at(example.text, item.offsets, spans[0]) if spans else self._unplaced(term)
            for spans, term in ((aspects, triplet.aspect), (opinions, triplet.opinion))
        )
        return Quad(aspect=next(terms), opinion=next(terms), polarity=triplet.polarity)

    def _find(self, term: tuple[int, ...], words: Sequence[str]) -> list[WordSpan]:
        """Find a term by its spelling, mended if need be."""
        text = self.spell(term).lower()
        named = [text[start:end] for start, end in word_spans(text)]
        positions = range(len(words))
        found = find_runs(words, positions, named)
        if found or not self.normalise or not words or text == NULL:
            return found
        return find_runs(words, positions, [nearest_word(word, words) for word in named])

    def _unplaced(self, term: tuple[int, ...]) -> Term | None:
        text = self.spell(term)
        return None if not term or text == NULL else Term(text)


EXTRACTION = Template(("(", Slot.ASPECT, ",", Slot.OPINION, ",", Slot.POLARITY, ")"), ";")
"""The extraction style of GAS: (aspect, opinion, polarity); (…)."""

PARAPHRASE = Template(
    (Slot.CATEGORY, "is", Slot.POLARITY, "because", Slot.ASPECT, "is", Slot.OPINION, "."),
    "[SSEP]",
    implicit="it",
)
"""The sentences of PARAPHRASE: category is polarity because aspect is opinion; a model adds categories."""

TERMS_FIRST = Template(
    (Slot.ASPECT, "is", Slot.OPINION, "so", Slot.CATEGORY, "is", Slot.POLARITY, "."), "[SSEP]", implicit="it"
)
"""The same the other way round, so that what is copied is known when it is judged."""


Guide = tuple[int, int, int]
"""Where the marker of a term is written, and the first and last word of that term; -1: not in the text."""


@dataclass(frozen=True, slots=True)
class WrittenItem(TextItem):
    """A text and what is to be written about it; it is as long as the longer of the two."""

    target: list[int]
    # of a text that is written about twice: which time, and for each triplet guides to aspect and opinion
    copy: int = 0
    guides: tuple[tuple[Guide, Guide], ...] = ()

    def __len__(self) -> int:
        return max(len(self.tokens), len(self.target))


@dataclass(frozen=True, slots=True)
class WrittenBatch(Batch[A]):
    """Texts as arrays; labels are what is to be written, with nothing (0) behind the end, [B, T].

    Texts and targets share an axis, so that a batch of short targets is cut to what it needs.
    """

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BT"}


def written_arrays(items: Sequence[Item], pad: int, length: int | None) -> dict[str, Array]:
    """Return the fields of a batch of written items."""
    written = [item for item in items if isinstance(item, WrittenItem)]
    frame = frame_arrays(written, pad, length)
    width = frame["tokens"].shape[1]
    # an item may be longer than its text
    frame["mask"] = pad_field([[1] * len(item.tokens) for item in written], width, 0, np.bool_)
    return {**frame, "labels": pad_field([item.target for item in written], width, 0, np.int32)}


def with_target(
    item: TextItem, target: list[int], copy: int = 0, guides: tuple[tuple[Guide, Guide], ...] = ()
) -> WrittenItem:
    """Return a text item with what is to be written about it."""
    return WrittenItem(
        example=item.example,
        tokens=item.tokens,
        segments=item.segments,
        words=item.words,
        is_cut=item.is_cut,
        offsets=item.offsets,
        quads=item.quads,
        target=target,
        copy=copy,
        guides=guides,
    )


@dataclass(frozen=True, slots=True)
class Text2TextEncoding:
    """Turn a text into tokens, its triplets into a row of numbers, and such rows back into triplets."""

    vocabulary: Vocabulary
    constrained: bool = True
    normalise: bool = True
    template: Template = EXTRACTION

    @property
    def spelling(self) -> Spelling:
        """How terms are written."""
        is_implicit = self.template.implicit is not None
        return Spelling(self.vocabulary, len(self.template.symbols), self.constrained, is_implicit)

    def encode(self, examples: Sequence[Example]) -> list[WrittenItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        spelling, room = self.spelling, self.vocabulary.max_length
        texts = ((item, spelling.golds(item, examples[item.example])) for item in spelling.encode(examples))
        return [
            with_target(item, self.template.write([g.triplet for g in golds if self._knows(g)], room))
            for item, golds in texts
        ]

    def _knows(self, gold: Gold) -> bool:
        """Return whether a quad can be written: dev may have categories that train has not."""
        return Slot.CATEGORY not in self.template.parts or gold.triplet.category in self.template.categories

    def collate(self, items: Sequence[Item], length: int | None = None) -> WrittenBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        return WrittenBatch(**written_arrays(items, self.vocabulary.pad, length))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read triplets off what was written, [B, Y], and find where they stand."""
        aligner, spelling = Aligner(self.vocabulary, normalise=self.normalise), self.spelling
        answers = []
        for item, row in zip(items, scores.astype(np.int64).tolist(), strict=True):
            assert isinstance(item, TextItem)
            triplets = [spelling.tokens(triplet, item) for triplet in self.template.read(row)]
            answers.append(aligner.quads(triplets, item, examples[item.example]))
        return answers
