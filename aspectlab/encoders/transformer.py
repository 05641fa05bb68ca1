"""A transformer encoder from a local folder or the Hugging Face hub."""

from __future__ import annotations

import json
import string
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from aspectlab.encoders.encoder import Encoder, TokenBatch
from aspectlab.encoders.families import (
    check_reading,
    count_lost_positions,
    family_of,
    find_layers,
    find_lowest,
    group_by_layer,
    make_mask,
)
from aspectlab.encoders.pretrained import (
    list_faults,
    load_pretrained,
    load_tokenizer,
    refuse_strange_numbers,
    restore_pretrained,
)
from aspectlab.encodings import Subwords
from aspectlab.errors import ConfigError, DataError, MissingPartError
from aspectlab.untrusted import read_json

if TYPE_CHECKING:
    # the library takes seconds to import, and models that only name this class do without it
    from transformers import PretrainedConfig, PreTrainedModel
    from transformers.modeling_outputs import BaseModelOutput


_NO_LIMIT = 512
"""Tokens of a text that are read where a model has no limit of its own."""


class TransformerEncoder(Encoder):
    """Any encoder of the transformers library that reads both ways, or a causal one opened to all tokens."""

    is_deep = True

    def __init__(
        self, name: str, model: PreTrainedModel, vocabulary: Subwords, *, bidirectional: bool = False
    ) -> None:
        super().__init__()
        self.name = name
        self.model = model
        self.vocabulary = self.subwords = vocabulary
        self.bidirectional = bidirectional
        config = model.config
        self.width = _width_of(name, config)
        self.family = family_of(config, bidirectional=bidirectional)
        self.is_traceable = self.family.is_traceable
        if config.model_type == "mpnet":
            count_on_device(model)
        has_segments = self.family.has_segments
        counted = int(getattr(config, "type_vocab_size", 0) or 0) > 1
        self._has_segments = counted if has_segments is None else has_segments

    def forward(self, batch: TokenBatch, shift: Tensor | None = None) -> Tensor:
        """Return the last layer, [B, T, H]; `shift` is added to all input vectors of a text, [B, H]."""
        inputs = self._inputs(batch)
        if shift is not None:
            inputs["inputs_embeds"] = self._embed(batch.tokens) + shift[:, None]
            del inputs["input_ids"]
        states = self._run(inputs).last_hidden_state
        assert isinstance(states, Tensor)
        return states

    def layers(self, batch: TokenBatch) -> list[Tensor]:
        """Return the states after each layer, lowest first, each [B, T, H]."""
        states = self._run(self._inputs(batch), output_hidden_states=True).hidden_states
        assert states is not None
        return list(states[1:])  # the first are the embeddings

    def _run(self, inputs: Mapping[str, object], **options: bool) -> BaseModelOutput:
        if not self.family.in_float32:
            return self.model(**inputs, **options)  # type: ignore[no-any-return]
        with torch.autocast(next(self.parameters()).device.type, enabled=False):
            return self.model(**inputs, **options)  # type: ignore[no-any-return]

    def _inputs(self, batch: TokenBatch) -> dict[str, object]:
        inputs: dict[str, object] = {
            "input_ids": batch.tokens,
            "attention_mask": make_mask(self.family, batch.mask, self.model.config),
        }
        if self.family.positions != "own":
            inputs["position_ids"] = self._positions(batch)
        if self._has_segments:
            inputs["token_type_ids"] = batch.segments
        if hasattr(self.model.config, "use_cache"):
            inputs["use_cache"] = False  # nothing is written behind the text
        return inputs

    def _embed(self, tokens: Tensor) -> Tensor:
        vectors = self.model.get_input_embeddings()(tokens)
        assert isinstance(vectors, Tensor)
        if vectors.shape[-1] != self.width:
            raise ConfigError(
                f"encoder {self.name!r}: its word vectors are {vectors.shape[-1]} wide: expected the width "
                f"of its states, {self.width}, since a vector is added; take another, such as 'minilm'"
            )
        return vectors

    def pool(self, states: Tensor) -> Tensor:
        """Apply the pre-trained pooler to the first state, [B, T, H] -> [B, H]; else return that state."""
        pooler = getattr(self.model, "pooler", None)
        pooled = states[:, 0] if pooler is None else pooler(states)
        assert isinstance(pooled, Tensor)
        return pooled

    @property
    def library_model(self) -> PreTrainedModel:
        """The transformer."""
        return self.model

    def input_vectors(self) -> Tensor:
        """Return the word vectors that the first layer reads, [V, H]."""
        embeddings = self.model.get_input_embeddings()
        assert isinstance(embeddings, nn.Embedding)
        return embeddings.weight

    def describe(self) -> dict[str, object]:
        """Return the configuration of the architecture."""
        options = self.describe_options()
        if self.bidirectional:
            options["attention"] = "bidirectional"
        return {"kind": "transformer", "name": self.name, "config": self.model.config.to_dict(), **options}

    def save_files(self, folder: Path) -> None:
        """Write the tokenizer."""
        self.subwords.tokenizer.save(str(folder / "tokenizer.json"))

    def groups(self) -> Iterator[Mapping[str, nn.Parameter]]:
        """Return the embeddings, then each layer, then the rest; all at once where no layers are known."""
        path = find_layers(self.model, self.family)
        lowest = tuple(f"model.{name}" for name in find_lowest(self.model, self.family, path))
        yield from group_by_layer(self, f"model.{path}" if path else "", lowest)

    def _positions(self, batch: TokenBatch) -> Tensor:
        first = self.vocabulary.pad + 1 if self.family.positions == "from padding" else 0
        length = batch.tokens.shape[1]
        return torch.arange(first, first + length, device=batch.tokens.device).expand_as(batch.tokens)


