"""COM-MRC: losses worked out by hand, and words that are hidden for good."""

from collections.abc import Callable
from math import log

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.data import Example
from aspectlab.encodings.mrc import QuestionItem
from aspectlab.models import Model
from tests.support.questions import HARD, batch_of, told, without_last

Build = Callable[[str], Model]

FISH = told("Good fish and bad wine", ("fish", "Good", "positive"), ("wine", "bad", "negative"))
HOT = told("Hot, salty soup", ("soup", "Hot", "neutral"), ("soup", "salty", "neutral"))


@pytest.fixture
def model(build_tiny: Build) -> Model:
    return build_tiny("com-mrc").eval()


def even_scores(words: int) -> Tensor:
    """Return scores with the same chance for all words of a text, and for all classes, [1, 100, 9]."""
    scores = torch.zeros(1, 100, 9)
    scores[:, words:, :4] = -1e4
    return scores


@pytest.mark.parametrize(
    ("example", "words", "place", "expected"),
    [
        # existence, both marks of the aspect by half, both marks of one opinion, sentiment
        (FISH, 5, 0, 8 * log(2) + 3.2 * log(5) + 2 * log(5) + log(3)),
        (HOT, 4, 0, 8 * log(2) + 3.2 * log(4) + 2 * log(4) + log(3)),  # per opinion, of which there are two
        (FISH, 5, 3, 8 * log(2)),  # all aspects hidden
    ],
)
def test_loss_of_a_model_without_a_clue(
    model: Model, example: Example, words: int, place: int, expected: float
) -> None:
    batch = batch_of(model, model.encoding.encode([example])[place], length=100)
    assert model.loss(even_scores(words), batch).item() == pytest.approx(expected)


@pytest.mark.parametrize("example", [FISH, told("Nothing to see")], ids=["told", "bare"])
def test_filler_does_not_count(model: Model, example: Example) -> None:
    *items, last = model.encoding.encode([example, FISH])
    filled = without_last(batch_of(model, *items, last, length=100))
    plain = batch_of(model, *items, length=100)
    assert model.loss(model(filled), filled).item() == pytest.approx(
        model.loss(model(plain), plain).item(), rel=1e-5
    )


def hiding_fish(model: Model, word: str) -> QuestionItem:
    """The item that hides the first aspect, in a text where another word stands for it."""
    example = told(f"Good {word} and bad wine", (word, "Good", "positive"), ("wine", "bad", "negative"))
    return next(item for item in model.encoding.encode([example]) if item.question.hidden == ((1, 1),))


def test_hidden_word_does_not_reach_the_others(model: Model) -> None:
    fish, eggs = (model(batch_of(model, hiding_fish(model, word)))[0] for word in ("fish", "eggs"))
    seen = [0, 2, 3, 4]
    torch.testing.assert_close(fish[seen, :4], eggs[seen, :4])
    assert not torch.allclose(fish[1, 2:4], eggs[1, 2:4])


def test_hidden_word_cannot_be_the_next_aspect_but_an_opinion(model: Model) -> None:
    scores = model(batch_of(model, hiding_fish(model, "fish")))[0]
    assert (scores[1, :2] == -1e4).all()
    assert (scores[[0, 2, 3, 4], :2].abs() < 100).all()
    assert (scores[:5, 2:4].abs() < 100).all()
    assert (scores[5:, :4] == -1e4).all()


def test_scores_of_hard_texts_are_numbers_in_bfloat16(model: Model) -> None:
    given = [Example(str(n), text) for n, text in enumerate(HARD)]
    batch = batch_of(model, *model.encoding.encode([*given, FISH]))
    with torch.autocast("cpu", torch.bfloat16):
        scores = model(batch)
        loss = model.loss(scores, batch)
    assert scores.isfinite().all()
    assert scores[0].abs().max() <= 1e4
    loss.backward()
    assert all(p.grad is None or bool(p.grad.isfinite().all()) for p in model.parameters())
