"""MPNet's relative places, counted where the states are.

Releases of transformers count them on the CPU; a captured training step cannot copy from there.
"""

from __future__ import annotations

import torch
from torch import Tensor
from transformers import PreTrainedModel
from transformers.models.mpnet.modeling_mpnet import MPNetEncoder


class PlacedMPNetEncoder(MPNetEncoder):
    """The library's own layers; only the bias for relative places is computed here."""

    def compute_position_bias(
        self, x: Tensor, position_ids: Tensor | None = None, num_buckets: int = 32
    ) -> Tensor:
        """Give the bias of every head for every pair of places, [B, T, H] -> [1, heads, T, T].

        The library copies it for every row of the batch, which each layer would then read and write.
        """
        place = torch.arange(x.shape[1], device=x.device)
        away = place[None, :] - place[:, None]  # [T, T]
        bucket = self.relative_position_bucket(away, num_buckets=num_buckets)  # type: ignore[no-untyped-call]
        bias: Tensor = self.relative_attention_bias(bucket).permute(2, 0, 1)  # [heads, T, T]
        return bias[None]


def count_on_device(model: PreTrainedModel) -> None:
    """Make a loaded MPNet count on its own device; its weights and everything else stay as they are."""
    layers = model.encoder
    assert isinstance(layers, MPNetEncoder)
    layers.__class__ = PlacedMPNetEncoder
