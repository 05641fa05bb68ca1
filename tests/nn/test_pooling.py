"""From sub-words to words, and around the aspect: small cases counted by hand."""

from typing import NamedTuple

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor

from aspectlab.nn import aspect_distance, aspect_sides, gather_aspect, pool_words
from aspectlab.nn.words import Words


class Batch(NamedTuple):
    """The part of a batch that tells words and aspect."""

    words: Tensor
    in_aspect: Tensor


def flags(*rows: str) -> Tensor:
    """Masks from rows such as "..x.": x is masked in."""
    return torch.tensor([[mark == "x" for mark in row] for row in rows])


def sentence(mask: str, aspect: str) -> Words:
    """A sentence whose word number k has the state k + 1."""
    states = torch.arange(1.0, len(mask) + 1)[None, :, None]
    return Words(states * flags(mask)[..., None], flags(mask), flags(aspect))


def test_pool_words_averages_the_subwords_of_each_word() -> None:
    # a frame token, a word of one piece, a word of three pieces, a word of one, a frame token, padding
    batch = Batch(torch.tensor([[-1, 0, 1, 1, 1, 2, -1, -1]]), flags("..xx...."))
    states = torch.tensor([[90.0, 1.0, 2.0, 4.0, 9.0, 7.0, 90.0, 90.0]])[..., None]
    words = pool_words(states, batch)
    assert words.states[0, :, 0].tolist() == [1.0, 5.0, 7.0, 0.0, 0.0, 0.0, 0.0, 0.0]
    assert torch.equal(words.mask, flags("xxx....."))
    assert torch.equal(words.in_aspect, flags(".x......"))  # one piece in the aspect is enough


def test_pool_words_leaves_word_vectors_as_they_are() -> None:
    states = torch.randn(1, 3, 4)
    words = pool_words(states, Batch(torch.tensor([[0, 1, 2]]), flags(".x.")))
    assert torch.equal(words.states, states)
    assert torch.equal(words.in_aspect, flags(".x."))


@pytest.mark.parametrize(
    ("aspect", "expected"),
    [
        (".xx.....", [2.0, 3.0, 0.0]),
        ("x.......", [1.0, 0.0, 0.0]),
        ("..xxxx..", [3.0, 4.0, 5.0]),  # more words than room: the first ones stay
        ("........", [0.0, 0.0, 0.0]),
    ],
)
def test_gather_aspect_moves_its_words_to_the_front(aspect: str, expected: list[float]) -> None:
    states, mask = gather_aspect(sentence("xxxxxx..", aspect), room=3)
    assert states[0, :, 0].tolist() == expected
    assert mask[0].tolist() == [value > 0 for value in expected]


@pytest.mark.parametrize(
    ("aspect", "expected"),
    [
        (".xx...", [1, 0, 0, 1, 2, 3]),
        ("x.....", [0, 1, 2, 3, 4, 5]),
        (".....x", [5, 4, 3, 2, 1, 0]),
    ],
)
def test_aspect_distance_counts_words_to_the_nearer_end(aspect: str, expected: list[int]) -> None:
    assert aspect_distance(sentence("xxxxxx", aspect))[0].tolist() == expected


def test_aspect_distance_without_an_aspect_exceeds_every_length() -> None:
    assert (aspect_distance(sentence("xxxx..", "......")) > 6).all()


@pytest.mark.parametrize(
    ("aspect", "until", "since"),
    [
        (".xx....", "xxx....", ".xxxx.."),
        ("x......", "x......", "xxxxx.."),
        ("....x..", "xxxxx..", "....x.."),
        ("xxxxx..", "xxxxx..", "xxxxx.."),
        (".......", ".......", "......."),
    ],
)
def test_aspect_sides_both_hold_the_aspect(aspect: str, until: str, since: str) -> None:
    found = aspect_sides(sentence("xxxxx..", aspect))
    assert torch.equal(found[0], flags(until))
    assert torch.equal(found[1], flags(since))
