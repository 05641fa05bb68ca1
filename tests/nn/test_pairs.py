"""Pairs of words against the plain way: concatenate, multiply one by one."""

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.nn.words import PairLinear, PairProduct, count_words, pair_mask, unpack_bits


@pytest.mark.parametrize("shared", [False, True], ids=["extra of its own", "extra for all texts"])
def test_pair_linear_equals_a_linear_map_of_what_is_joined(shared: bool) -> None:
    torch.manual_seed(1)
    layer = PairLinear(4, 6, [3])
    states = torch.randn(2, 5, 4)
    extra = torch.randn(*(() if shared else (2,)), 5, 5, 3)
    rows, columns = states[:, :, None].expand(2, 5, 5, 4), states[:, None].expand(2, 5, 5, 4)
    joined = torch.cat([rows, columns, extra.expand(2, 5, 5, 3)], -1)
    torch.testing.assert_close(layer(states, extra), layer.join(joined))


def test_pair_product_equals_a_loop() -> None:
    torch.manual_seed(2)
    layer = PairProduct(4, 3)
    states = torch.randn(2, 5, 4)
    expected = torch.stack(
        [
            torch.stack([torch.stack([x @ v @ y for v in layer.matrices]) for x in text for y in text])
            for text in states
        ]
    )
    torch.testing.assert_close(layer(states), expected.view(2, 5, 5, 3))


def test_pair_mask_tells_pairs_of_words() -> None:
    # the first text has two words, the second one of two pieces, the third none
    words = torch.tensor([[-1, 0, 1, -1], [-1, 0, 0, -1], [-1, -1, -1, -1]])
    sizes = pair_mask(words).sum((1, 2)).tolist()
    assert sizes == [4, 1, 0]
    assert pair_mask(words)[0, :2, :2].all()


@pytest.mark.parametrize(
    ("words", "expected"), [([[-1, 0, 1, -1], [0, 1, 2, 2]], 3), ([[-1, -1]], 1)], ids=["some", "none"]
)
def test_count_words_looks_at_the_longest_text(words: list[list[int]], expected: int) -> None:
    assert count_words(torch.tensor(words)) == expected


def test_unpack_bits_reads_small_integers() -> None:
    # 22 is 10110 in binary
    assert unpack_bits(torch.tensor([22], dtype=torch.int8), 5).tolist() == [[0, 1, 1, 0, 1]]
