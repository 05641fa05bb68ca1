"""LSTMs over padded batches against torch's own packed sequences."""

import pytest

pytest.importorskip("torch")

import torch
from torch import Tensor, nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from aspectlab.nn import BiLSTM, LastState, reverse

LENGTHS = torch.tensor([5, 1, 3])
MASK = torch.arange(7)[None] < LENGTHS[:, None]  # [3, 7]


@pytest.fixture
def states() -> Tensor:
    """Random states, with noise where there is padding."""
    return torch.randn(3, 7, 4, generator=torch.Generator().manual_seed(0))


def packed(lstm: nn.LSTM, states: Tensor) -> Tensor:
    sequences = pack_padded_sequence(states, LENGTHS, batch_first=True, enforce_sorted=False)
    return pad_packed_sequence(lstm(sequences)[0], batch_first=True, total_length=7)[0]


def test_reverse_turns_each_sequence_within_its_length() -> None:
    states = torch.tensor([[[1.0], [2.0], [3.0], [9.0]], [[4.0], [9.0], [9.0], [9.0]]])
    mask = torch.tensor([[True, True, True, False], [True, False, False, False]])
    assert reverse(states, mask)[..., 0].tolist() == [[3.0, 2.0, 1.0, 9.0], [4.0, 9.0, 9.0, 9.0]]


def test_reverse_twice_changes_nothing(states: Tensor) -> None:
    assert torch.equal(reverse(reverse(states, MASK), MASK), states)


def test_bilstm_equals_a_packed_bidirectional_lstm(states: Tensor) -> None:
    torch.manual_seed(0)
    layer = BiLSTM(4, 3)
    both = nn.LSTM(4, 3, batch_first=True, bidirectional=True)
    weights = dict(layer.forwards.state_dict())
    weights |= {f"{name}_reverse": value for name, value in layer.backwards.state_dict().items()}
    both.load_state_dict(weights)
    torch.testing.assert_close(layer(states, MASK), packed(both, states), rtol=1e-5, atol=1e-5)


def test_bilstm_is_zero_at_padding(states: Tensor) -> None:
    assert not BiLSTM(4, 3)(states, MASK)[~MASK].any()


def test_last_state_equals_that_of_a_packed_lstm(states: Tensor) -> None:
    torch.manual_seed(0)
    layer = LastState(4, 3)
    sequences = pack_padded_sequence(states, LENGTHS, batch_first=True, enforce_sorted=False)
    _, (last, _) = layer.lstm(sequences)
    torch.testing.assert_close(layer(states, MASK), last[0], rtol=1e-5, atol=1e-5)


def test_last_state_of_an_empty_sequence_is_zero(states: Tensor) -> None:
    assert not LastState(4, 3)(states, torch.zeros_like(MASK)).any()


@pytest.mark.parametrize("kind", [BiLSTM, LastState])
def test_layer_sends_no_gradient_to_padding(kind: type[BiLSTM | LastState], states: Tensor) -> None:
    states.requires_grad_()
    kind(4, 3)(states, MASK).sum().backward()
    assert states.grad is not None
    assert not states.grad[~MASK].any()
    assert states.grad[MASK].any(-1).all()
