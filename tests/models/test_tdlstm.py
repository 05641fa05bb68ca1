"""TD-LSTM against two LSTMs run word by word."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.models.tdlstm import TDLSTM
from tests.support.word_models import (
    SENTENCES,
    assert_close,
    batch_of,
    example_of,
    parts_of,
    run_lstm,
    without_aspect,
    word_encoder,
)


@pytest.fixture
def model() -> TDLSTM:
    torch.manual_seed(0)
    return TDLSTM(word_encoder(), 3, hidden=5).eval()


def plain_scores(model: TDLSTM, text: str, aspect: str) -> Tensor:
    """Section 3.2 of the paper: both sequences hold the aspect, and the right one is read backwards."""
    vectors, first, last = parts_of(model, text, aspect)
    left = run_lstm(model.read_left.lstm, vectors[: last + 1])[-1]
    right = run_lstm(model.read_right.lstm, vectors[first:].flip(0))[-1]
    return model.classify.weight @ torch.cat([left, right]) + model.classify.bias


def test_tdlstm_equals_a_plain_loop(model: TDLSTM) -> None:
    batch = batch_of(model, *(example_of(*pair) for pair in SENTENCES), length=24)
    assert_close(model(batch), torch.stack([plain_scores(model, *pair) for pair in SENTENCES]))


@pytest.mark.parametrize(
    ("text", "side"),
    [
        ("so rude waiter was good", "left"),  # the word before the aspect has changed
        ("the rude waiter was fresh", "right"),  # the last word has changed
        ("the rude soup was good", "both"),  # the aspect has changed
    ],
)
def test_tdlstm_sides_share_the_aspect_only(model: TDLSTM, text: str, side: str) -> None:
    seen: dict[str, Tensor] = {}
    model.read_left.register_forward_hook(lambda *call: seen.__setitem__("left", call[-1]))
    model.read_right.register_forward_hook(lambda *call: seen.__setitem__("right", call[-1]))
    model(batch_of(model, example_of("the rude waiter was good", "waiter")))
    before = dict(seen)
    model(batch_of(model, example_of(text, text.split()[2])))
    changed = {name for name in seen if not torch.equal(seen[name], before[name])}
    assert changed == ({"left", "right"} if side == "both" else {side})


def test_tdlstm_without_aspect_tokens_is_finite_and_ignores_padding(model: TDLSTM) -> None:
    example = example_of("the soup was good", "soup")
    short, long = (without_aspect(batch_of(model, example, length=length)) for length in (4, 16))
    assert_close(model(short), model.classify.bias[None])  # both sequences are empty
    assert_close(model(long), model(short))
