"""Weights around the aspect: |i - P| - floor(m / 2) worked out by hand, a reach of 2, texts of ten words."""

import pytest

pytest.importorskip("torch")

import torch

from aspectlab.models.lcfatepc import context_weights, relative_distance
from aspectlab.nn.words import Words


def sentence(words: int, aspect: range, *, room: int = 12) -> Words:
    place = torch.arange(room)[None]
    inside = torch.tensor([[number in aspect for number in range(room)]])
    return Words(torch.zeros(1, room, 1), place < words, inside)


@pytest.mark.parametrize(
    ("aspect", "distances"),
    [
        (range(4, 5), [4, 3, 2, 1, 0, 1, 2, 3, 4, 5]),  # one word, P = 4
        (range(4, 6), [3.5, 2.5, 1.5, 0.5, 0, 0, 0.5, 1.5, 2.5, 3.5]),  # two, P = 4.5, less 1
        (range(3, 6), [3, 2, 1, 0, 0, 0, 1, 2, 3, 4]),  # three, P = 4, less 1
        (range(10), [0] * 10),
    ],
)
def test_distance_is_counted_from_the_middle_of_the_aspect(aspect: range, distances: list[float]) -> None:
    assert relative_distance(sentence(10, aspect))[0, :10].tolist() == distances


@pytest.mark.parametrize(
    ("aspect", "near", "fading"),
    [
        # one word: two to each side are near; beyond, a tenth is lost with each step
        (range(4, 5), [0, 0, 1, 1, 1, 1, 1, 0, 0, 0], [0.8, 0.9, 1, 1, 1, 1, 1, 0.9, 0.8, 0.7]),
        # two words: 1 - (3.5 - 2) / 10 and 1 - (2.5 - 2) / 10 at both ends
        (range(4, 6), [0, 0, 1, 1, 1, 1, 1, 1, 0, 0], [0.85, 0.95, 1, 1, 1, 1, 1, 1, 0.95, 0.85]),
        (range(1), [1, 1, 1, 0, 0, 0, 0, 0, 0, 0], [1, 1, 1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3]),
    ],
)
def test_words_out_of_reach_are_masked_or_fade(aspect: range, near: list[float], fading: list[float]) -> None:
    found = context_weights(sentence(10, aspect), reach=2)
    assert [weights[0, :10].tolist() for weights in found] == [near, pytest.approx(fading)]


@pytest.mark.parametrize("aspect", [range(4, 5), range(0)], ids=["aspect", "no aspect"])
def test_padding_has_no_weight_and_changes_none(aspect: range) -> None:
    short, long = (context_weights(sentence(10, aspect, room=room), reach=2) for room in (10, 30))
    assert [weights.tolist() for weights in short] == [weights[:, :10].tolist() for weights in long]
    assert all(not weights[:, 10:].any() for weights in long)


def test_nothing_is_near_without_an_aspect() -> None:
    assert all(not weights.any() for weights in context_weights(sentence(10, range(0)), reach=2))
