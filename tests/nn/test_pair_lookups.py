"""Look-ups of pairs: tables read by index, and distances counted by hand."""

from collections import deque

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.models.emcgcn import Biaffine
from aspectlab.nn.words import Lookup, PairLookup, tree_distance


def count_steps(arcs: set[tuple[int, int]], size: int) -> list[list[int]]:
    """Walk from every word, breadth first; 4 is as far as it goes."""
    table = [[4] * size for _ in range(size)]
    for start in range(size):
        table[start][start] = 0
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for there in range(size):
                linked = (here, there) in arcs or (there, here) in arcs
                if linked and table[start][there] > table[start][here] + 1:
                    table[start][there] = table[start][here] + 1
                    queue.append(there)
    return table


@pytest.mark.parametrize("first", [0, 1])
def test_lookup_gives_the_row_of_each_number(first: int) -> None:
    lookup = Lookup(4, 3)
    numbers = torch.tensor([[0, 3], [2, 1]])
    whole = torch.cat([torch.zeros(first, 3), lookup.table])  # numbers before the first score zero
    torch.testing.assert_close(lookup(numbers, first), whole[numbers])


def one_row(lookup: PairLookup, *pair: int) -> Tensor:
    low, high = sorted(pair)
    return lookup.table[:, low - 1, high - 1] if low else torch.zeros(3)


def test_pair_lookup_gives_one_row_for_both_orders() -> None:
    lookup = PairLookup(4, 3)
    numbers = torch.tensor([[1, 4, 0, 2]])
    rows = [[one_row(lookup, one, other) for other in numbers[0].tolist()] for one in numbers[0].tolist()]
    torch.testing.assert_close(lookup(numbers)[0], torch.stack([torch.stack(row) for row in rows]))


@pytest.mark.parametrize(
    "arcs",
    [
        {(0, 1), (1, 2), (2, 3), (3, 4), (4, 5), (5, 6)},  # a chain of seven: ends are further than four
        {(0, 1), (0, 2), (1, 3), (1, 4), (2, 5), (2, 6)},
        {(0, 1), (1, 2), (4, 5)},  # two trees and two words alone
        set(),
    ],
)
def test_tree_distance_equals_a_walk(arcs: set[tuple[int, int]]) -> None:
    linked = torch.eye(7).bool()
    for one, other in arcs:
        linked[one, other] = linked[other, one] = True
    assert tree_distance(linked[None])[0].tolist() == count_steps(arcs, 7)


def test_tree_distance_holds_in_half_precision() -> None:
    # a star of 300 words: 300 ways of two steps, more than bfloat16 can count
    linked = torch.eye(300).bool()
    linked[0] = linked[:, 0] = True
    with torch.autocast("cpu", torch.bfloat16):
        found = tree_distance(linked[None])[0]
    assert found[1, 1:].unique().tolist() == [0, 2]


def test_biaffine_equals_a_plain_loop() -> None:
    torch.manual_seed(0)
    layer, states = Biaffine(3, 4, 2), torch.randn(1, 5, 3)
    rows, columns = (
        torch.cat([view(states[0]).relu(), torch.ones(5, 1)], -1) for view in (layer.row, layer.column)
    )
    by_column = [torch.stack([rows @ u @ column for u in layer.matrices], -1) for column in columns]
    expected = torch.stack(by_column, 1)
    torch.testing.assert_close(layer(states)[0], expected)
