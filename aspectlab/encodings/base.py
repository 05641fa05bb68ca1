"""What encodings share: their interfaces, items and batches, and whole texts as items.

Words are counted within an item, so that a window of a long text reads like a text of its own.
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar, Generic, NamedTuple, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings.vocabulary import Tokens, Vocabulary
from aspectlab.errors import TaskError
from aspectlab.language import Offsets, word_offsets

Array = NDArray[np.generic]
"""A field of a batch before it is moved to a device."""

Scores = NDArray[np.float32]
"""Scores as numpy, so that an exported model decodes without torch."""

A = TypeVar("A")
"""The kind of array: numpy while encoding, torch while training."""


@dataclass(frozen=True, slots=True)
class Item:
    """One token sequence: a text, a window of one, or a text with an aspect."""

    example: int  # the index of the example that it comes from
    tokens: list[int]
    segments: list[int]
    words: list[int]  # the word that each token belongs to, -1 for none
    is_cut: bool  # the text was too long: only a part of it is read

    def __len__(self) -> int:
        return len(self.tokens)

    @property
    def is_labelled(self) -> bool:
        """Whether there is anything to learn from it."""
        return True


@dataclass(frozen=True, slots=True)
class Batch(Generic[A]):
    """Items as arrays. T: tokens. Words are numbered along the same axis: there are never more of them.

    `axes` names the axes of each field, so that rows can be taken and padding cut off.
    """

    tokens: A  # [B, T]
    segments: A  # [B, T] 0 for the first segment, 1 for the second
    mask: A  # [B, T] tokens that are no padding
    words: A  # [B, T] the word of the text that a token belongs to, -1 for none
    labels: A  # what is to be learnt; its shape is the encoding's
    group: A  # [B] the example that an item comes from
    weight: A  # [B] 0 for an item that only fills the batch up

    axes: ClassVar[dict[str, str]] = {
        **dict.fromkeys(("tokens", "segments", "mask", "words"), "BT"),
        **dict.fromkeys(("group", "weight"), "B"),
    }


class Encoding(Protocol):
    """Examples to items, items to a batch, scores to quads; each encoding has its own items and batch."""

    def encode(self, examples: Sequence[Example]) -> Sequence[Item]:
        """Make the items of some examples: none, one or several each."""
        ...

    def collate(self, items: Sequence[Item], length: int | None = None) -> Batch[Array]:
        """Pad items that this encoding made to one length: that of the longest, or the one given."""
        ...

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the predicted quads of each item."""
        ...


class Turn(NamedTuple):
    """A question and the model's scores for it."""

    item: Item
    scores: Scores


