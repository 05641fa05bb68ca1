"""MemNet: hand counts of location and hop, and the formulas of the paper word by word."""

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.encoders.vectors import VectorEncoder
from aspectlab.models.memnet import MemNet
from tests.support.word_models import (
    SENTENCES,
    WORDS,
    assert_close,
    batch_of,
    example_of,
    parts_of,
    without_aspect,
    word_encoder,
)


def random_model(hops: int) -> MemNet:
    torch.manual_seed(0)
    model = MemNet(word_encoder(), 3, hops=hops).eval()
    # larger than the first weights, so that attention is far from even
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data.mul_(40)
    return model


def plain_scores(model: MemNet, text: str, aspect: str) -> Tensor:
    """Sections 2.3 to 2.5 of the paper: location model 2, and hops that share their weights."""
    vectors, first, last = parts_of(model, text, aspect)
    query = vectors[first : last + 1].mean(0)
    memory = [
        vector * (1 - max(first - place, place - last) / len(vectors))
        for place, vector in enumerate(vectors)
        if not first <= place <= last
    ]
    for _ in range(model.hops):
        carried = model.carry.weight @ query + model.carry.bias
        scores = [
            torch.tanh(model.score.weight[0] @ torch.cat([m, query]) + model.score.bias[0]) for m in memory
        ]
        shares = torch.stack(scores).exp() if scores else torch.zeros(0)
        query = carried + sum(share / shares.sum() * m for share, m in zip(shares, memory, strict=True))
    return model.classify.weight @ query + model.classify.bias


@pytest.mark.parametrize("hops", [1, 3, 9])
def test_memnet_equals_a_plain_loop(hops: int) -> None:
    model = random_model(hops)
    batch = batch_of(model, *(example_of(*pair) for pair in SENTENCES), length=24)
    assert_close(model(batch), torch.stack([plain_scores(model, *pair) for pair in SENTENCES]))


@pytest.mark.parametrize(
    ("hops", "carry", "expected"),
    [
        # four words; the distances of the others to "soup" are 2, 1 and 1, so the memory is
        # 1 * 2/4, 2 * 3/4 and 4 * 3/4 = 0.5, 1.5 and 3, with the mean 5/3
        (1, 0.0, 5 / 3),
        (1, 1.0, 5 / 3 + 10),
        (2, 1.0, 10 / 3 + 10),
    ],
)
def test_memnet_counts_by_hand(hops: int, carry: float, expected: float) -> None:
    values = {"the": 1.0, "fresh": 2.0, "soup": 10.0, "was": 4.0}
    vectors = np.array([[values.get(word, 0.0)] for word in WORDS], np.float32)
    model = MemNet(VectorEncoder("vectors:made", vectors, WORDS), 1, hops=hops)
    for module, value in ((model.score, 0.0), (model.carry, carry), (model.classify, 1.0)):
        module.weight.data.fill_(value)
        module.bias.data.zero_()
    scores = model(batch_of(model, example_of("the fresh soup was", "soup"), length=9))
    assert_close(scores, torch.tensor([[expected]]))


def test_memnet_without_context_carries_the_question_only() -> None:
    model = random_model(hops=2)
    vectors, _, _ = parts_of(model, "fresh bread", "fresh bread")
    expected = model.classify(model.carry(model.carry(vectors.mean(0))))
    assert_close(model(batch_of(model, example_of("fresh bread", "fresh bread"), length=8))[0], expected)


def test_memnet_without_aspect_tokens_is_finite_and_ignores_padding() -> None:
    model = random_model(hops=3)
    example = example_of("the soup was good", "soup")
    short, long = (without_aspect(batch_of(model, example, length=length)) for length in (4, 16))
    assert model(short).isfinite().all()
    assert_close(model(long), model(short))
