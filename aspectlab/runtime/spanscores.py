"""From token pieces to the scores of spans.

A span's scores are a sum of three: what its first word says, what its last word says, and what the words in
it say together. The network gives the three pieces for every token; adding them up for every span is cheap,
and done here in float32 whatever the network computes in.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from aspectlab.encodings.spans import CLASSES

PIECES = 3 * CLASSES
"""Numbers that the network gives for a token: as first word, as last word, as a word inside."""


_NEAR = 0.04
"""A difference of scores that bfloat16 may turn round: it did so in 10 of 1,468 sentences, all nearer."""

_NOTHING = 1e4
"""The score of class 0 where a row has no such word: nothing else can win there."""


def span_scores(pieces: NDArray[np.float32], words: NDArray[np.int32]) -> NDArray[np.float32]:
    """Give the scores of every span, [B, T, 48] and [B, T] -> [B, W, W, 16]; below the diagonal is no span.

    >>> pieces = np.arange(2 * PIECES, dtype=np.float32).reshape(1, 2, PIECES)
    >>> span_scores(pieces, np.array([[0, 1]], np.int32))[0, 0, 1, 0]  # 0 + 64 + (32 + 80)
    np.float32(176.0)
    """
    means = mean_pieces(pieces, words)  # [B, W, 48]
    first, last, inside = (means[..., start : start + CLASSES] for start in range(0, PIECES, CLASSES))
    before = inside.cumsum(1)  # [B, W, 16] up to and with each word
    starts, ends = first + inside - before, last + before
    scores: NDArray[np.float32] = starts[:, :, None] + ends[:, None]
    return scores


def has_tie(scores: NDArray[np.float32]) -> NDArray[np.bool_]:
    """Tell which items have a span whose two best classes are close, [B, W, W, 16] -> [B].

    >>> scores = np.zeros((2, 1, 1, CLASSES), np.float32)
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
    means[:, CLASSES] = _NOTHING
    rows, places = np.nonzero(words >= 0)
    if len(rows):
        owners = rows * width + words[rows, places]
        starts = np.flatnonzero(np.diff(owners, prepend=-1))
        sums = np.add.reduceat(pieces[rows, places], starts, axis=0)
        counts = np.diff(starts, append=len(owners)).astype(np.float32)
        means[owners[starts]] = sums / counts[:, None]
    return means.reshape(len(words), width, pieces.shape[-1])
