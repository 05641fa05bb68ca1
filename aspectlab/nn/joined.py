"""A linear layer over parts that stand side by side."""

from __future__ import annotations

from collections.abc import Sequence

from torch import Tensor, nn
from torch.nn.functional import linear


class JoinedLinear(nn.Module):
    """A linear layer over parts side by side, which are never put there: W [x; y] = W_x x + W_y y.

    Each part is projected in its own shape, and the sums are broadcast. For pairs of words that spares a
    tensor with both words' states in every cell.
    """

    def __init__(self, widths: Sequence[int], out: int) -> None:
        super().__init__()
        self.widths = list(widths)
        self.linear = nn.Linear(sum(widths), out)

    def project(self, place: int, part: Tensor) -> Tensor:
        """Project one part by its own columns of the weight, [..., H] -> [..., out]."""
        return linear(part, self.linear.weight.split(self.widths, 1)[place])

    def forward(self, *projected: Tensor) -> Tensor:
        """Add up all parts once they are projected, and the bias."""
        return sum(projected, start=self.linear.bias)