@runtime_checkable
class MultiTurnEncoding(Protocol):
    """What predicting asks of such an encoding, besides `encode` and `collate`, which serve training."""

    def open(self, examples: Sequence[Example]) -> Sequence[Item]:
        """Return the first questions; gold answers, where the examples have some, must not show in them."""
        ...

    def follow(self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]) -> Sequence[Item]:
        """Return the next questions after some rounds; none when everything has been asked."""
        ...

    def conclude(
        self, rounds: Sequence[Sequence[Turn]], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the predicted quads of each example."""
        ...


def pad_field(rows: Sequence[Sequence[int]], length: int, fill: int, dtype: type[np.generic]) -> Array:
    """Make an array of lists, filled up behind.

    >>> pad_field([[5, 6], [7]], 3, 0, np.int32).tolist()
    [[5, 6, 0], [7, 0, 0]]
    """
    array = np.full((len(rows), length), fill, dtype)
    for number, row in enumerate(rows):
        array[number, : len(row)] = row
    return array


def frame_arrays(items: Sequence[Item], pad: int, length: int | None) -> dict[str, Array]:
    """Return the fields that every batch has, padded to the longest item or to the length given."""
    width = length or max((len(item) for item in items), default=1) or 1
    return {
        "tokens": pad_field([item.tokens for item in items], width, pad, np.int32),
        "segments": pad_field([item.segments for item in items], width, 0, np.int32),
        "mask": pad_field([[1] * len(item) for item in items], width, 0, np.bool_),
        "words": pad_field([item.words for item in items], width, -1, np.int32),
        "group": np.array([item.example for item in items], np.int32),
        "weight": np.ones(len(items), np.float32),
    }


POLARITIES = (Polarity.NEGATIVE, Polarity.NEUTRAL, Polarity.POSITIVE)
"""The polarities that extraction knows, in the order of their class numbers."""

WordSpan = tuple[int, int]
"""First and last word of a span, both included, counted from the first word of the item."""

_BLOCK = 256
"""Texts whose tokens are held at a time: few, so that the garbage collector meets few of their offsets."""

_UNNAMED = Term("")
"""A term without a span."""

_NOWHERE = (sys.maxsize, sys.maxsize)
"""Offsets behind any text."""


IMPLICIT: WordSpan = (-1, -1)
"""Stands for a term that the text does not name, for encodings that have a cell for such terms."""


class WordQuad(NamedTuple):
    """A labelled quad by its words; a quad of a corpus without opinions has none."""

    aspect: WordSpan
    opinion: WordSpan | None
    polarity: Polarity
    category: str | None = None


@dataclass(frozen=True, slots=True)
class TextItem(Item):
    """A text, or a window of a long one, with where its words stand and what is said in it."""

    offsets: list[Offsets]  # the characters of each word
    quads: tuple[WordQuad, ...]  # the labelled quads that lie wholly within these words


def encode_texts(
    vocabulary: Vocabulary,
    examples: Sequence[Example],
    *,
    with_opinions: bool,
    with_implicit: bool = False,
    taken: int = 0,
) -> list[TextItem]:
    """Make an item of every text, or of overlapping windows where it is too long.

    Terms that do not stand in the text are `IMPLICIT` if the encoding has a cell for them, else refused.
    `taken` tokens are left free, for an encoding that puts something beside the text.
    """
    items: list[TextItem] = []
    for start in range(0, len(examples), _BLOCK):
        block = examples[start : start + _BLOCK]
        tokenized = vocabulary.tokenize([example.text for example in block])
        for index, (example, tokens) in enumerate(zip(block, tokenized, strict=True), start):
            quads = list(_labelled(example, with_opinions, with_implicit))
            items += _encode(vocabulary, index, example, tokens, quads, taken)
    return items


def term_at(text: str, offsets: Sequence[Offsets], span: WordSpan) -> Term:
    """Return the term that some words make.

    >>> term_at("Lovely soup", word_offsets("Lovely soup"), (1, 1)).text
    'soup'
    """
    start, end = offsets[span[0]][0], offsets[span[1]][1]
    return Term(text[start:end], Span(start, end))


def quad_at(
    example: Example,
    item: TextItem,
    aspect: WordSpan,
    opinion: WordSpan | None,
    polarity: Polarity,
    confidence: dict[str, float] | None = None,
) -> Quad:
    """Return the quad that a decoder found, by its words."""
    return Quad(
        aspect=term_at(example.text, item.offsets, aspect),
        opinion=None if opinion is None else term_at(example.text, item.offsets, opinion),
        polarity=polarity,
        confidence=confidence,
    )


def polarity_shares(weights: Sequence[float]) -> dict[str, float]:
    """Return the share that each polarity has of some weights, which are in the order of `POLARITIES`.

    >>> polarity_shares([1.0, 1.0, 2.0])
    {'negative': 0.25, 'neutral': 0.25, 'positive': 0.5}
    """
    total = sum(weights)
    return {str(p): round(float(weight / total), 6) for p, weight in zip(POLARITIES, weights, strict=True)}


def join_windows(windows: Sequence[Sequence[Quad]]) -> tuple[Quad, ...]:
    """Merge what the windows of one text say, each quad once, in the order of the windows.

    Two windows that overlap may find the same terms and disagree on the polarity: the surer one is believed.

    >>> soup = Quad(Term("soup", Span(0, 4)), polarity=Polarity.POSITIVE, confidence={"positive": 0.9})
    >>> doubt = Quad(Term("soup", Span(0, 4)), polarity=Polarity.NEGATIVE, confidence={"negative": 0.6})
    >>> join_windows([[doubt], [soup]]) == (soup,)
    True
    """
    if len(windows) == 1:  # one text says what it says, even of the same terms
        return tuple(dict.fromkeys(windows[0]))
    kept: dict[object, tuple[Quad, ...]] = {}
    for window in windows:
        said: dict[object, dict[Quad, None]] = {}
        for quad in window:
            said.setdefault(_identity_of(quad), {})[quad] = None
        for spans, quads in said.items():
            kept[spans] = max(kept.get(spans, ()), tuple(quads), key=_surety)
    return tuple(chain.from_iterable(kept.values()))


def _identity_of(quad: Quad) -> object:
    """Return what makes quads of two windows the same: terms with spans; a quad without any stays its own."""
    is_verbatim = bool(quad.terms) and all(term.span for term in quad.terms)
    return (quad.aspect, quad.category, quad.opinion) if is_verbatim else quad


def _surety(quads: Sequence[Quad]) -> float:
    return max((max((quad.confidence or {"": 0.0}).values()) for quad in quads), default=-1.0)


def _encode(
    vocabulary: Vocabulary,
    index: int,
    example: Example,
    tokens: Tokens,
    quads: Sequence[Quad],
    taken: int,
) -> Iterator[TextItem]:
    offsets, owners = read_words(tokens.spans, word_offsets(example.text))
    before = owners.count(-1)  # tokens before the first word are left out
    ids, owners = tokens.ids[before:], owners[before:]
    first, last = vocabulary.first, vocabulary.last
    for part in _windows(owners, vocabulary.max_length - len(first) - len(last) - taken):
        row = [*first, *ids[part], *last]
        words = owners[part]
        within = offsets[words[0] : words[-1] + 1] if words else []
        found = (_word_quad(quad, within) for quad in quads)
        yield TextItem(
            example=index,
            tokens=row,
            segments=[0] * len(row),
            words=[-1] * len(first) + [word - words[0] for word in words] + [-1] * len(last),
            is_cut=False,
            offsets=within,
            quads=tuple(dict.fromkeys(quad for quad in found if quad)),
        )


def read_words(tokens: Sequence[Offsets], offsets: Sequence[Offsets]) -> tuple[list[Offsets], list[int]]:
    """Find the words that tokens begin in, and for each token the number of its word, -1 before the first.

    Both stand in the order of the text. A word that gives no token is no word here: there must never be more
    words than tokens.
    """
    read: list[Offsets] = []
    owners = []
    word, rest = _NOWHERE, iter([*offsets, _NOWHERE])
    following = next(rest)
    for start, _ in tokens:
        while following[0] <= start:
            word, following = following, next(rest)
        if word is not _NOWHERE:
            read.append(word)
            word = _NOWHERE
        owners.append(len(read) - 1)
    return read, owners


def _labelled(example: Example, with_opinions: bool, with_implicit: bool) -> Iterator[Quad]:
    """Return the quads that have a label, and refuse those that no run of words can stand for.

    With implicit terms both sides are terms, and one that does not stand in the text has no span.
    """
    for quad in example.quads:
        if quad.polarity is None:
            continue
        if quad.polarity not in POLARITIES:
            raise TaskError(
                f"example {example.id!r}: found polarity {quad.polarity.value!r}: expected positive, "
                "negative or neutral; remove it with `aspectlab data clean`"
            )
        if with_implicit:
            yield replace(quad, aspect=quad.aspect or _UNNAMED, opinion=quad.opinion or _UNNAMED)
            continue
        sides = {"aspect": quad.aspect, "opinion": quad.opinion} if with_opinions else {"aspect": quad.aspect}
        for side, term in sides.items():
            if term is None or term.span is None:
                # a corpus without any would be left empty by the command that drops them
                absent = "" if term else f"if the corpus annotates no {side}s, take a model without; else "
                raise TaskError(
                    f"example {example.id!r}: {side} {term.text if term else None!r} does not stand in the "
                    f"text, and this model finds what stands there; {absent}leave such quads out with "
                    "`aspectlab data clean --drop-implicit`, or train gas with --set constrained=false, "
                    "which writes terms"
                )
        yield quad


def _word_quad(quad: Quad, offsets: Sequence[Offsets]) -> WordQuad | None:
    aspect = _words(quad.aspect, offsets)
    opinion = _words(quad.opinion, offsets)
    if aspect is None or quad.polarity is None or (quad.opinion is not None and opinion is None):
        return None
    return WordQuad(aspect, opinion, quad.polarity, quad.category)


def _words(term: Term | None, offsets: Sequence[Offsets]) -> WordSpan | None:
    """Find the words that a term covers; None if it is not wholly within these words."""
    if term is None:
        return None
    if term.span is None:
        return IMPLICIT
    start, end = term.span
    inside = [n for n, (first, last) in enumerate(offsets) if first < end and start < last]
    if not inside or offsets[inside[0]][0] > start or offsets[inside[-1]][1] < end:
        return None
    return inside[0], inside[-1]


def _windows(owners: list[int], room: int) -> Iterator[slice]:
    """Cut tokens into windows of whole words that overlap by half, so that no short stretch is lost."""
    count = len(owners)
    if count <= room:
        yield slice(count)
        return
    start = 0
    while start < count:
        end = min(start + room, count)
        while end < count and end > start + 1 and owners[end] == owners[end - 1]:
            end -= 1
        yield slice(start, end)
        if end == count:
            return
        start += max(room // 2, 1)
        while start < count - 1 and owners[start] == owners[start - 1]:
            start += 1
