"""Maxima over ranges against looking at every place."""

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.models.bdtf import max_between, max_rectangles


@pytest.mark.parametrize("size", [1, 2, 3, 4, 7, 8, 9, 17])
def test_max_between_equals_a_loop(size: int) -> None:
    torch.manual_seed(size)
    states = torch.randn(2, size, 3)
    found = max_between(states)
    expected = torch.stack(
        [states[:, min(i, j) : max(i, j) + 1].amax(1) for i in range(size) for j in range(size)],
        1,
    )
    assert torch.equal(found, expected.view(2, size, size, 3))


@pytest.mark.parametrize("size", [1, 2, 5, 8, 13])
def test_max_rectangles_equals_a_loop(size: int) -> None:
    torch.manual_seed(size)
    table = torch.randn(2, size, size, 3)
    corners = torch.randint(size, (2, 2, 40, 2)).sort(0).values  # [2, B, N, 2]
    first, last = corners
    expected = [
        table[text, row : last_row + 1, column : last_column + 1].amax((0, 1))
        for text in range(2)
        for (row, column), (last_row, last_column) in zip(
            first[text].tolist(), last[text].tolist(), strict=True
        )
    ]
    assert torch.equal(max_rectangles(table, first, last), torch.stack(expected).view(2, 40, 3))


def test_max_rectangles_sends_the_gradient_to_the_largest_cell() -> None:
    table = torch.arange(9.0).view(1, 3, 3, 1).requires_grad_()
    max_rectangles(table, torch.tensor([[[0, 0]]]), torch.tensor([[[1, 1]]])).sum().backward()
    # the largest of 0, 1, 3 and 4 is the cell in the middle
    assert table.grad is not None
    assert table.grad.flatten().tolist() == [0, 0, 0, 0, 1, 0, 0, 0, 0]
