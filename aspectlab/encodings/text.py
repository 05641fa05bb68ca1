"""Whole texts as items: what every encoding that looks for terms in a text starts from.

Words are counted within an item, so that a window of a long text reads like a text of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encodings.batch import Item
from aspectlab.encodings.vocabulary import Tokens, Vocabulary
from aspectlab.errors import TaskError
from aspectlab.language import word_spans

POLARITIES = (Polarity.NEGATIVE, Polarity.NEUTRAL, Polarity.POSITIVE)
"""The polarities that extraction knows, in the order of their class numbers."""

WordSpan = tuple[int, int]
"""First and last word of a span, both included, counted from the first word of the item."""


class WordQuad(NamedTuple):
    """A labelled quad by its words; a quad of a corpus without opinions has none."""

    aspect: WordSpan
    opinion: WordSpan | None
    polarity: Polarity


@dataclass(frozen=True, slots=True)
class TextItem(Item):
    """A text, or a window of a long one, with where its words stand and what is said in it."""

    places: list[Span]  # the characters of each word
    quads: tuple[WordQuad, ...]  # the labelled quads that lie wholly within these words


def encode_texts(
    vocabulary: Vocabulary, examples: Sequence[Example], *, with_opinions: bool, taken: int = 0
) -> list[TextItem]:
    """Make an item of every text, or of overlapping windows where it is too long.

    `taken` tokens are left free, for an encoding that puts something beside the text.
    """
    tokenized = vocabulary.tokenize([example.text for example in examples])
    return [
        item
        for index, (example, tokens) in enumerate(zip(examples, tokenized, strict=True))
        for item in _encode(vocabulary, index, example, tokens, with_opinions, taken)
    ]


def term_at(text: str, places: Sequence[Span], span: WordSpan) -> Term:
    """Give the term that some words make.

    >>> term_at("Lovely soup", word_spans("Lovely soup"), (1, 1)).text
    'soup'
    """
    start, end = places[span[0]].start, places[span[1]].end
    return Term(text[start:end], Span(start, end))


def quad_at(
    example: Example,
    item: TextItem,
    aspect: WordSpan,
    opinion: WordSpan | None,
    polarity: Polarity,
    confidence: dict[str, float] | None = None,
) -> Quad:
    """Give the quad that a decoder found, by its words."""
    return Quad(
        aspect=term_at(example.text, item.places, aspect),
        opinion=None if opinion is None else term_at(example.text, item.places, opinion),
        polarity=polarity,
        confidence=confidence,
    )


def shares(weights: Sequence[float]) -> dict[str, float]:
    """Give each polarity its share of some weights that stand in the order of `POLARITIES`.

    >>> shares([1.0, 1.0, 2.0])
    {'negative': 0.25, 'neutral': 0.25, 'positive': 0.5}
    """
    total = sum(weights)
    return {str(p): round(float(weight / total), 6) for p, weight in zip(POLARITIES, weights, strict=True)}


def _encode(
    vocabulary: Vocabulary, index: int, example: Example, tokens: Tokens, with_opinions: bool, taken: int
) -> Iterator[TextItem]:
    places = word_spans(example.text)
    owners = _owners(tokens.spans, places)
    kept = [place for place, owner in enumerate(owners) if owner >= 0]
    quads = list(_labelled(example, with_opinions))
    room = vocabulary.max_length - len(vocabulary.first) - len(vocabulary.last) - taken
    for part in _windows(kept, owners, room):
        # a word that gives no token is no word here: there must never be more words than tokens
        read = {owner: number for number, owner in enumerate(dict.fromkeys(owners[place] for place in part))}
        row = [*vocabulary.first, *(tokens.ids[place] for place in part), *vocabulary.last]
        none = [-1] * len(vocabulary.first), [-1] * len(vocabulary.last)
        within = [places[word] for word in read]
        found = (_word_quad(quad, within) for quad in quads)
        yield TextItem(
            example=index,
            tokens=row,
            segments=[0] * len(row),
            words=[*none[0], *(read[owners[place]] for place in part), *none[1]],
            is_cut=False,
            places=within,
            quads=tuple(dict.fromkeys(quad for quad in found if quad)),
        )


def _owners(tokens: Sequence[Span], places: Sequence[Span]) -> list[int]:
    """Find the word that each token begins in, -1 before the first; both stand in the order of the text."""
    owners = []
    word, count = -1, len(places)
    for start, _ in tokens:
        while word + 1 < count and places[word + 1].start <= start:
            word += 1
        owners.append(word)
    return owners


def _labelled(example: Example, with_opinions: bool) -> Iterator[Quad]:
    """Give the quads that have a label, and refuse those that no run of words can stand for."""
    for quad in example.quads:
        if quad.polarity is None:
            continue
        if quad.polarity not in POLARITIES:
            raise TaskError(
                f"example {example.id!r}: found polarity {quad.polarity.value!r}: expected positive, "
                "negative or neutral; remove it with `aspectlab data clean`"
            )
        sides = {"aspect": quad.aspect, "opinion": quad.opinion} if with_opinions else {"aspect": quad.aspect}
        for side, term in sides.items():
            if term is None or term.span is None:
                raise TaskError(
                    f"example {example.id!r}: {side} {term.text if term else None!r} does not stand in the "
                    "text, and this model finds what stands there; leave such quads out with "
                    "`aspectlab data clean --drop-implicit`, or train gas with --set constrained=false, "
                    "which writes terms"
                )
        yield quad


def _word_quad(quad: Quad, places: Sequence[Span]) -> WordQuad | None:
    aspect = _words(quad.aspect, places)
    opinion = _words(quad.opinion, places)
    if aspect is None or quad.polarity is None or (quad.opinion is not None and opinion is None):
        return None
    return WordQuad(aspect, opinion, quad.polarity)


def _words(term: Term | None, places: Sequence[Span]) -> WordSpan | None:
    """Find the words that a term covers; None if it is not wholly within these words."""
    if term is None or term.span is None:
        return None
    start, end = term.span
    inside = [n for n, place in enumerate(places) if place.start < end and start < place.end]
    if not inside or places[inside[0]].start > start or places[inside[-1]].end < end:
        return None
    return inside[0], inside[-1]


def _windows(kept: list[int], owners: list[int], room: int) -> Iterator[list[int]]:
    """Cut tokens into windows of whole words that overlap by half, so that no short stretch is lost."""
    if len(kept) <= room:
        yield kept
        return
    start = 0
    while start < len(kept):
        end = min(start + room, len(kept))
        while end < len(kept) and end > start + 1 and owners[kept[end]] == owners[kept[end - 1]]:
            end -= 1
        yield kept[start:end]
        if end == len(kept):
            return
        start += max(room // 2, 1)
        while start < len(kept) - 1 and owners[kept[start]] == owners[kept[start - 1]]:
            start += 1
