"""Masked means, maxima and softmaxes, by hand and against numpy's masked arrays."""

from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from aspectlab.nn import masked_max, masked_mean, masked_softmax

STATES = torch.tensor(
    [[[1.0, -8.0], [3.0, -2.0], [9.0, 7.0]], [[5.0, 5.0], [6.0, 6.0], [7.0, 7.0]]]
)  # [2, 3, 2]
MASK = torch.tensor([[True, True, False], [False, False, False]])


def test_masked_mean_counts_the_masked_in_positions_only() -> None:
    # (1 + 3) / 2 and (-8 - 2) / 2; the second row has no position at all
    assert masked_mean(STATES, MASK).tolist() == [[2.0, -5.0], [0.0, 0.0]]


def test_masked_max_ignores_a_larger_masked_out_value() -> None:
    assert masked_max(STATES, MASK)[0].tolist() == [3.0, -2.0]


def test_masked_max_of_nothing_is_finite() -> None:
    assert masked_max(STATES, MASK)[1].isfinite().all()


def test_masked_softmax_shares_among_the_masked_in_positions() -> None:
    shares = masked_softmax(torch.tensor([[0.0, 3.0, 100.0]]), torch.tensor([[True, True, False]]))
    # numpy: exp(0) and exp(3) over their sum
    expected = np.exp([0.0, 3.0]) / np.exp([0.0, 3.0]).sum()
    np.testing.assert_allclose(shares[0].numpy(), [*expected, 0.0], rtol=1e-6)


def test_masked_softmax_of_nothing_is_zero_with_a_finite_gradient() -> None:
    scores = torch.tensor([[1.0, 2.0]], requires_grad=True)
    shares = masked_softmax(scores, torch.zeros(1, 2, dtype=torch.bool))
    shares.sum().backward()
    assert shares.tolist() == [[0.0, 0.0]]
    assert scores.grad is not None
    assert scores.grad.isfinite().all()


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("seed", range(3))
def test_masked_functions_agree_with_masked_arrays(dtype: torch.dtype, seed: int) -> None:
    rng = np.random.default_rng(seed)
    states = torch.from_numpy(rng.normal(size=(4, 7, 3)).astype(np.float32)).to(dtype)
    mask = rng.random((4, 7)) < 0.5
    mask[:, 0] = True
    hidden = np.ma.array(states.float().numpy(), mask=~np.repeat(mask[..., None], 3, axis=2))
    places = torch.from_numpy(mask)
    digits = 1e-5 if dtype == torch.float32 else 2e-2
    np.testing.assert_allclose(masked_mean(states, places).float(), hidden.mean(1), atol=digits)
    np.testing.assert_allclose(masked_max(states, places).float(), hidden.max(1), atol=digits)


@pytest.mark.parametrize("function", [masked_mean, masked_max])
def test_masked_functions_ignore_padding(
    function: Callable[[torch.Tensor, torch.Tensor], torch.Tensor],
) -> None:
    padding = torch.full((2, 4, 2), 50.0)
    longer = torch.cat([STATES, padding], 1)
    mask = torch.cat([MASK, torch.zeros(2, 4, dtype=torch.bool)], 1)
    assert torch.equal(function(longer, mask), function(STATES, MASK))
