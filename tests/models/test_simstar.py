"""SimSTAR: its loss by hand, and its table against a plain loop."""

import math

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.models.simstar import SimSTAR
from tests.support.grid_models import GIVEN, WORDS
from tests.support.word_models import assert_close, batch_of, word_encoder


@pytest.fixture
def model() -> SimSTAR:
    torch.manual_seed(0)
    return SimSTAR(word_encoder(), 3, hidden=8, distance_width=2, reach=4).eval()


@pytest.mark.parametrize(
    ("answer", "chance", "expected"),
    [
        # -0.25 (1 - p)^2 ln p, and -0.75 p^2 ln(1 - p)
        (1.0, 0.8, -0.25 * 0.04 * math.log(0.8)),
        (0.0, 0.8, -0.75 * 0.64 * math.log(0.2)),
        (1.0, 0.001, -0.25 * 0.999**2 * math.log(0.001)),
    ],
)
def test_simstar_focal_loss_by_hand(model: SimSTAR, answer: float, chance: float, expected: float) -> None:
    score = torch.tensor(math.log(chance / (1 - chance)))
    assert model.focal_loss(score, torch.tensor(answer)).item() == pytest.approx(expected, rel=1e-4)


@pytest.mark.parametrize("score", [-200.0, 200.0])
@pytest.mark.parametrize("answer", [0.0, 1.0])
def test_simstar_focal_loss_of_any_score_has_a_finite_gradient(
    model: SimSTAR, score: float, answer: float
) -> None:
    scores = torch.tensor(score, requires_grad=True)
    loss = model.focal_loss(scores, torch.tensor(answer))
    loss.backward()
    assert loss.isfinite()
    assert scores.grad is not None
    assert scores.grad.isfinite()


@pytest.mark.parametrize("length", [WORDS, 10])
def test_simstar_scores_equal_a_plain_loop(model: SimSTAR, length: int) -> None:
    batch = batch_of(model, GIVEN, length=length)
    words = model.encoder(batch)[0]
    scores = model(batch)[0]
    for row, column in [(0, 0), (1, 2), (0, 6), (6, 0)]:
        # four words back or three ahead is as far as distances are told apart
        place = min(max(column - row, -4), 3) + 4
        pair = torch.cat([words[row], words[column], model.distances.weight[place]])
        vector = model.join.join(pair)
        assert_close(scores[row, column], torch.cat([model.terms(vector), model.links(vector)]))


def test_simstar_loss_equals_a_plain_loop(model: SimSTAR) -> None:
    batch = batch_of(model, GIVEN, length=9)
    scores = model(batch)
    # positive is the last question
    yes = {(1, 2, 0), (5, 6, 1), (1, 5, 4)}
    total = torch.zeros(())
    for row in range(WORDS):
        for column in range(WORDS):
            for question in range(5):
                if question >= 2 or row <= column:
                    answer = torch.tensor(float((row, column, question) in yes))
                    total = total + model.focal_loss(scores[0, row, column, question], answer)
    assert_close(model.loss(scores, batch), total / WORDS)


def test_simstar_finds_little_before_it_is_trained(model: SimSTAR) -> None:
    assert (model(batch_of(model, GIVEN)).sigmoid() < 0.4).all()
