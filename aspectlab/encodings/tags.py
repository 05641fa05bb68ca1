"""Tag encoding: every word says where in an aspect it stands, and which polarity that aspect has.

The class of a word is 0 outside every aspect, else 1 + 3 * letter + polarity. Tags are written aspect by
aspect, so that two aspects side by side stay two. Of two aspects that share a word the one that begins first
stays, the longer one of two that begin together: a limit of every scheme with one tag a word.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from aspectlab.data import Example, Polarity, Quad
from aspectlab.encodings.base import (
    POLARITIES,
    A,
    Array,
    Batch,
    Item,
    Scores,
    TextItem,
    WordQuad,
    WordSpan,
    encode_texts,
    frame_arrays,
    pad_field,
    polarity_shares,
    quad_at,
)
from aspectlab.encodings.vocabulary import Vocabulary

Scheme = Mapping[str, int]
"""The letter that a word gets which begins, is inside, ends, or alone makes an aspect."""

BIO: Scheme = {"begin": 0, "inside": 1, "end": 1, "single": 0}
BIEOS: Scheme = {"begin": 0, "inside": 1, "end": 2, "single": 3}

Found = tuple[WordSpan, Scores]
"""An aspect that was read off the scores, and the weight of each polarity, [3]."""

Reading = Callable[[Scores], Iterable[Found]]
"""How the scores of a text become aspects, [W, C] -> any number of them."""


@dataclass(frozen=True, slots=True)
class TagBatch(Batch[A]):
    """Texts as arrays; the label of a word is its class, [B, T]."""

    axes: ClassVar[dict[str, str]] = {**Batch.axes, "labels": "BT"}


@dataclass(frozen=True, slots=True)
class TagEncoding:
    """Turn a text into one token sequence, and the classes of its words back into aspects."""

    vocabulary: Vocabulary
    scheme: Scheme
    read: Reading

    def encode(self, examples: Sequence[Example]) -> list[TextItem]:
        """Make an item of every text, or of overlapping windows where it is too long."""
        return encode_texts(self.vocabulary, examples, with_opinions=False)

    def collate(self, items: Sequence[Item], length: int | None = None) -> TagBatch[Array]:
        """Pad items to one length: that of the longest, or the one given."""
        frame = frame_arrays(items, self.vocabulary.pad, length)
        tags = [write_tags(item.quads, self.scheme) for item in items if isinstance(item, TextItem)]
        return TagBatch(**frame, labels=pad_field(tags, frame["tokens"].shape[1], 0, np.int64))

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Read aspects off the scores of the words, [B, T, C]."""
        return [
            tuple(
                quad_at(examples[item.example], item, span, None, *best_polarity(weights))
                for span, weights in self.read(row[: len(item.offsets)])
            )
            for row, item in zip(scores, items, strict=True)
            if isinstance(item, TextItem)
        ]


def count_classes(scheme: Scheme) -> int:
    """Count the classes of a scheme.

    >>> count_classes(BIO), count_classes(BIEOS)
    (7, 13)
    """
    return 1 + len(set(scheme.values())) * len(POLARITIES)


def write_tags(quads: Sequence[WordQuad], scheme: Scheme) -> list[int]:
    """Return the class of every word up to the end of the last aspect.

    >>> write_tags([WordQuad((1, 1), None, POLARITIES[2]), WordQuad((2, 4), None, POLARITIES[0])], BIEOS)
    [0, 12, 1, 4, 7]
    """
    tags: list[int] = []
    for quad in sorted(quads, key=lambda quad: (quad.aspect[0], -quad.aspect[1])):
        first, last = quad.aspect
        if first < len(tags):
            continue  # a word of it belongs to another aspect already
        tags += [0] * (first - len(tags))
        names = (_name(word, first, last) for word in range(first, last + 1))
        tags += [1 + len(POLARITIES) * scheme[name] + POLARITIES.index(quad.polarity) for name in names]
    return tags


def read_collapsed(scores: Scores) -> Iterator[Found]:
    """Read aspects off BIEOS classes, [W, 13].

    A word alone is an aspect; so is a run that begins, goes on and ends with one polarity. Whatever breaks
    such a run, another polarity included, undoes it.
    """
    start = held = -1
    for index, tag in enumerate(scores.argmax(-1).tolist()):
        letter, polarity = divmod(tag - 1, len(POLARITIES))
        if tag and letter == BIEOS["single"]:
            yield (index, index), _polarity_weights(scores[index : index + 1])
        if tag and letter == BIEOS["begin"]:
            start, held = index, polarity
            continue
        goes_on = start >= 0 and polarity == held and letter in (BIEOS["inside"], BIEOS["end"])
        if goes_on and letter == BIEOS["end"]:
            yield (start, index), _polarity_weights(scores[start : index + 1])
        if not goes_on or letter == BIEOS["end"]:
            start = -1


def read_cascaded(scores: Scores) -> Iterator[Found]:
    """Read aspects off BIO scores, and their polarity off the scores behind them, [W, 3 + 3]."""
    for first, last in read_runs(scores[:, :3].argmax(-1).tolist()):
        yield (first, last), softmax(scores[first : last + 1, 3:]).mean(0)


def read_runs(tags: Sequence[int]) -> list[WordSpan]:
    """Find the runs that begin with a 1 and go on with 2; a 2 after anything else is passed over.

    >>> read_runs([1, 2, 0, 2, 1, 1])
    [(0, 1), (4, 4), (5, 5)]
    """
    spans: list[WordSpan] = []
    for index, tag in enumerate(tags):
        if tag == 1:
            spans.append((index, index))
        elif tag == 2 and spans and spans[-1][1] == index - 1:
            spans[-1] = spans[-1][0], index
    return spans


def best_polarity(weights: Scores) -> tuple[Polarity, dict[str, float]]:
    """Choose the polarity with the highest weight, and return the share of each."""
    return POLARITIES[int(weights.argmax())], polarity_shares(weights.tolist())


def softmax(scores: Scores) -> Scores:
    """Turn scores into shares along the last axis, [..., C] -> [..., C]."""
    shifted = np.exp(scores - scores.max(-1, keepdims=True))
    share: Scores = shifted / shifted.sum(-1, keepdims=True)
    return share


def _name(word: int, first: int, last: int) -> str:
    if first == last:
        return "single"
    return {first: "begin", last: "end"}.get(word, "inside")


def _polarity_weights(scores: Scores) -> Scores:
    """Compare the polarities of the letter that each word of an aspect got, [W, 13] -> [3]."""
    groups = scores[:, 1:].reshape(len(scores), -1, len(POLARITIES))  # [W, letters, 3]
    letters = groups.max(-1).argmax(-1)  # [W]
    weights: Scores = softmax(groups[np.arange(len(scores)), letters]).mean(0)
    return weights
