"""What taggers share: runs of words, and which words count."""

from typing import NamedTuple

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.nn.words import counted_words, max_runs, mean_where


class Batch(NamedTuple):
    """The part of a batch that tells which words there are."""

    mask: Tensor
    words: Tensor
    weight: Tensor


def test_words_count_where_they_are_and_their_item_does() -> None:
    # two words of one and two tokens between two frame tokens; the second item only fills up
    words = torch.tensor([[-1, 0, 1, 1, -1, -1]] * 2)
    counted = counted_words(Batch(words > -2, words, torch.tensor([1.0, 0.0])))
    assert counted.tolist() == [[True, True, False, False, False, False], [False] * 6]


def test_mean_over_nothing_is_zero() -> None:
    assert mean_where(torch.ones(2, 3), torch.zeros(2, 3, dtype=torch.bool)).item() == 0.0


@pytest.mark.parametrize(
    ("starts", "expected"),
    [
        ("xxxxxxx", [3, 1, 4, 1, 5, 9, 2]),
        ("x......", [9] * 7),
        ("x..x.xx", [4, 4, 4, 5, 5, 9, 2]),
        ("x.x....", [3, 3, 9, 9, 9, 9, 9]),
        ("......x", [9, 9, 9, 9, 9, 9, 2]),  # what comes before the first start is a run too
    ],
)
def test_every_word_gets_the_maximum_of_its_run(starts: str, expected: list[float]) -> None:
    states = torch.tensor([[3.0, 1, 4, 1, 5, 9, 2]])[..., None]
    found = max_runs(states, torch.tensor([[mark == "x" for mark in starts]]))
    assert found.flatten().tolist() == expected


def test_gradient_of_a_maximum_goes_to_its_place() -> None:
    states = torch.tensor([[[3.0], [1.0], [4.0], [0.0]]], requires_grad=True)
    max_runs(states, torch.tensor([[True, False, False, True]])).sum().backward()
    assert states.grad is not None
    assert states.grad.flatten().tolist() == [0.0, 0.0, 3.0, 1.0]
