"""Buckets: which items share a batch, and how far they are padded."""

import pytest

from aspectlab.runtime.networkpredictor import TOKENS, LengthBuckets, full_size, padded_length

LENGTHS = [5, 18, 17, 19, 130, 512, 20, 18, 5] * 30


@pytest.mark.parametrize(
    ("length", "padded"), [(0, 4), (1, 4), (4, 4), (5, 8), (64, 64), (65, 80), (129, 192), (512, 512)]
)
def test_length_is_rounded_up(length: int, padded: int) -> None:
    assert padded_length(length, 512) == padded


def test_length_stays_within_what_the_model_reads() -> None:
    assert padded_length(509, 510) == 510


@pytest.mark.parametrize("length", [4, 20, 64, 128, 512])
def test_full_batch_keeps_to_the_budget(length: int) -> None:
    assert full_size(length) * length <= TOKENS


def batches() -> list[tuple[int, list[int]]]:
    buckets = LengthBuckets(512)
    full = [buckets.add(number, length) for number, length in enumerate(LENGTHS)]
    return [(length, list(rows)) for length, rows in [*filter(None, full), *buckets.rest()]]


def test_every_item_is_in_one_batch() -> None:
    assert sorted(row for _, rows in batches() for row in rows) == list(range(len(LENGTHS)))


def test_padding_follows_from_the_own_length_alone() -> None:
    pairs = {(LENGTHS[row], length) for length, rows in batches() for row in rows}
    assert pairs == {(length, padded_length(length, 512)) for length in LENGTHS}


def test_batches_have_few_sizes() -> None:
    assert all(len(rows) in {1, 4, full_size(length)} for length, rows in batches())
