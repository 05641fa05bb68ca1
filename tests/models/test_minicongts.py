"""MiniConGTS: its losses by hand, and what they look at."""

import math

import pytest

pytest.importorskip("torch")

import torch
from gridmodels import GIVEN, WORDS
from wordmodels import assert_close, batch_of, word_encoder

from aspectlab.models.minicongts import MiniConGTS, focal_loss


def build(contrast: float = 0.1, *, released_sign: bool = False) -> MiniConGTS:
    torch.manual_seed(0)
    return MiniConGTS(word_encoder(), 3, hidden=8, contrast=contrast, released_sign=released_sign).eval()


@pytest.mark.parametrize(("label", "chance", "weight"), [(0, 0.9, 1), (1, 0.9, 2), (1, 0.2, 2)])
def test_minicongts_focal_loss_by_hand(label: int, chance: float, weight: int) -> None:
    # two classes with the given chance of the right one: ce = -w ln p, then 0.99 (1 - e^-ce)^4 ce
    chances = [chance, 1 - chance] if label == 0 else [1 - chance, chance]
    entropy = -weight * math.log(chance)
    expected = 0.99 * (1 - math.exp(-entropy)) ** 4 * entropy
    found = focal_loss(torch.tensor([chances]).log(), torch.tensor([label]))
    assert found.item() == pytest.approx(expected, rel=1e-5)


def test_minicongts_loss_equals_a_plain_loop() -> None:
    model = build()
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
                total = total + focal_loss(cell[None, :5], label)[0]
                total = total + focal_loss(cell[None, 5:7], label.clamp(max=1))[0]
            if row < column:
                total = total - 0.1 * cell[7] * (1 if kinds[row] == kinds[column] else -1)
    assert_close(model.loss(scores, batch), total / WORDS**2)


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
