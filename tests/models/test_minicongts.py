"""MiniConGTS: its losses by hand, and what they look at."""

import math

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.data import Example
from aspectlab.models.minicongts import MiniConGTS, focal_loss
from tests.support.grid_models import GIVEN, WORDS
from tests.support.word_models import assert_close, batch_of, word_encoder

RELEASED = {"weight": 2.0, "gamma": 4.0}
"""The loss of the released code."""


def build(
    *, weight: float = 2.0, gamma: float = 0.0, reach: int = 20, released_sign: bool = False
) -> MiniConGTS:
    torch.manual_seed(0)
    return MiniConGTS(
        word_encoder(), 3, hidden=8, weight=weight, gamma=gamma, reach=reach, released_sign=released_sign
    ).eval()


@pytest.mark.parametrize(("label", "chance", "weight"), [(0, 0.9, 1), (1, 0.9, 2), (1, 0.2, 2)])
def test_minicongts_focal_loss_by_hand(label: int, chance: float, weight: int) -> None:
    # two classes with the given chance of the right one: ce = -w ln p, then 0.99 (1 - e^-ce)^4 ce
    chances = [chance, 1 - chance] if label == 0 else [1 - chance, chance]
    entropy = -weight * math.log(chance)
    expected = 0.99 * (1 - math.exp(-entropy)) ** 4 * entropy
    found = focal_loss(torch.tensor([chances]).log(), torch.tensor([label]), **RELEASED)
    assert found.item() == pytest.approx(expected, rel=1e-5)


@pytest.mark.parametrize(
    ("settings", "low", "high"),
    # the slopes at one half: -w and 1 for cross-entropy; -3.60 and 0.47 by hand for the released loss
    [({"weight": 2.0, "gamma": 0.0}, 0.32, 0.35), (RELEASED, 0.10, 0.13)],
    ids=["default", "released"],
)
def test_minicongts_calls_a_cell_something_from_this_chance_on(
    settings: dict[str, float], low: float, high: float
) -> None:
    chances = torch.linspace(0.001, 0.999, 999)
    scores = torch.stack([1 - chances, chances], -1).log()
    nothing, something = (
        focal_loss(scores, torch.full((999,), label), weight=settings["weight"], gamma=settings["gamma"])
        for label in (0, 1)
    )

    def best_answer(truth: float) -> float:
        """The chance that a cell is best given if it holds something in such a share of all cases."""
        return float(chances[((1 - truth) * nothing + truth * something).argmin()])

    assert best_answer(low) < 0.5 < best_answer(high)


def test_minicongts_tells_a_near_pair_from_a_far_one() -> None:
    # vectors of words know no places: only the distance tells one soup from the other
    example = Example("1", "soup was good but soup", ())
    near, without = build(), build(reach=0)
    scores = near(batch_of(near, example))[0, ..., :7], without(batch_of(without, example))[0, ..., :7]
    assert (scores[0][0, 2] - scores[0][4, 2]).abs().max() > 1e-3
    assert_close(scores[1][0, 2], scores[1][4, 2])


@pytest.mark.parametrize("settings", [{"weight": 2.0, "gamma": 0.0}, RELEASED], ids=["default", "released"])
def test_minicongts_loss_equals_a_plain_loop(settings: dict[str, float]) -> None:
    model = build(weight=settings["weight"], gamma=settings["gamma"])
    batch = batch_of(model, GIVEN, length=9)
    scores = model(batch)
    # positive is class 4, the rest follows
    labels = {(1, 5): 4, (1, 6): 1, (2, 5): 1, (2, 6): 1}
    kinds = [0, 1, 1, 0, 0, 4, 4]
    total = torch.zeros(())
    for row in range(WORDS):
        for column in range(WORDS):
            cell, label = scores[0, row, column], torch.tensor([labels.get((row, column), 0)])
            if row != column:
                total = total + focal_loss(cell[None, :5], label, **settings)[0]
                total = total + focal_loss(cell[None, 5:7], label.clamp(max=1), **settings)[0]
            if row < column:
                total = total - 0.1 * cell[7] * (1 if kinds[row] == kinds[column] else -1)
    assert_close(model.loss(scores, batch), total / 100)


def test_minicongts_counts_a_cell_of_a_long_text_as_one_of_a_short_text() -> None:
    model = build()
    # a mean over each text would let the 49 cells of the first weigh four times as much as the 196 others
    long = Example("2", f"{GIVEN.text} but our waiter was so very rude", GIVEN.quads)
    batch = batch_of(model, GIVEN, long)
    scores = model(batch).detach().requires_grad_()
    model.loss(scores, batch).backward()
    assert scores.grad is not None
    gold = scores.grad[:, 1, 5]  # [2, 8] the cell of the triplet, which stands at the same place in both
    weights = gold.abs()[:, :5].sum(1) / (1 - scores.detach()[:, 1, 5, :5].softmax(-1)[:, 4])
    assert_close(weights[0], weights[1])


def test_minicongts_likeness_is_the_cosine_of_the_words() -> None:
    model = build()
    batch = batch_of(model, GIVEN)
    words = model.normalize(model.encoder(batch))[0]
    expected = torch.nn.functional.cosine_similarity(words[:, None], words[None], dim=-1)
    assert_close(model(batch)[0, ..., 7], expected)


@pytest.mark.parametrize(("released_sign", "sign"), [(False, -1), (True, 1)])
def test_minicongts_draws_alike_words_together_unless_told_otherwise(released_sign: bool, sign: int) -> None:
    model = build(released_sign=released_sign)
    batch = batch_of(model, GIVEN)
    scores = model(batch).detach().requires_grad_()
    model.loss(scores, batch).backward()
    assert scores.grad is not None
    # words 1 and 2 are both of the aspect, word 5 is of the opinion; the lower triangle is not looked at
    assert scores.grad[0, 1, 2, 7].sign() == sign
    assert scores.grad[0, 1, 5, 7].sign() == -sign
    assert scores.grad[0, 2, 1, 7] == 0


def test_minicongts_learns_no_class_on_the_diagonal() -> None:
    model = build()
    batch = batch_of(model, GIVEN)
    scores = model(batch).detach().requires_grad_()
    model.loss(scores, batch).backward()
    assert scores.grad is not None
    diagonal = scores.grad[0].diagonal()
    assert diagonal.abs().sum() == 0
