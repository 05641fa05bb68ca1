"""Read triplets off the pieces that STAGE gives for each token."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings import N_SPAN_CLASSES, Item, SpanEncoding, Vocabulary
from aspectlab.runtime.networkpredictor import Networks, Runner
from aspectlab.runtime.predictor import ExportDescription, PredictOptions, refuse_options


class SpanReader:
    """Score every run of words, and read triplets off what each is."""

    others: ClassVar[tuple[str, ...]] = ()

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.encoding = SpanEncoding(vocabulary)
        self.style = None
        self.decides: Sequence[str] = ()

    @classmethod
    def open(
        cls,
        description: ExportDescription,
        vocabulary: Vocabulary,
        networks: Networks,
        options: PredictOptions,
    ) -> "SpanReader":
        """Build the reader of an exported model; it knows neither styles nor categories."""
        refuse_options(description.model, options)
        return cls(vocabulary)

    def score(self, runner: Runner, items: Sequence[Item], length: int) -> NDArray[np.float32]:
        """Return the scores of all spans of some items, [B, W, W, 16]."""
        batch = self.encoding.collate(items, length)
        pieces, _ = runner.run(np.asarray(batch.tokens), np.asarray(batch.mask))
        return span_scores(pieces, np.asarray(batch.words, np.int32))

    def has_tie(self, scores: NDArray[np.float32]) -> NDArray[np.bool_]:
        """Mark items with a span whose two best classes are close, [B, W, W, 16] -> [B]."""
        return has_tie(scores)

    def decode(
        self, scores: NDArray[np.float32], items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the triplets of each item."""
        return self.encoding.decode(scores, items, examples)

    def pool(self, runner: Runner, items: Sequence[Item], length: int) -> NDArray[np.float32]:
        """Return the mean state of each item, [B, H]."""
        batch = self.encoding.collate(items, length)
        return runner.run(np.asarray(batch.tokens), np.asarray(batch.mask))[1]


PIECES = 3 * N_SPAN_CLASSES
"""Numbers that the network gives for a token: as first word, as last word, as a word inside."""


_NEAR = 0.04
"""A difference of scores that bfloat16 may turn round: it did so in 10 of 1,468 sentences, all nearer."""

_NOTHING = 1e4
"""The score of class 0 where a row has no such word: nothing else can win there."""


def span_scores(pieces: NDArray[np.float32], words: NDArray[np.int32]) -> NDArray[np.float32]:
    """Return the scores of every span, [B, T, 48] and [B, T] -> [B, W, W, 16]; below the diagonal is no span.

    >>> pieces = np.arange(2 * PIECES, dtype=np.float32).reshape(1, 2, PIECES)
    >>> span_scores(pieces, np.array([[0, 1]], np.int32))[0, 0, 1, 0]  # 0 + 64 + (32 + 80)
    np.float32(176.0)
    """
    means = mean_pieces(pieces, words)  # [B, W, 48]
    first, last, inside = (
        means[..., start : start + N_SPAN_CLASSES] for start in range(0, PIECES, N_SPAN_CLASSES)
    )
    before = inside.cumsum(1)  # [B, W, 16] up to and with each word
    starts, ends = first + inside - before, last + before
    scores: NDArray[np.float32] = starts[:, :, None] + ends[:, None]
    return scores


def has_tie(scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Mark items with a span whose two best classes are close, [B, W, W, 16] -> [B].

    >>> scores = np.zeros((2, 1, 1, N_SPAN_CLASSES), np.float32)
    >>> scores[0, 0, 0, 3] = 1.0
    >>> has_tie(scores).tolist()
    [False, True]
    """
    close = (scores > scores.max(-1, keepdims=True) - _NEAR).sum(-1) > 1  # [B, W, W]
    tied: NDArray[np.bool_] = np.triu(close).any((1, 2))
    return tied


def mean_pieces(pieces: NDArray[np.float32], words: NDArray[np.int32]) -> NDArray[np.float32]:
    """Average the pieces of the tokens of each word, [B, T, P] -> [B, W, P]; the tokens of a word adjoin."""
    width = int(words.max(initial=-1)) + 1
    means = np.zeros((len(words) * width, pieces.shape[-1]), np.float32)
    means[:, N_SPAN_CLASSES] = _NOTHING
    rows, columns = np.nonzero(words >= 0)
    if len(rows):
        owners = rows * width + words[rows, columns]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        sums = np.add.reduceat(pieces[rows, columns], starts, axis=0)
        counts = np.diff(starts, append=len(owners)).astype(np.float32)
        means[owners[starts]] = sums / counts[:, None]
    return means.reshape(len(words), width, pieces.shape[-1])
