"""GCAE against windows looked at one by one."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn

from aspectlab.models.gcae import GCAE
from tests.support.word_models import (
    SENTENCES,
    WIDTH,
    assert_close,
    batch_of,
    example_of,
    parts_of,
    without_aspect,
    word_encoder,
)


@pytest.fixture
def model() -> GCAE:
    torch.manual_seed(0)
    return GCAE(word_encoder(), 3, filters=4).eval()


def slide(conv: nn.Conv1d, vectors: Tensor) -> list[Tensor]:
    """The answers of a convolution, window by window."""
    size = conv.kernel_size[0]
    windows = [vectors[start : start + size] for start in range(len(vectors) - size + 1)]
    return [(conv.weight * window.T).sum((1, 2)) + conv.bias for window in windows]


def plain_scores(model: GCAE, text: str, aspect: str) -> Tensor:
    """Section 3 of the paper, with a sentence filled up to five words by zeros."""
    vectors, first, last = parts_of(model, text, aspect)
    edge = torch.zeros(1, WIDTH)
    along = slide(model.read_aspect, torch.cat([edge, vectors[first : last + 1], edge]))
    target = torch.stack([answer.clamp(min=0) for answer in along]).amax(0)
    opening = model.open_gate.weight @ target + model.open_gate.bias
    filled = torch.cat([vectors, torch.zeros(max(5 - len(vectors), 0), WIDTH)])
    strongest = []
    for sentiment, gate in zip(model.sentiment, model.gate, strict=True):
        pairs = zip(slide(sentiment, filled), slide(gate, filled), strict=True)
        found = [torch.tanh(a) * (c + opening).clamp(min=0) for a, c in pairs]
        strongest.append(torch.stack(found).amax(0))
    return model.classify.weight @ torch.cat(strongest) + model.classify.bias


@pytest.mark.parametrize("length", [18, 24])
def test_gcae_equals_a_plain_loop(model: GCAE, length: int) -> None:
    batch = batch_of(model, *(example_of(*pair) for pair in SENTENCES), length=length)
    assert_close(model(batch), torch.stack([plain_scores(model, *pair) for pair in SENTENCES]))


def test_gcae_window_of_padding_never_wins(model: GCAE) -> None:
    # real words can only lower the 2 that a window of zeros answers before tanh and gate
    model.encoder.table.weight.data.abs_()
    for conv in model.sentiment:
        conv.weight.data.fill_(-1.0)
        conv.bias.data.fill_(2.0)
    pair = ("the fresh bread and soup was good", "soup")
    expected = plain_scores(model, *pair)
    assert_close(model(batch_of(model, example_of(*pair), length=32))[0], expected)


@pytest.mark.parametrize("text", ["soup", "soup was", "the soup was good", "the soup was very good"])
@pytest.mark.parametrize("length", [5, 16, None])
def test_gcae_sentence_has_at_least_five_words(model: GCAE, text: str, length: int | None) -> None:
    found = model(batch_of(model, example_of(text, "soup"), length=length))
    assert_close(found[0], plain_scores(model, text, "soup"))


def test_gcae_without_aspect_tokens_is_finite_and_ignores_padding(model: GCAE) -> None:
    example = example_of("the soup was good", "soup")
    short, long = (without_aspect(batch_of(model, example, length=length)) for length in (4, 16))
    assert model(short).abs().max() < 100  # the stand-in for minus infinity would show
    assert_close(model(long), model(short))
