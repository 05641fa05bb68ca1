"""Predict opinions by a network: one answer per text, in order and whatever the batch mates."""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from aspectlab.data import Example, Quad, Term
from aspectlab.encodings import Encoding, Item, Vocabulary, has_alphanumeric, join_windows
from aspectlab.runtime.batching import BatchPipeline
from aspectlab.runtime.predictor import Constant, ExportDescription, PredictOptions

DECODING = 4
"""Raised when the same scores give other opinions than before."""

Scores = NDArray[np.float32]


class Runner(Protocol):
    """What runs a network."""

    @property
    def label(self) -> str:
        """Engine and precision."""
        ...

    @property
    def version(self) -> str:
        """The version of the engine: another one may round another way."""
        ...

    def run(self, *inputs: NDArray[np.generic]) -> tuple[Scores, ...]:
        """Return all outputs; they hold until the same thread calls again."""
        ...


@dataclass(frozen=True, slots=True)
class Networks:
    """The networks of a model: one reads the tokens, and others may read what that one gives.

    A `second` runner of the first, slower and more exact, is asked about the texts whose outcome hangs on a
    near tie. The others always compute in float32.
    """

    first: Runner
    second: Runner | None = None
    others: Sequence[Runner] = ()


class Reader(Protocol):
    """How a kind of model is asked about texts, and how opinions are read off what it answers."""

    others: ClassVar[tuple[str, ...]]
    """The files of the networks behind the first one."""

    encoding: Encoding
    style: str | None  # of all texts

    @classmethod
    def open(
        cls,
        description: ExportDescription,
        vocabulary: Vocabulary,
        networks: Networks,
        options: PredictOptions,
    ) -> "Reader":
        """Build the reader of an exported model."""
        ...

    @property
    def decides(self) -> Sequence[str]:
        """What the results depend on beside the files of the model."""
        ...

    def score(self, runner: Runner, items: Sequence[Item], length: int) -> Scores:
        """Return scores for each item, padded to a length."""
        ...

    def has_tie(self, scores: Scores) -> NDArray[np.bool_]:
        """Mark the items whose opinions may be others in another precision, [B]."""
        ...

    def decode(
        self, scores: Scores, items: Sequence[Item], examples: Sequence[Example]
    ) -> list[tuple[Quad, ...]]:
        """Return the opinions of each item."""
        ...

    def pool(self, runner: Runner, items: Sequence[Item], length: int) -> Scores:
        """Return the mean state of each item, [B, H]."""
        ...


def hash_parts(decides: Sequence[str]) -> str:
    """Hash what decides a result, and the way scores are read."""
    return hashlib.sha256(json.dumps([*decides, DECODING]).encode()).hexdigest()[:12]


class NetworkPredictor:
    """Find opinions in texts; several threads may ask at once and share the cores."""

    def __init__(
        self,
        reader: Reader,
        vocabulary: Vocabulary,
        networks: Networks,
        *,
        threads: int,
        name: str,
        hashes: Sequence[str],
        width: int,
        table: Constant | None = None,
        opens_hyphens: bool = False,
    ) -> None:
        self.reader = reader
        self.vocabulary = vocabulary
        self.opens_hyphens = opens_hyphens
        self.width = width
        self.table = table
        self.runner = networks.first
        self.second = networks.second
        decides = [
            *hashes,
            self.runner.version,
            *(["open hyphens"] if opens_hyphens else []),
            *reader.decides,
        ]
        self.identity = f"{name}-{self.runner.label}-{hash_parts(decides)}"
        self._pipeline = BatchPipeline(reader.encoding, vocabulary.max_length, threads)

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text, in order, with the probability of each polarity."""
        if not self.opens_hyphens:
            return self._predict(texts)
        found = self._predict([open_hyphens(text) for text in texts])
        return [restore_hyphens(quads, text) for quads, text in zip(found, texts, strict=True)]

    def _predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        reader, style = self.reader, self.reader.style
        # where nothing is named nothing is found, so the network need not read it
        examples = [Example("", text if has_alphanumeric(text) else "", style=style) for text in texts]

        def decode(items: Sequence[Item], length: int) -> list[tuple[Quad, ...]]:
            scores = reader.score(self.runner, items, length)
            answers = reader.decode(scores, items, examples)
            if self.second:
                for row in np.flatnonzero(reader.has_tie(scores)).tolist():
                    again = reader.score(self.second, [items[row]], length)
                    (answers[row],) = reader.decode(again, [items[row]], examples)
            return answers

        found: list[list[tuple[Quad, ...]]] = [[] for _ in texts]
        for item, quads in self._pipeline.map(examples, decode):
            found[item.example].append(quads)
        return [join_windows(windows) for windows in found]

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, of length 1: the mean of those of its word pieces, [N, D].

        They are what the network begins with. What it ends with tells aspects from opinions rather than wine
        from batteries, and is taken only where there is no table.
        """
        vectors = self._pool_states(texts) if self.table is None else self._look_up(texts, self.table)
        vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-12)
        return vectors

    def _look_up(self, texts: Sequence[str], table: Constant) -> NDArray[np.float32]:
        """Average the rows of the word pieces, [N, D]."""
        vectors = np.zeros((len(texts), table.shape[1]), np.float32)
        for row, tokens in enumerate(self.vocabulary.tokenize(texts)):
            if tokens.ids:
                vectors[row] = table[tokens.ids].astype(np.float32).mean(0)
        return vectors

    def _pool_states(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Average the last states of the tokens, those at the ends included, [N, D]."""
        vectors = np.zeros((len(texts), self.width), np.float32)

        def pool(items: Sequence[Item], length: int) -> list[NDArray[np.float32]]:
            return list(self.reader.pool(self.runner, items, length).copy())

        for item, vector in self._pipeline.map([Example("", text) for text in texts], pool):
            vectors[item.example] += len(item) * vector
        return vectors


_HYPHEN = re.compile(r"(?<=[^\W\d_])-(?=[^\W\d_])")


def open_hyphens(text: str) -> str:
    """Replace each hyphen between letters by a space; all offsets stay the same.

    Of 71 sentences on "check-in" the shipped model found 7 to say something of it, and 27 when it read "check
    in". On the dev parts of ASTE-V2 the F1 of its triplets rises from 67.6 to 68.1.

    >>> open_hyphens("A slow check-in - at 3-4 pm")
    'A slow check in - at 3-4 pm'
    """
    return _HYPHEN.sub(" ", text)


def restore_hyphens(quads: tuple[Quad, ...], text: str) -> tuple[Quad, ...]:
    """Restore the words of the text itself in what was found in another spelling of it."""
    return tuple(
        replace(quad, aspect=_restore_term(quad.aspect, text), opinion=_restore_term(quad.opinion, text))
        for quad in quads
    )


def _restore_term(term: Term | None, text: str) -> Term | None:
    if term is None or term.span is None:
        return term
    return Term(text[term.span.start : term.span.end], term.span)
