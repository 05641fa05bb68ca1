"""Small word-level models, hand-made batches, and a plain LSTM to compare with."""

from dataclasses import replace

import numpy as np
import torch
from torch import Tensor, nn

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.encoders.vectors import VectorEncoder
from aspectlab.encodings import PairBatch
from aspectlab.models import Model
from aspectlab.training.dataset import to_tensors

WORDS = ["the", "a", "soup", "and", "fresh", "bread", "was", "very", "good", "but", "our", "waiter", "seemed"]
WORDS += ["rude", "so", "we", "left", "early"]
WIDTH = 6

SENTENCES = [
    ("the soup was very good but our waiter seemed rude", "soup"),
    ("the fresh bread and soup was good", "fresh bread"),  # a context on both sides
    ("soup was good", "soup"),  # no left context
    ("so we left the rude waiter", "waiter"),  # no right context
    ("fresh bread", "fresh bread"),  # no context at all
    ("soup", "soup"),
    ("our waiter left a soup early and so was the bread very good but our waiter was rude", "soup early and"),
]
"""Where an aspect can stand; each sentence holds it once."""


def word_encoder(width: int = WIDTH, seed: int = 0) -> VectorEncoder:
    """Random vectors for the words above."""
    vectors = np.random.default_rng(seed).normal(size=(len(WORDS), width)).astype(np.float32)
    return VectorEncoder("vectors:made", vectors, WORDS)


def example_of(text: str, *aspects: str, labels: tuple[Polarity, ...] = ()) -> Example:
    """An example with one quad for each aspect, positive unless told otherwise."""
    places = [(aspect, text.index(aspect)) for aspect in aspects]
    terms = [Term(aspect, Span(start, start + len(aspect))) for aspect, start in places]
    polarities = labels or (Polarity.POSITIVE,) * len(terms)
    quads = tuple(Quad(t, None, None, p) for t, p in zip(terms, polarities, strict=True))
    return Example(text[:12], text, quads)


def batch_of(model: Model, *examples: Example, length: int | None = None) -> PairBatch[Tensor]:
    """A batch as training makes it, padded to the longest item or to the length given."""
    items = model.encoding.encode(examples)
    return to_tensors(model.encoding.collate(items, length), torch.device("cpu"))


def without_aspect(batch: PairBatch[Tensor]) -> PairBatch[Tensor]:
    """The same batch with aspects that have no token."""
    return replace(batch, in_aspect=torch.zeros_like(batch.in_aspect))


def parts_of(model: Model, text: str, aspect: str) -> tuple[Tensor, int, int]:
    """The word vectors of a text, and the first and last place of the aspect."""
    words, wanted = text.split(), aspect.split()
    first = next(p for p in range(len(words)) if words[p : p + len(wanted)] == wanted)
    numbers = torch.tensor([2 + WORDS.index(word) for word in words])
    return model.encoder.table.weight[numbers], first, first + len(wanted) - 1


def run_lstm(lstm: nn.LSTM, vectors: Tensor) -> Tensor:
    """The states of an LSTM computed word by word, [n, H] -> [n, D]."""
    hidden = cell = torch.zeros(lstm.hidden_size)
    states = []
    for vector in vectors:
        gates = lstm.weight_ih_l0 @ vector + lstm.bias_ih_l0 + lstm.weight_hh_l0 @ hidden + lstm.bias_hh_l0
        enter, forget, new, leave = gates.chunk(4)
        cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
        hidden = torch.sigmoid(leave) * torch.tanh(cell)
        states.append(hidden)
    return torch.stack(states)


def assert_close(found: Tensor, expected: Tensor) -> None:
    """Compare to five digits."""
    torch.testing.assert_close(found, expected, rtol=1e-5, atol=1e-5)
