"""The block over tables, cell by cell."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.models.bdtf import TableBlock

WIDTH, SIZE = 4, 5


def normal(values: Tensor, weight: Tensor) -> Tensor:
    return (values / (values.square().mean() + 1e-6).sqrt() * weight).clamp(min=0)


def plain_cell(block: TableBlock, table: Tensor, row: int, column: int) -> Tensor:
    """One cell of the answer, by the definition of the block, in a table without padding."""
    weights = [norm.weight for norm in block.norms]
    total = block.mix.bias
    for down in (-1, 0, 1):
        for right in (-1, 0, 1):
            if 0 <= row + down < SIZE and 0 <= column + right < SIZE:
                seen = normal(block.enter(table[row + down, column + right]), weights[0])
                total = total + block.mix.weight[:, :, down + 1, right + 1] @ seen
    return table[row, column] + normal(block.leave(normal(total, weights[1])), weights[2])


@pytest.fixture
def block() -> TableBlock:
    torch.manual_seed(3)
    block = TableBlock(WIDTH)
    for norm in block.norms:
        norm.weight.data.uniform_(0.5, 2)
    return block


def test_table_block_equals_a_plain_loop(block: TableBlock) -> None:
    table = torch.randn(SIZE, SIZE, WIDTH)
    found = block(table[None], torch.ones(1, SIZE, SIZE, dtype=torch.bool))[0]
    cells = [plain_cell(block, table, row, column) for row in range(SIZE) for column in range(SIZE)]
    torch.testing.assert_close(found, torch.stack(cells).view_as(found))


def test_table_block_ignores_what_lies_outside_the_text(block: TableBlock) -> None:
    table = torch.randn(1, SIZE + 2, SIZE + 2, WIDTH)
    pairs = torch.zeros(1, SIZE + 2, SIZE + 2, dtype=torch.bool)
    pairs[:, :SIZE, :SIZE] = True
    inside = block(table[:, :SIZE, :SIZE], pairs[:, :SIZE, :SIZE])
    torch.testing.assert_close(block(table, pairs)[:, :SIZE, :SIZE], inside)
