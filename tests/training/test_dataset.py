"""Batches: every item once, similar lengths together, never more than asked for."""

import numpy as np
import pytest

pytest.importorskip("torch", reason="training needs the extra 'train'")

from hypothesis import given, strategies as st

from aspectlab.training.dataset import BatchRows, budget_batches, round_length, training_batches

LENGTHS = st.lists(st.integers(1, 600), min_size=1, max_size=200)


def cut(lengths: list[int], batch_size: int = 8, max_tokens: int = 512, seed: int = 0) -> list[BatchRows]:
    owner = np.arange(len(lengths)) // 2  # two items an example
    return training_batches(
        np.arange(len(lengths)),
        np.array(lengths),
        owner,
        batch_size=batch_size,
        max_tokens=max_tokens,
        rng=np.random.default_rng(seed),
    )


@pytest.mark.parametrize(
    ("length", "padded"), [(1, 16), (16, 16), (17, 24), (33, 40), (512, 512), (513, 513), (900, 900)]
)
def test_length_is_rounded_up_to_an_edge(length: int, padded: int) -> None:
    assert round_length(length) == padded


@given(LENGTHS, st.integers(1, 40), st.integers(1, 2000))
def test_training_batches_cover_each_item_once(lengths: list[int], batch_size: int, max_tokens: int) -> None:
    batches = cut(lengths, batch_size, max_tokens)
    assert sorted(np.concatenate([batch.rows for batch in batches])) == list(range(len(lengths)))


@given(LENGTHS, st.integers(1, 40), st.integers(1, 2000))
def test_training_batches_keep_their_limits(lengths: list[int], batch_size: int, max_tokens: int) -> None:
    batches = cut(lengths, batch_size, max_tokens)
    assert all(len(batch.rows) <= batch_size for batch in batches)
    assert all(batch.length >= max(lengths[row] for row in batch.rows) for batch in batches)
    # one item is taken however long it is
    assert all(len(b.rows) == 1 or len(b.rows) * b.length <= max_tokens for b in batches)


def test_training_batches_repeat_with_the_seed_only() -> None:
    lengths = list(range(20, 120))
    first, again, other = (cut(lengths, seed=seed) for seed in (1, 1, 2))
    assert [batch.rows.tolist() for batch in first] == [batch.rows.tolist() for batch in again]
    assert [batch.rows.tolist() for batch in first] != [batch.rows.tolist() for batch in other]


def test_training_batches_pad_little() -> None:
    lengths = np.random.default_rng(0).integers(10, 100, 2000)
    batches = cut(lengths.tolist(), batch_size=32, max_tokens=16_384)
    padded = sum(len(batch.rows) * batch.length for batch in batches)
    # sorted within chunks, rows are padded to the next edge and hardly beyond; the plain way pads to 100
    assert padded / lengths.sum() < 1.2


def test_training_batches_take_only_the_rows_asked_for() -> None:
    rows = np.array([1, 5, 7])
    batches = training_batches(
        rows,
        np.full(10, 20),
        np.arange(10),
        batch_size=2,
        max_tokens=512,
        rng=np.random.default_rng(0),
    )
    assert sorted(np.concatenate([batch.rows for batch in batches])) == [1, 5, 7]


@given(LENGTHS, st.integers(1, 2000))
def test_budget_batches_cover_each_item_once(lengths: list[int], max_tokens: int) -> None:
    batches = budget_batches(np.array(lengths), max_tokens)
    assert sorted(np.concatenate([batch.rows for batch in batches])) == list(range(len(lengths)))
    assert all(len(b.rows) == 1 or len(b.rows) * b.length <= max_tokens for b in batches)


def test_budget_batches_of_nothing_are_none() -> None:
    assert budget_batches(np.array([], np.int64), 512) == []
