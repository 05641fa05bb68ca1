"""How each kind of model is exported: taken apart into networks, and put together again."""

from collections.abc import Mapping
from typing import Protocol

import torch
from torch import Tensor, nn

from aspectlab.encoders import Encoder, TokenInput
from aspectlab.encodings import N_SPAN_CLASSES
from aspectlab.models import MODELS, STAGE, Model, QuadSpan
from aspectlab.nn import SIDES, QuadHead, masked_mean, mean_words, take_rows, word_mask
from aspectlab.registry import Registry
from aspectlab.runtime import GRAPH, HEAD, PIECES, SIZES, QuadSettings


class Part(nn.Module):
    """A network that is exported: it takes arrays by name and gives several."""

    def example(self) -> dict[str, Tensor]:
        """Return two rows of inputs of different lengths, so that nothing is taken for fixed."""
        raise NotImplementedError


class Exporter(Protocol):
    """How one kind of model is exported."""

    def take_apart(self, model: Model) -> dict[str, Part]:
        """Return the networks of a model, by the file that each is written to; the first has the encoder."""
        ...

    def list_settings(self, model: Model) -> dict[str, object]:
        """Return what config.json says only of models of this kind."""
        ...

    def rebuild(self, encoder: Encoder, settings: Mapping[str, object]) -> dict[str, Part]:
        """Return the same networks without weights."""
        ...


EXPORTERS = Registry[Exporter](
    "kind of exported model",
    {
        "quad-span": "aspectlab.training.exporters:QUADSPAN",
        "stage": "aspectlab.training.exporters:STAGES",
    },
)
"""How each kind of model is exported; `aspectlab.runtime.KINDS` says how it is read."""


def find_kind(model: Model) -> str | None:
    """Return the kind that a model is exported as; None if it is none of them."""
    return next((kind for kind in EXPORTERS if isinstance(model, MODELS[kind])), None)


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
