"""Take STAGE apart: an encoder with one layer on top."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder, TokenInput
from aspectlab.encodings import N_SPAN_CLASSES
from aspectlab.models import STAGE, Model
from aspectlab.nn import masked_mean
from aspectlab.runtime import GRAPH, PIECES
from aspectlab.training.exporters import Exporter, Part


class TokenPieces(Part):
    """An encoder with one layer on top that gives the pieces of span scores, and a vector."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(encoder.width, PIECES)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the pieces of each token, [B, T, 48], and the mean state of each text, [B, H]."""
        states = self.encoder(TokenInput(tokens, torch.zeros_like(tokens), mask))  # [B, T, H]
        return self.head(states), masked_mean(states, mask)

    def example(self) -> dict[str, Tensor]:
        """Return two rows of tokens."""
        return {
            "tokens": torch.ones(2, 9, dtype=torch.int32),
            "mask": torch.tensor([[True] * 9, [True] * 5 + [False] * 4]),
        }


class _StageExporter:
    """STAGE is one network."""

    @torch.no_grad()
    def take_apart(self, model: Model) -> dict[str, Part]:
        """Take a model apart.

        Between encoder and scores STAGE is linear. So its two layers are one, and what they say of a span is
        what they say of its first word, its last word and the words in it, each alone; `span_scores` adds
        that up.
        """
        assert isinstance(model, STAGE)
        taken = TokenPieces(model.encoder)
        parts = model.classify.weight.view(N_SPAN_CLASSES, 3, -1).transpose(0, 1).flatten(0, 1)  # [48, D]
        taken.head.weight.copy_(parts @ model.reduce.weight)
        taken.head.bias.copy_(parts @ model.reduce.bias)
        # once a span: with its last word
        taken.head.bias[N_SPAN_CLASSES : 2 * N_SPAN_CLASSES] += model.classify.bias
        return {GRAPH: taken.eval()}

    def list_settings(self, model: Model) -> dict[str, object]:
        """Return nothing: the weights say it all."""
        return {}

    def rebuild(self, encoder: Encoder, settings: Mapping[str, object]) -> dict[str, Part]:
        """Return the network without weights."""
        return {GRAPH: TokenPieces(encoder).eval()}


STAGES: Exporter = _StageExporter()
