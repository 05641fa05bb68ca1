"""Predict: examples in, the same examples with predicted quads out, in the same order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np
import torch
from numpy.typing import NDArray

from aspectlab.data import Example, Quad
from aspectlab.models import Model
from aspectlab.training.batching import budget_batches
from aspectlab.training.device import computing
from aspectlab.training.store import Store, select

_BUDGET = {"cuda": 65_536, "cpu": 4_096}
"""Tokens per batch: a GPU wants to be filled, a CPU to stay within its caches."""

_BLOCK = 4_096
"""Examples that are encoded and held at a time."""


def predict(model: Model, examples: Sequence[Example], *, precision: str = "fp32") -> list[Example]:
    """Give every example its predicted quads; texts and ids stay, and so do order and number."""
    return list(stream_predictions(model, examples, precision=precision))


def stream_predictions(
    model: Model, examples: Sequence[Example], *, precision: str = "fp32"
) -> Iterator[Example]:
    """Predict block by block, so that memory does not grow with the corpus."""
    device = next(model.parameters()).device
    for start in range(0, len(examples), _BLOCK):
        block = [_without_labels(example) for example in examples[start : start + _BLOCK]]
        store = Store(model.encoding, block, device)
        quads = predict_rows(model, store, np.arange(len(store.items)), precision=precision)
        yield from (replace(example, quads=found) for example, found in zip(block, quads, strict=True))


def _without_labels(example: Example) -> Example:
    """Take the polarities away: a prediction must not hang on them, nor on labels that training refuses."""
    return replace(example, quads=tuple(replace(quad, polarity=None) for quad in example.quads))


@torch.inference_mode()
def score_rows(model: Model, store: Store, rows: NDArray[np.int64], *, precision: str) -> NDArray[np.float32]:
    """Give the scores of some items of a store, [N, ...], in the order of the rows."""
    device = next(model.parameters()).device
    was_training = model.training
    model.eval()
    answers: list[tuple[NDArray[np.int64], torch.Tensor]] = []
    with computing(device, precision):
        for places, length in budget_batches(store.lengths[rows], _BUDGET.get(device.type, _BUDGET["cpu"])):
            batch = select(store.batch, torch.from_numpy(rows[places]).to(device), length)
            answers.append((places, model(batch).float()))
    model.train(was_training)
    if not answers:
        return np.zeros((0, 1), np.float32)
    # one transfer at the end: each one waits for the device
    scores = torch.cat([part for _, part in answers]).cpu().numpy()
    ordered = np.empty_like(scores)
    ordered[np.concatenate([places for places, _ in answers])] = scores
    return ordered


def predict_rows(
    model: Model, store: Store, rows: NDArray[np.int64], *, precision: str
) -> list[tuple[Quad, ...]]:
    """Give the quads of all examples of a store, with the items in `rows` predicted."""
    scores = score_rows(model, store, rows, precision=precision)
    return model.encoding.decode(scores, [store.items[row] for row in rows], store.examples)