def count_on_device(model: PreTrainedModel) -> None:
    """Make a loaded MPNet count relative positions where its states are; its weights stay as they are.

    Releases of transformers count them on the CPU, and a captured training step cannot copy from there.
    """
    model.encoder.__class__ = _build_mpnet_encoder()


@cache
def _build_mpnet_encoder() -> type[nn.Module]:
    """Define the class only where it is needed: the library takes seconds to import."""
    from transformers.models.mpnet.modeling_mpnet import MPNetEncoder

    class OnDeviceMPNetEncoder(MPNetEncoder):
        """The library's own layers; only the bias for relative positions is computed here."""

        def compute_position_bias(
            self, x: Tensor, position_ids: Tensor | None = None, num_buckets: int = 32
        ) -> Tensor:
            """Return the bias of every head for every pair of positions, [B, T, H] -> [1, heads, T, T].

            The library copies it for every row of the batch, which each layer would then read and write.
            """
            position = torch.arange(x.shape[1], device=x.device)
            away = position[None, :] - position[:, None]  # [T, T]
            bucket = self.relative_position_bucket(away, num_buckets=num_buckets)  # type: ignore[no-untyped-call]
            bias: Tensor = self.relative_attention_bias(bucket).permute(2, 0, 1)  # [heads, T, T]
            return bias[None]

    return OnDeviceMPNetEncoder


def _quiet() -> None:
    """Keep the library's progress bars off the terminal: loading a local file takes no time worth showing."""
    from transformers.utils import logging

    logging.disable_progress_bar()


def load_folder(name: str, folder: Path, *, bidirectional: bool = False) -> TransformerEncoder:
    """Load config.json, model.safetensors and tokenizer.json from a folder."""
    from transformers import AutoModel

    _refuse_model(name, folder)
    for wanted in ("config.json", "model.safetensors", "tokenizer.json"):
        if not (folder / wanted).is_file():
            raise MissingPartError(
                f"encoder {name!r}: {folder / wanted} is missing: expected a folder with config.json, "
                "model.safetensors and tokenizer.json; save the encoder with save_pretrained(…)"
            )
    _quiet()
    try:
        model = load_pretrained(AutoModel, folder)
    except list_faults() as error:
        raise DataError(
            f"encoder {name!r}: {folder}: {str(error).splitlines()[0]}: expected config.json and "
            "model.safetensors of one encoder; a file is truncated or altered, copy the folder again"
        ) from None
    subwords = _subwords(folder, model)
    refuse_strange_numbers(f"{folder / 'tokenizer.json'}", subwords.tokenizer, model)
    return _build(name, model, subwords, bidirectional)


def _refuse_model(name: str, folder: Path) -> None:
    """Refuse a folder that `aspectlab train` or `export` wrote: an encoder is but a part of it."""
    try:
        found = read_json(folder / "config.json")
    except (OSError, ValueError):
        return  # told below, by what is missing or wrong
    if isinstance(found, dict) and "encoder" in found and found.get("model_type", "aspectlab") == "aspectlab":
        raise ConfigError(
            f"encoder {name!r}: {folder} holds a trained model: expected an encoder, as `aspectlab "
            "posttrain` or save_pretrained(…) writes one; name the encoder that the model was trained with"
        )


