"""Spans as candidates: small cases counted by hand."""

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.models.spanaste import keep_best, look_ahead, mask_candidates, pick


def test_look_ahead_gives_each_word_those_behind_it() -> None:
    states = torch.arange(1.0, 9.0).view(1, 4, 2)
    found = look_ahead(states, 3)
    assert found.shape == (1, 4, 3, 2)
    assert found[0, :, :, 0].tolist() == [[1, 3, 5], [3, 5, 7], [5, 7, 0], [7, 0, 0]]


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        ([1, 1, 1, 0], [[1, 1], [1, 1], [1, 0], [0, 0]]),
        ([1, 0, 1, 1], [[1, 0], [0, 0], [1, 1], [1, 0]]),  # a span neither begins nor ends without a word
        ([0, 0, 0, 0], [[0, 0]] * 4),
    ],
)
def test_candidates_begin_and_end_with_a_word(mask: list[int], expected: list[list[int]]) -> None:
    assert mask_candidates(torch.tensor([mask]).bool(), 2)[0].long().tolist() == expected


@pytest.mark.parametrize(
    ("scores", "count", "expected"),
    [
        ([0.5, 0.9, 0.1, 0.7], 2, [1, 3, -1]),
        ([0.5, 0.9, 0.1, 0.7], 0, [-1, -1, -1]),
        ([0.5, 0.9, 0.1, 0.7], 4, [0, 1, 3]),  # no more than there is room for
        ([0.5, 0.5, 0.5, 0.5], 2, [0, 1, -1]),  # of equals the first stay
    ],
)
def test_best_are_kept_in_their_own_order(scores: list[float], count: int, expected: list[int]) -> None:
    assert keep_best(torch.tensor([scores]), torch.tensor([count]), 3)[0].tolist() == expected


@pytest.mark.parametrize("more", [1, 60, 5000])
def test_ties_do_not_hang_on_the_padding(more: int) -> None:
    scores = torch.tensor([[0.5, 0.2] * 40])
    padded = torch.nn.functional.pad(scores, (0, more), value=-torch.inf)
    count = torch.tensor([30])
    assert torch.equal(keep_best(scores, count, 30), keep_best(padded, count, 30))


def test_pick_gives_zeros_where_there_is_no_place() -> None:
    states = torch.tensor([[[1.0, 2.0], [3.0, 4.0]]])
    assert pick(states, torch.tensor([[1, -1, 0, 1]]))[0].tolist() == [[3, 4], [0, 0], [1, 2], [3, 4]]
