"""LSTMs over padded batches: padding changes nothing, and no length leaves the device."""

import torch
from torch import Tensor, nn


def reverse(states: Tensor, mask: Tensor) -> Tensor:
    """Reverse each sequence within its own length, [B, T, H]; padding stays behind."""
    length = mask.sum(1, keepdim=True)  # [B, 1]
    position = torch.arange(mask.shape[1], device=mask.device)[None]  # [1, T]
    source = torch.where(position < length, length - 1 - position, position)  # [B, T]
    # a product with a permutation instead of a gather: its gradient adds in a fixed order
    permutation = (source[..., None] == position[:, None]).to(states.dtype)  # [B, T, T]
    return permutation @ states


class BiLSTM(nn.Module):
    """One bidirectional layer, [B, T, H] -> [B, T, 2 * hidden]; zero at padding, which stands at the end."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.forwards = nn.LSTM(width, hidden, batch_first=True)
        self.backwards = nn.LSTM(width, hidden, batch_first=True)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Run both directions; the second one over each sequence reversed within its length."""
        ahead, _ = self.forwards(states)
        behind, _ = self.backwards(reverse(states, mask))
        return torch.cat([ahead, reverse(behind, mask)], -1) * mask[..., None]


class LastState(nn.Module):
    """One LSTM whose answer is the state after the last real token, [B, T, H] -> [B, hidden]."""

    def __init__(self, width: int, hidden: int) -> None:
        super().__init__()
        self.lstm = nn.LSTM(width, hidden, batch_first=True)

    def forward(self, states: Tensor, mask: Tensor) -> Tensor:
        """Run to the end and pick the state at the last masked-in position."""
        outputs, _ = self.lstm(states)
        position = torch.arange(mask.shape[1], device=mask.device)[None]
        last = (position == mask.sum(1, keepdim=True) - 1).to(outputs.dtype)  # [B, T]
        return torch.einsum("bt,bth->bh", last, outputs)