def load_hub(name: str, *, bidirectional: bool = False) -> TransformerEncoder:
    """Load a model by its Hugging Face name: from the local cache, or from the hub unless we are offline."""
    from transformers import AutoModel

    try:
        model = load_pretrained(AutoModel, name)
        tokenizer = load_tokenizer(name, model.config)
    except list_faults() as error:
        raise MissingPartError(
            f"encoder {name!r}: neither a folder nor a model that can be fetched "
            f"({str(error).splitlines()[0]}): download it elsewhere and give its folder, or use 'minilm'"
        ) from None
    return _build(name, model, Subwords(tokenizer, _max_length(model)), bidirectional)


def restore(description: Mapping[str, object], folder: Path) -> TransformerEncoder:
    """Build the architecture of a saved model, without weights."""
    from transformers import AutoModel

    model = restore_pretrained(AutoModel, description, folder)
    bidirectional = description.get("attention") == "bidirectional"
    name = str(description["name"])
    return TransformerEncoder(name, model, _subwords(folder, model), bidirectional=bidirectional)


def _build(name: str, model: PreTrainedModel, subwords: Subwords, bidirectional: bool) -> TransformerEncoder:
    """Return the encoder; one of a family that nobody compared must show how it reads."""
    if bidirectional:
        subwords = frame_by_end(subwords, model.config)
    encoder = TransformerEncoder(name, model, subwords, bidirectional=bidirectional)
    if bidirectional and encoder.family.is_known:
        raise ConfigError(
            f"encoder {name!r}: it reads both ways by itself ({model.config.model_type}): "
            "leave attention=bidirectional out"
        )
    if not encoder.family.is_known:
        check_reading(encoder, model.config.model_type, bidirectional=bidirectional)
    return encoder


def frame_by_end(subwords: Subwords, config: PretrainedConfig) -> Subwords:
    """Add the token that ends a text behind each segment, where a vocabulary puts nothing there."""
    from tokenizers.processors import Sequence, TemplateProcessing

    tokenizer, number = subwords.tokenizer, config.eos_token_id
    end = tokenizer.id_to_token(number) if isinstance(number, int) else None
    if subwords.first or subwords.between or subwords.last or end is None:
        return subwords
    template = TemplateProcessing(
        single=f"$A {end}", pair=f"$A {end} $B:1 {end}:1", special_tokens=[(end, number)]
    )
    own = tokenizer.post_processor
    tokenizer.post_processor = Sequence([own, template]) if own else template
    return Subwords(tokenizer, subwords.max_length)


def _width_of(name: str, config: PretrainedConfig) -> int:
    width = getattr(config, "hidden_size", None)
    if not isinstance(width, int):
        raise ConfigError(
            f"encoder {name!r}: config.json ({config.model_type}) says no hidden_size: expected a model of "
            "texts alone; use 'minilm', or the folder or name of another encoder"
        )
    return width


def _subwords(folder: Path, model: PreTrainedModel) -> Subwords:
    return Subwords.from_file(folder / "tokenizer.json", _max_length(model))


def _max_length(model: PreTrainedModel) -> int:
    length = getattr(model.config, "max_position_embeddings", None)
    return length - count_lost_positions(model) if isinstance(length, int) and length > 0 else _NO_LIMIT


def write_config(config: PretrainedConfig, path: Path) -> None:
    """Write a configuration that `load_folder` reads."""
    path.write_text(json.dumps(config.to_dict(), indent=2), encoding="utf-8")


def load_tiny() -> TransformerEncoder:
    """Build a random two-layer transformer over characters, the same every time: for tests and trials."""
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors
    from transformers import BertConfig, BertModel

    letters = string.ascii_lowercase + string.digits + string.punctuation
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *letters, *(f"##{letter}" for letter in letters)]
    vocabulary = {name: number for number, name in enumerate(names)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]"))  # noqa: S106 (a token, not a password)
    tokenizer.normalizer = normalizers.BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    tokenizer.add_special_tokens(names[:5])
    tokenizer.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=64,
        max_position_embeddings=512,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model = BertModel(config)
    return TransformerEncoder("tiny", model, Subwords(tokenizer, config.max_position_embeddings))
