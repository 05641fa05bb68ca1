"""Predict triplets: one answer a text, in order and whatever the batch mates."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.encodings import Vocabulary
from aspectlab.encodings.spans import SpanEncoding, has_name
from aspectlab.encodings.text import TextItem, join_windows
from aspectlab.runtime.constants import Constant
from aspectlab.runtime.hyphens import open_hyphens, quote
from aspectlab.runtime.pipeline import Pipeline
from aspectlab.runtime.spanscores import has_tie, span_scores

DECODING = 4
"""Raised when the same scores give other opinions than before."""


class Runner(Protocol):
    """What runs the network."""

    width: int  # of a vector

    @property
    def label(self) -> str:
        """Engine and precision."""
        ...

    @property
    def version(self) -> str:
        """The version of the engine: another one may round another way."""
        ...

    def run(
        self, tokens: NDArray[np.int32], mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Give the pieces of each token, [B, T, 48], and a vector of each row, [B, H]."""
        ...


def digest(decides: Sequence[str]) -> str:
    """Give a short name to what decides a result, and to the way scores are read."""
    return hashlib.sha256(json.dumps([*decides, DECODING]).encode()).hexdigest()[:12]


class SpanPredictor:
    """Find triplets in texts; several threads may ask at once and share the cores.

    A `second` runner, slower and more exact, is asked about the texts whose outcome hangs on a near tie.
    """

    def __init__(
        self,
        vocabulary: Vocabulary,
        runner: Runner,
        second: Runner | None = None,
        *,
        threads: int,
        name: str,
        hashes: Sequence[str],
        table: Constant | None = None,
        opens_hyphens: bool = False,
    ) -> None:
        self.opens_hyphens = opens_hyphens
        self.encoding = SpanEncoding(vocabulary)
        self.table = table
        self.runner = runner
        self.second = second
        decides = [*hashes, runner.version, *(["open hyphens"] if opens_hyphens else [])]
        self.identity = f"{name}-{runner.label}-{digest(decides)}"
        self._pipeline = Pipeline(self.encoding, threads)

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Give the triplets of each text, in order, with the share of each polarity."""
        if not self.opens_hyphens:
            return self._predict(texts)
        found = self._predict([open_hyphens(text) for text in texts])
        return [quote(quads, text) for quads, text in zip(found, texts, strict=True)]

    def _predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        # where nothing is named nothing is found, so the network need not read it
        examples = [Example("", text if has_name(text) else "") for text in texts]

        def decode(items: Sequence[TextItem], length: int) -> list[tuple[Quad, ...]]:
            scores = self._score(self.runner, items, length)
            answers = self.encoding.decode(scores, items, examples)
            if self.second:
                for row in np.flatnonzero(has_tie(scores)).tolist():
                    again = self._score(self.second, [items[row]], length)
                    (answers[row],) = self.encoding.decode(again, [items[row]], examples)
            return answers

        found: list[list[tuple[Quad, ...]]] = [[] for _ in texts]
        for item, quads in self._pipeline.map(examples, decode):
            found[item.example].append(quads)
        return [join_windows(windows) for windows in found]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Give one vector a text, of length 1: the mean of those of its word pieces, [N, D].

        They are what the network begins with. What it ends with tells aspects from opinions rather than wine
        from batteries, and is taken only where there is no table.
        """
        vectors = self._pool_states(texts) if self.table is None else self._look_up(texts, self.table)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def _look_up(self, texts: Sequence[str], table: Constant) -> NDArray[np.float32]:
        """Average the rows of the word pieces, [N, D]."""
        vectors = np.zeros((len(texts), table.shape[1]), np.float32)
        for row, tokens in enumerate(self.encoding.vocabulary.tokenize(texts)):
            if tokens.ids:
                vectors[row] = table[tokens.ids].astype(np.float32).mean(0)
        return vectors

    def _pool_states(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Average the last states of the tokens, those at the ends included, [N, D]."""
        vectors = np.zeros((len(texts), self.runner.width), np.float32)

        def pool(items: Sequence[TextItem], length: int) -> list[NDArray[np.float32]]:
            return list(self._run(self.runner, items, length)[1].copy())

        for item, vector in self._pipeline.map([Example("", text) for text in texts], pool):
            vectors[item.example] += len(item) * vector
        return vectors

    def _score(self, runner: Runner, items: Sequence[TextItem], length: int) -> NDArray[np.float32]:
        """Give the scores of all spans of some items, [B, W, W, 16]."""
        pieces, _, words = self._run(runner, items, length)
        return span_scores(pieces, words)

    def _run(
        self, runner: Runner, items: Sequence[TextItem], length: int
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.int32]]:
        batch = self.encoding.collate(items, length)
        answer = runner.run(np.asarray(batch.tokens, np.int32), np.asarray(batch.mask, np.bool_))
        return *answer, np.asarray(batch.words, np.int32)
