"""BERT+TFM: its loss by hand, and what it reads."""

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

pytest.importorskip("torch", reason="the models need the extra 'train'")

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings.tags import TagBatch
from aspectlab.models import Model
from aspectlab.models.berttfm import BERTTFM
from aspectlab.training.dataset import to_tensors


@pytest.fixture
def model(build_tiny: Callable[[str], Model]) -> BERTTFM:
    model = build_tiny("bert-tfm").eval()
    assert isinstance(model, BERTTFM)
    return model


def batch_of(model: Model, examples: list[Example], length: int | None = None) -> TagBatch[Tensor]:
    return to_tensors(model.encoding.collate(model.encoding.encode(examples), length), torch.device("cpu"))


def test_loss_is_the_mean_over_the_words(model: BERTTFM, eight: list[Example]) -> None:
    batch = batch_of(model, eight[:2], length=64)
    # scores that are all the same cost log 13 a word, however many words and however much padding there are
    assert model.loss(torch.zeros(2, 64, 13), batch).item() == pytest.approx(math.log(13))


def test_loss_passes_over_fillers(model: BERTTFM, eight: list[Example]) -> None:
    batch = batch_of(model, eight[:2])
    scores = torch.randn(2, batch.tokens.shape[1], 13)
    alone = model.loss(scores[:1], batch_of(model, eight[:1], length=batch.tokens.shape[1]))
    filled = model.loss(scores, replace(batch, weight=torch.tensor([1.0, 0.0])))
    assert filled.item() == pytest.approx(alone.item())


def test_loss_of_certainty_is_nothing(model: BERTTFM, eight: list[Example]) -> None:
    batch = batch_of(model, eight)
    scores = 50 * torch.nn.functional.one_hot(batch.labels, 13).float()
    assert model.loss(scores, batch).item() == pytest.approx(0, abs=1e-6)


@torch.no_grad()
def test_scores_are_close_in_bfloat16(model: BERTTFM, eight: list[Example]) -> None:
    batch = batch_of(model, eight)
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(batch)
        assert model.loss(scores, batch).isfinite()
    torch.testing.assert_close(scores.float(), model(batch), rtol=0.1, atol=0.1)
