"""Predict plain texts with torch, where OpenVINO is absent or the model is not one that is exported."""

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import normalize

from aspectlab.data import Example, Quad
from aspectlab.encoders import AllocationBudget, TokenInput, restore_encoder
from aspectlab.encodings import Subwords, pad_field
from aspectlab.errors import ConfigError, DataError
from aspectlab.models import Model
from aspectlab.nn import masked_mean
from aspectlab.runtime import (
    KINDS,
    ExportDescription,
    NetworkPredictor,
    Networks,
    PredictOptions,
    Predictor,
    hash_file,
    hash_parts,
    is_exported,
    make_predictor,
    read_constants,
    read_description,
    read_vocabulary,
    refuse_options,
)
from aspectlab.training.checkpoint import load_model
from aspectlab.training.exporters import EXPORTERS, Part, find_kind
from aspectlab.training.prediction import predict

_TASKS = ("aste", "asqp", "quads")
"""What a model must find to be of use on plain texts."""

_ROWS = 64
"""Texts whose vectors are computed together."""


def open_with_torch(folder: Path, threads: int | None, options: PredictOptions) -> Predictor:
    """Load a folder that `aspectlab export` or `aspectlab train` wrote."""
    if threads:
        torch.set_num_threads(threads)
    # one batch at a time: torch shares it among the cores itself
    if is_exported(folder):
        description = read_description(folder)
        vocabulary = read_vocabulary(folder, description)
        networks = restore_networks(folder, description)
        return make_predictor(folder, description, vocabulary, networks, options, threads=1)
    model = load_model(folder)
    if model.task not in _TASKS:
        raise ConfigError(
            f"{folder}: found a model for {model.task}: expected one for {', '.join(_TASKS)}, which finds "
            "opinions in plain texts; train it with --model quad-span"
        )
    hashes = [hash_file(folder / name) for name in ("config.json", "model.safetensors")]
    kind = find_kind(model)
    if kind is None or not isinstance(model.encoder.vocabulary, Subwords):
        refuse_options(folder.name, options)
        return SavedPredictor(
            model, f"{folder.name}-{TorchRunner.label}-{hash_parts([*hashes, torch.__version__])}"
        )
    exporter, vocabulary = EXPORTERS[kind], model.encoder.vocabulary
    networks = _join(exporter.take_apart(model))
    description = ExportDescription(
        kind,
        {},
        "fp32",
        vocabulary.max_length,
        model.encoder.width,
        {},
        settings=exporter.list_settings(model),
    )
    return NetworkPredictor(
        KINDS[kind].open(description, vocabulary, networks, options),
        vocabulary,
        networks,
        threads=1,
        name=folder.name,
        hashes=hashes,
        width=model.encoder.width,
    )


class TorchRunner:
    """A network that torch runs in float32."""

    label = "torch-fp32"
    version = str(torch.__version__)

    def __init__(self, network: Part) -> None:
        self.network = network

    @torch.inference_mode()
    def run(self, *inputs: NDArray[np.generic]) -> tuple[NDArray[np.float32], ...]:
        """Return all outputs."""
        return tuple(output.numpy() for output in self.network(*map(torch.from_numpy, inputs)))


def _join(parts: Mapping[str, Part]) -> Networks:
    first, *others = map(TorchRunner, parts.values())
    return Networks(first, others=others)


def restore_networks(folder: Path, description: ExportDescription) -> Networks:
    """Read the weights of an exported model back into torch."""
    with AllocationBudget(folder):
        encoder = restore_encoder(description.encoder, folder)
        parts = EXPORTERS[description.model].rebuild(encoder, description.settings)
    for name, part in parts.items():
        missing, unknown = part.load_state_dict(read_weights(folder / name), strict=False)
        # what the network does not use is not in the file: the layer that some have above the first state
        if unknown or any(".pooler." not in name for name in missing):
            raise DataError(
                f"{folder / name}: found other weights than those of the encoder {encoder.name!r}; "
                "export the model again with this version"
            )
    return _join(parts)


def read_weights(path: Path) -> dict[str, torch.Tensor]:
    """Find the weights of an exported graph by the names they had in torch."""
    return {
        name: torch.from_numpy(values.astype(np.float32)) for name, values in read_constants(path).items()
    }


class SavedPredictor:
    """Find opinions with any model that finds them in plain texts."""

    def __init__(self, model: Model, identity: str) -> None:
        self.model = model
        self.identity = identity

    def predict(self, texts: Sequence[str]) -> list[tuple[Quad, ...]]:
        """Return the opinions of each text, in order; what does not stand in the text is left out."""
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
