"""ATAE-LSTM against the formulas of the paper, word by word."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.models.ataelstm import ATAELSTM
from tests.support.word_models import (
    SENTENCES,
    WIDTH,
    assert_close,
    batch_of,
    example_of,
    parts_of,
    run_lstm,
    without_aspect,
    word_encoder,
)


@pytest.fixture
def model() -> ATAELSTM:
    torch.manual_seed(0)
    model = ATAELSTM(word_encoder(), 3, hidden=5).eval()
    # larger than the first weights, so that attention is far from even
    for parameter in model.parameters():
        if parameter.requires_grad:
            parameter.data.mul_(8)
    return model


def plain_scores(model: ATAELSTM, text: str, aspect: str, seed: int) -> Tensor:
    """Equations 7 to 12 of the paper, with the aspect's half of the attention drawn at random."""
    vectors, first, last = parts_of(model, text, aspect)
    target = vectors[first : last + 1].mean(0)
    states = run_lstm(model.lstm, torch.stack([torch.cat([vector, target]) for vector in vectors]))
    draw = torch.Generator().manual_seed(seed)
    project_aspect, score_aspect = torch.randn(4, WIDTH, generator=draw), torch.randn(4, generator=draw)
    score = torch.cat([model.score.weight[0], score_aspect])
    scores = [
        score @ torch.tanh(torch.cat([model.project.weight @ state, project_aspect @ target]))
        for state in states
    ]
    weights = torch.stack(scores).exp() / torch.stack(scores).exp().sum()
    attended = sum(weight * state for weight, state in zip(weights, states, strict=True))
    joint = torch.tanh(model.from_sum.weight @ attended + model.from_last.weight @ states[-1])
    return model.classify.weight @ joint + model.classify.bias


@pytest.mark.parametrize("seed", [1, 2])
def test_ataelstm_equals_the_paper_whatever_the_aspect_adds_to_the_attention(
    model: ATAELSTM, seed: int
) -> None:
    batch = batch_of(model, *(example_of(*pair) for pair in SENTENCES), length=24)
    expected = torch.stack([plain_scores(model, *pair, seed) for pair in SENTENCES])
    assert_close(model(batch), expected)


def test_ataelstm_padding_gets_no_attention(model: ATAELSTM) -> None:
    mask = torch.tensor([[True, True, False, False]])
    # the score sees nothing, so the attention is even: one half for each of the two words
    model.score.weight.data.zero_()
    weights = model._attend(torch.randn(1, 4, 5), mask)
    assert_close(weights, torch.tensor([[0.5, 0.5, 0.0, 0.0]]))


def test_ataelstm_scores_depend_on_the_aspect(model: ATAELSTM) -> None:
    text = "the soup was very good but our waiter seemed rude"
    scores = model(batch_of(model, example_of(text, "soup", "waiter")))
    assert (scores[0] - scores[1]).abs().max() > 0.01


def test_ataelstm_without_aspect_tokens_is_finite_and_ignores_padding(model: ATAELSTM) -> None:
    example = example_of("the soup was good", "soup")
    short, long = (without_aspect(batch_of(model, example, length=length)) for length in (4, 16))
    assert model(short).isfinite().all()
    assert_close(model(long), model(short))
