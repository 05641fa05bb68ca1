"""BMRC: losses worked out by hand, and answers that padding and filling leave alone."""

from collections.abc import Callable
from math import log

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.data import Example
from aspectlab.models import Model
from aspectlab.models.bmrc import SENTIMENT
from tests.support.questions import HARD, batch_of, told, without_last

Build = Callable[[str], Model]

FISH = told("Good fish and bad wine", ("fish", "Good", "positive"), ("wine", "bad", "negative"))


@pytest.fixture
def model(build_tiny: Build) -> Model:
    return build_tiny("bmrc").eval()


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        (0, (5 + 2 * 2) * log(2)),  # five words, two aspects: a mark counts three times, half for each end
        (2, (5 + 2 * 1) * log(2)),  # the opinion of one aspect
        (3, log(3)),  # the sentiment
    ],
)
def test_loss_of_a_model_without_a_clue(model: Model, place: int, expected: float) -> None:
    batch = batch_of(model, model.encoding.encode([FISH])[place], length=100)
    scores = torch.zeros(1, 100, 7)
    assert model.loss(scores, batch).item() == pytest.approx(expected)


def test_loss_is_the_mean_over_questions(model: Model) -> None:
    items = model.encoding.encode([FISH])
    together = batch_of(model, *items, length=100)
    alone = [model.loss(model(b), b).item() for b in (batch_of(model, item, length=100) for item in items)]
    assert model.loss(model(together), together).item() == pytest.approx(sum(alone) / len(items), rel=1e-4)


def test_filler_does_not_count(model: Model) -> None:
    items = model.encoding.encode([FISH])
    filled = without_last(batch_of(model, *items[:4], length=100))
    plain = batch_of(model, *items[:3], length=100)
    assert model.loss(model(filled), filled).item() == pytest.approx(model.loss(model(plain), plain).item())


def test_sentiment_is_learnt_from_its_question_alone(model: Model) -> None:
    items = model.encoding.encode([FISH])
    marking = batch_of(model, *(item for item in items if item.question.query != SENTIMENT))
    model.loss(model(marking), marking).backward()
    assert not model.sentiment.weight.grad.any()
    assert model.start.weight.grad.any()


def test_scores_of_hard_texts_are_numbers_in_bfloat16(model: Model) -> None:
    items = model.encoding.encode([Example(str(n), text) for n, text in enumerate(HARD)])
    batch = batch_of(model, *items)
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(batch)
        loss = model.loss(scores, batch)
    assert scores.isfinite().all()
    loss.backward()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in model.parameters())
