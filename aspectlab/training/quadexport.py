"""Take a quad-span model apart: an encoder that gives parts of each token, and a head that judges them."""

from collections.abc import Mapping

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder, TokenInput
from aspectlab.models import Model, QuadSpan
from aspectlab.nn import SIDES, QuadHead, masked_mean, mean_words, take_rows, word_mask
from aspectlab.runtime import GRAPH, HEAD, SIZES, QuadSettings
from aspectlab.training.exporters import Exporter, Part


class TokenParts(Part):
    """The encoder, and the layers that read tokens and names off it."""

    def __init__(self, encoder: Encoder, styles: int, width: int, hidden: int) -> None:
        super().__init__()
        self.encoder = encoder
        self.style = nn.Embedding(styles + 2, encoder.width)  # unknown, the styles, and none at all
        self.read = nn.Linear(encoder.width, width)
        self.read_name = nn.Linear(encoder.width, hidden)

    def forward(self, tokens: Tensor, mask: Tensor, style: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return the parts of each token, the mean state of each text, and its vector as a name."""
        shift = self.style(style)
        states = self.encoder(TokenInput(tokens, torch.zeros_like(tokens), mask), shift)  # [B, T, H]
        mean = masked_mean(states, mask)
        return self.read(states), mean, self.read_name(mean)

    def example(self) -> dict[str, Tensor]:
        """Return two rows of tokens."""
        return {
            "tokens": torch.ones(2, 9, dtype=torch.int32),
            "mask": torch.tensor([[True] * 9, [True] * 5 + [False] * 4]),
            "style": torch.zeros(2, dtype=torch.int32),
        }


class Judge(Part):
    """The head: from parts of tokens to candidates and their meanings."""

    def __init__(self, head: QuadHead) -> None:
        super().__init__()
        self.head = head

    def forward(self, parts: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
        """Return candidates with their corners and scores, [B, P, 8], and their meanings, [B, P, D]."""
        pooled, _ = mean_words(parts, words)
        scores = self.head(pooled, word_mask(words))
        candidates, indices = self.head.choose(scores)
        vectors = [take_rows(scores.meanings[:, side], indices[..., side]) for side in SIDES]
        return candidates, vectors[0] + vectors[1]

    def example(self) -> dict[str, Tensor]:
        """Return two rows of parts, and of which word each token is."""
        length = max(9, self.head.kept)
        words = torch.arange(length, dtype=torch.int32).repeat(2, 1)
        words[0, 3:] -= 1
        words[1, 5:] = -1
        return {"parts": torch.zeros(2, length, self.head.width), "words": words}


class _QuadExporter:
    """Two networks: the first is computed in bfloat16, the head in float32."""

    @torch.no_grad()
    def take_apart(self, model: Model) -> dict[str, Part]:
        """Return the encoder with its layers, and the head."""
        assert isinstance(model, QuadSpan)
        parts = TokenParts(model.encoder, len(model.styles), model.head.width, model.read_name.out_features)
        parts.style.weight.zero_()
        parts.style.weight[:-1] = model.style.weight
        parts.read, parts.read_name = model.read, model.read_name
        return {GRAPH: parts.eval(), HEAD: Judge(model.head).eval()}

    def list_settings(self, model: Model) -> dict[str, object]:
        """Return its styles, its categories and the sizes of the head."""
        assert isinstance(model, QuadSpan)
        head = model.head
        return {
            "styles": list(model.styles),
            "categories": {style: list(names) for style, names in model.categories.items()},
            "threshold": model.threshold,
            "scale": float(model.scale.detach()),
            "sizes": {
                "hidden": model.read_name.out_features,
                "rank": head.rank,
                "kept": head.kept,
                "longest": head.longest,
                "answers": head.answers,
            },
            "house_style": None,
            "calibrator": None,
        }

    def rebuild(self, encoder: Encoder, settings: Mapping[str, object]) -> dict[str, Part]:
        """Return both networks without weights."""
        known = QuadSettings.parse(settings)
        head = QuadHead(**{name: known.sizes[name] for name in SIZES})
        parts = TokenParts(encoder, len(known.styles), head.width, known.sizes["hidden"])
        return {GRAPH: parts.eval(), HEAD: Judge(head).eval()}


QUADSPAN: Exporter = _QuadExporter()
