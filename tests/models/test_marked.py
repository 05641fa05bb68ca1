"""Marked: two passes through other dropout that must agree."""

from collections.abc import Callable
from math import log

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.data import Example
from aspectlab.models import Model
from aspectlab.models.marked import Marked, disagreement
from aspectlab.training.dataset import EncodedDataset


def test_disagreement_is_the_mean_of_both_divergences() -> None:
    # by hand: p = (3/4, 1/4), q = (1/4, 3/4); each divergence is 3/4 log 3 - 1/4 log 3 = log(3) / 2
    one, other = torch.tensor([[log(3.0), 0.0]]), torch.tensor([[0.0, log(3.0)]])
    assert float(disagreement(one, other)) == pytest.approx(log(3) / 2, abs=1e-6)


def test_disagreement_of_equal_chances_is_nothing() -> None:
    scores = torch.tensor([[0.3, -1.0, 2.0], [0.0, 0.0, 0.0]])
    assert disagreement(scores, scores + 5).tolist() == pytest.approx([0.0, 0.0], abs=1e-6)


@torch.no_grad()
def test_consistency_adds_nothing_without_dropout_and_something_with(
    build_tiny: Callable[[str], Model], eight: list[Example]
) -> None:
    model = build_tiny("marked")
    assert isinstance(model, Marked)
    batch = EncodedDataset(model.encoding, eight, torch.device("cpu")).batch
    model.eval()
    plain = float(model.loss(model(batch), batch))
    model.consistency = 1.0
    assert float(model.loss(model(batch), batch)) == pytest.approx(plain, abs=1e-6)
    model.train()
    torch.manual_seed(0)
    scores, again = model(batch), model(batch)
    torch.manual_seed(0)
    apart = float(disagreement(scores, again)[:8].mean())  # the ninth row only fills
    model.consistency = 0.0
    two = float(model.loss(scores, batch) + model.loss(again, batch)) / 2
    model.consistency = 1.0
    assert apart > 0
    assert float(model.loss(model(batch), batch)) == pytest.approx(two + apart, abs=1e-5)
