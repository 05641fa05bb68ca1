"""Gradient-harmonised weights against numbers worked out by hand."""

import math

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.models.grace import Harmonizer, harmonized_loss

EVEN = [0.0, 0.0]  # shares 0.5 and 0.5: both gradients are 0.5 long, in bin 12 of 24
SURE = [math.log(4.0), 0.0]  # shares 0.8 and 0.2: with label 0 both gradients are 0.2 long, in bin 4
SCORES = torch.tensor([EVEN, EVEN, EVEN, SURE])
ALL = torch.ones(4, dtype=torch.bool)


def weigh(harmonizer: Harmonizer, scores: Tensor, counted: Tensor | None = None) -> list[float]:
    labels = torch.zeros(len(scores), dtype=torch.long)
    mask = torch.ones(len(scores), dtype=torch.bool) if counted is None else counted
    weights = harmonizer(scores, labels, mask)
    assert isinstance(weights, Tensor)
    return weights.tolist()


def test_rare_gradients_weigh_more() -> None:
    # 8 gradients in 2 bins, 6 and 2 of them: 8 / (6 * 2) and 8 / (2 * 2)
    assert weigh(Harmonizer(), SCORES) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 2.0])


def test_counts_are_running_means() -> None:
    harmonizer = Harmonizer()
    weigh(harmonizer, SCORES)
    # now 2 and 2 of 4: counts are 0.75 * 6 + 0.25 * 2 = 5 and 0.75 * 2 + 0.25 * 2 = 2
    assert weigh(harmonizer, SCORES[2:]) == pytest.approx([4 / (5 * 2), 4 / (2 * 2)])
    assert harmonizer.counts[[12, 4]].tolist() == [5.0, 2.0]


def test_bin_that_was_empty_takes_its_first_count_whole() -> None:
    harmonizer = Harmonizer()
    weigh(harmonizer, SCORES[:3])
    weigh(harmonizer, SCORES[3:])
    assert harmonizer.counts[[12, 4]].tolist() == [6.0, 2.0]


def test_evaluation_changes_no_counts() -> None:
    harmonizer = Harmonizer().eval()
    assert weigh(harmonizer, SCORES) == pytest.approx([2 / 3, 2 / 3, 2 / 3, 2.0])
    assert harmonizer.counts.sum() == 0


def test_what_does_not_count_changes_nothing() -> None:
    plain, filled = Harmonizer(), Harmonizer()
    more = torch.cat([SCORES, torch.tensor([[9.0, -9.0]] * 3)])
    counted = torch.tensor([True] * 4 + [False] * 3)
    assert weigh(filled, more, counted)[:4] == pytest.approx(weigh(plain, SCORES))
    assert torch.equal(plain.counts, filled.counts)


def test_certain_mistake_falls_into_the_last_bin() -> None:
    harmonizer = Harmonizer()
    weigh(harmonizer, torch.tensor([[-200.0, 200.0]]))  # both gradients are 1 long
    assert harmonizer.counts.tolist() == [0.0] * 23 + [2.0]


def test_nothing_to_count_gives_a_loss_of_zero() -> None:
    loss = harmonized_loss(Harmonizer(), SCORES, torch.zeros(4, dtype=torch.long), ~ALL)
    assert loss.item() == 0.0


def test_loss_is_the_weighted_mean() -> None:
    loss = harmonized_loss(Harmonizer(), SCORES, torch.zeros(4, dtype=torch.long), ALL)
    # weights 2/3 and 2 as above, losses log 2 and log 1.25
    assert loss.item() == pytest.approx((3 * 2 / 3 * math.log(2) + 2 * math.log(1.25)) / 4)


def test_weights_have_no_gradient_of_their_own() -> None:
    scores = SCORES.clone().requires_grad_()
    harmonized_loss(Harmonizer(), scores, torch.zeros(4, dtype=torch.long), ALL).backward()
    assert scores.grad is not None
    # weight times (p - y) over the number of examples: 2/3 * -0.5 / 4 and 2 * -0.2 / 4
    assert scores.grad[:, 0].tolist() == pytest.approx([-1 / 12] * 3 + [-0.1])


def test_counts_are_not_saved_with_a_model() -> None:
    assert not Harmonizer().state_dict()
