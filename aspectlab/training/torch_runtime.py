"""Predict plain texts with torch, where OpenVINO is absent or the model is not one that is exported."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import normalize

from aspectlab.data import Example, Quad
from aspectlab.encoders import Encoder, TokenInput, restore_encoder
from aspectlab.encodings import N_SPAN_CLASSES, pad_field
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import STAGE, Model
from aspectlab.nn import masked_mean
from aspectlab.runtime import (
    GRAPH,
    PIECES,
    ExportDescription,
    Predictor,
    SpanPredictor,
    hash_file,
    hash_parts,
    is_exported,
    make_predictor,
    read_constants,
    read_description,
)
from aspectlab.training.checkpoint import load_model
from aspectlab.training.prediction import predict


class TokenPieces(nn.Module):
    """An encoder with one layer on top that gives the pieces of span scores, and a vector."""

    def __init__(self, encoder: Encoder) -> None:
        super().__init__()
        self.encoder = encoder
        self.head = nn.Linear(encoder.width, PIECES)

    def forward(self, tokens: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """Return the pieces of each token, [B, T, 48], and the mean state of each text, [B, H]."""
        states = self.encoder(TokenInput(tokens, torch.zeros_like(tokens), mask))  # [B, T, H]
        return self.head(states), masked_mean(states, mask)


@torch.no_grad()
def take_pieces(model: STAGE) -> TokenPieces:
    """Take a model apart.

    Between encoder and scores STAGE is linear. So its two layers are one, and what they say of a span is what
    they say of its first word, its last word and the words in it, each alone; `span_scores` adds that up.
    """
    taken = TokenPieces(model.encoder)
    parts = model.classify.weight.view(N_SPAN_CLASSES, 3, -1).transpose(0, 1).flatten(0, 1)  # [48, D]
    taken.head.weight.copy_(parts @ model.reduce.weight)
    taken.head.bias.copy_(parts @ model.reduce.bias)
    taken.head.bias[N_SPAN_CLASSES : 2 * N_SPAN_CLASSES] += (
        model.classify.bias
    )  # once a span: with its last word
    return taken.eval()


_ROWS = 64
"""Texts whose vectors are computed together."""


def open_with_torch(folder: Path, threads: int | None) -> Predictor:
    """Load a folder that `aspectlab export` or `aspectlab train` wrote."""
    if threads:
        torch.set_num_threads(threads)
    # one batch at a time: torch shares it among the cores itself
    if is_exported(folder):
        description = read_description(folder)
        return make_predictor(folder, description, restore_runner(folder, description), threads=1)
    model = load_model(folder)
    if model.task != "aste":
        raise ConfigError(
            f"{folder}: found a model for {model.task}: expected one for aste, which finds triplets in plain "
            "texts; train it with --model stage"
        )
    hashes = [hash_file(folder / name) for name in ("config.json", "model.safetensors")]
    if not isinstance(model, STAGE):
        return SavedPredictor(
            model, f"{folder.name}-{TorchRunner.label}-{hash_parts([*hashes, torch.__version__])}"
        )
    runner = TorchRunner(take_pieces(model))
    return SpanPredictor(model.encoder.vocabulary, runner, threads=1, name=folder.name, hashes=hashes)


class TorchRunner:
    """A network that torch runs in float32."""

    label = "torch-fp32"
    version = str(torch.__version__)

    def __init__(self, network: TokenPieces) -> None:
        self.network = network
        self.width = network.encoder.width

    @torch.inference_mode()
    def run(
        self, tokens: NDArray[np.int32], mask: NDArray[np.bool_]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Return the pieces of each token, [B, T, 48], and a vector of each row, [B, H]."""
        pieces, vectors = self.network(torch.from_numpy(tokens), torch.from_numpy(mask))
        return pieces.numpy(), vectors.numpy()


def restore_runner(folder: Path, description: ExportDescription) -> TorchRunner:
    """Read the weights of an exported model back into torch."""
    network = TokenPieces(restore_encoder(description.encoder, folder)).eval()
    missing, unknown = network.load_state_dict(read_weights(folder), strict=False)
    # what the network does not use is not in the file: the layer that some have above the first state
    if unknown or any(".pooler." not in name for name in missing):
        raise DataError(
            f"{folder / GRAPH}: found other weights than those of the encoder {network.encoder.name!r}: "
            "export the model again with this version"
        )
    return TorchRunner(network)


def read_weights(folder: Path) -> dict[str, torch.Tensor]:
    """Find the weights of an exported model by the names they had in torch."""
    return {
        name: torch.from_numpy(values.astype(np.float32)) for name, values in read_constants(folder).items()
    }


class SavedPredictor:
    """Find triplets with any model that finds them."""

    def __init__(self, model: Model, identity: str) -> None:
        self.model = model
        self.identity = identity

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Return the triplets of each text, in order; what does not stand in the text is left out."""
        examples = [Example("", text) for text in texts]
        return [
            tuple(quad for quad in example.quads if all(term.span for term in quad.terms))
            for example in predict(self.model, examples)
        ]

    @torch.inference_mode()
    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Return one vector a text, of length 1: the mean of the states of its tokens, [N, D]."""
        vectors = torch.zeros(len(texts), self.model.encoder.width)
        for start in range(0, len(texts), _ROWS):
            inputs = self._inputs(texts[start : start + _ROWS])
            vectors[start : start + _ROWS] = masked_mean(self.model.encoder(inputs), inputs.mask)
        return normalize(vectors, dim=1).numpy()

    def _inputs(self, texts: Sequence[str]) -> TokenInput:
        vocabulary = self.model.encoder.vocabulary
        room = vocabulary.max_length - len(vocabulary.first) - len(vocabulary.last)
        rows = [
            [*vocabulary.first, *tokens.ids[:room], *vocabulary.last] for tokens in vocabulary.tokenize(texts)
        ]
        length = max(1, *map(len, rows))
        tokens = torch.from_numpy(pad_field(rows, length, vocabulary.pad, np.int32))
        mask = torch.from_numpy(pad_field([[1] * len(row) for row in rows], length, 0, np.bool_))
        return TokenInput(tokens, torch.zeros_like(tokens), mask)
