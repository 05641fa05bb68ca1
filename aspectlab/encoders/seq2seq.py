"""A pre-trained sequence-to-sequence model (T5, BART) as an encoder that brings its decoder along."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING

import torch
from torch import Tensor, nn

from aspectlab.encoders.encoder import Encoder, TokenBatch
from aspectlab.encoders.families import check_reading, expand_mask, group_by_layer
from aspectlab.encoders.pretrained import (
    list_faults,
    load_config,
    load_pretrained,
    load_tokenizer,
    restore_pretrained,
)
from aspectlab.encodings import Subwords
from aspectlab.errors import MissingPartError

if TYPE_CHECKING:  # the library takes seconds to import, and models that only name this class do without it
    from transformers import PretrainedConfig, PreTrainedModel

_T5 = {"t5", "mt5", "umt5"}
"""Families that make states smaller before they compare them with word vectors."""

_KNOWN = {*_T5, "bart"}
"""Families that were compared with the library's own output."""


class Seq2SeqEncoder(Encoder):
    """Any encoder and decoder of the transformers library that share their word vectors.

    The parts stand side by side, with the word vectors once: in the library every part holds them.
    """

    is_deep = True

    def __init__(self, name: str, model: PreTrainedModel, vocabulary: Subwords) -> None:
        super().__init__()
        self.name = name
        self.config = config = model.config
        self.vocabulary = self.subwords = vocabulary
        self.width = int(config.d_model)
        self.reader, self.writer = model.get_encoder(), model.get_decoder()
        shared, output = model.get_input_embeddings(), model.get_output_embeddings()
        assert isinstance(shared, nn.Embedding)
        assert isinstance(output, nn.Linear)
        self.words = nn.Embedding(shared.num_embeddings, shared.embedding_dim, _weight=shared.weight)
        # some have vectors to write a token with that differ from those it is read with
        self.output = None if output.weight is shared.weight else output
        self.reader.embed_tokens = self.writer.embed_tokens = None
        self.start = int(config.decoder_start_token_id)
        self.scale = sqrt(self.width) if getattr(config, "scale_embedding", False) else 1.0
        is_scaled = config.model_type in _T5 and getattr(config, "scale_decoder_outputs", True)
        self.output_scale = self.width**-0.5 if is_scaled else 1.0

    @property
    def decoder(self) -> LibraryDecoder:
        """The decoder; it belongs to the encoder and is saved with it."""
        return LibraryDecoder(self)

    @property
    def start_tokens(self) -> tuple[int, ...]:
        """The token that the library's decoder begins with."""
        return (self.start,)

    def input_vectors(self) -> Tensor:
        """Return the vectors that encoder and decoder share, [V, H]."""
        return self.words.weight

    def output_vectors(self) -> Tensor:
        """Return the vectors that tokens are written with, [V, H]."""
        return self.words.weight if self.output is None else self.output.weight

    def forward(self, batch: TokenBatch, shift: Tensor | None = None) -> Tensor:
        """Return the last layer of the encoder, [B, T, H]."""
        inputs = self.words(batch.tokens) * self.scale
        if shift is not None:
            inputs = inputs + shift[:, None]
        bias = expand_mask(batch.mask[:, None, None, :].expand(-1, 1, batch.tokens.shape[1], -1))
        states = self.reader(inputs_embeds=inputs, attention_mask=bias).last_hidden_state
        assert isinstance(states, Tensor)
        return states

    def pool(self, states: Tensor) -> Tensor:
        """Return the first state, [B, T, H] -> [B, H]: there is no pooler."""
        return states[:, 0]

    def describe(self) -> dict[str, object]:
        """Return the configuration of the architecture."""
        known = {"kind": "seq2seq", "name": self.name, "tied": self.output is None}
        return {**known, "config": self.config.to_dict(), **self.describe_options()}

    def groups(self) -> Iterator[Mapping[str, nn.Parameter]]:
        """Return the word vectors, then each layer of the encoder, then the rest with the whole decoder."""
        path = "reader.block" if self.config.model_type in _T5 else "reader.layers"
        lowest = ("words.", "reader.embed_positions.", "reader.layernorm_embedding.")
        yield from group_by_layer(self, path if self.config.model_type in _KNOWN else "", lowest)

    def save_files(self, folder: Path) -> None:
        """Write the tokenizer."""
        self.subwords.tokenizer.save(str(folder / "tokenizer.json"))


class LibraryDecoder:
    """The decoder of such a model; a plain handle, so that no weight is counted twice."""

    def __init__(self, encoder: Seq2SeqEncoder) -> None:
        self.encoder = encoder

    def start(self, states: Tensor, mask: Tensor) -> LibraryDecoderState:
        """Begin to write about some texts, given by the states of their tokens, [B, T, H] and [B, T]."""
        return LibraryDecoderState(self.encoder, states, mask)


class LibraryDecoderState:
    """One batch while it is written; the library keeps what it was given so far."""

    def __init__(self, encoder: Seq2SeqEncoder, states: Tensor, mask: Tensor) -> None:
        from transformers import DynamicCache, EncoderDecoderCache

        self.encoder, self.states, self.mask = encoder, states, mask
        self.cache = EncoderDecoderCache(DynamicCache(), DynamicCache())
        self.count = 0

    def advance(self, inputs: Tensor) -> Tensor:
        """Add inputs and return the state behind each, [B, N, H] -> [B, N, H]."""
        size, length = inputs.shape[:2]
        start, self.count = self.count, self.count + length
        now = torch.arange(start, self.count, device=inputs.device)[:, None]
        seen = torch.arange(self.count, device=inputs.device)[None] <= now  # [N, L]
        states = self.encoder.writer(
            inputs_embeds=inputs * self.encoder.scale,
            attention_mask=expand_mask(seen.expand(size, 1, -1, -1)),
            encoder_hidden_states=self.states,
            encoder_attention_mask=expand_mask(self.mask[:, None, None, :].expand(-1, 1, length, -1)),
            past_key_values=self.cache,
            use_cache=True,
        ).last_hidden_state
        assert isinstance(states, Tensor)
        return states * self.encoder.output_scale

    def reorder(self, rows: Tensor) -> None:
        """Go on from what other rows have written, [B]; what is known of the text stays."""
        self.cache.self_attention_cache.batch_select_indices(rows)


def is_seq2seq(name: str) -> bool:
    """Return whether a folder or a Hugging Face name holds a sequence-to-sequence model, by its config."""
    try:
        config = load_config(name)
    except list_faults():
        return False  # whoever loads it as an encoder says what is wrong
    return bool(config.is_encoder_decoder)


def load_seq2seq(name: str) -> Seq2SeqEncoder:
    """Load a model from a folder, the local cache or, unless we are offline, the hub."""
    from transformers import AutoModelForSeq2SeqLM
    from transformers.utils import logging

    logging.disable_progress_bar()  # loading a local file takes no time worth showing
    try:
        model = load_pretrained(AutoModelForSeq2SeqLM, name)
        encoder = Seq2SeqEncoder(name, model, _load_vocabulary(name, model.config))
    except list_faults() as error:
        raise MissingPartError(
            f"encoder {name!r}: {_first_line(error)}: expected config.json, model.safetensors and "
            "tokenizer.json of one model; download it again, or give the folder of a whole copy"
        ) from None
    if model.config.model_type not in _KNOWN:
        check_reading(encoder, model.config.model_type)
    return encoder


def _first_line(error: BaseException) -> str:
    return next(iter(str(error).splitlines()), "its parts are not those of a known kind")


def _load_vocabulary(name: str, config: PretrainedConfig) -> Subwords:
    path = Path(name) / "tokenizer.json"
    if not path.is_file():
        return Subwords(load_tokenizer(name, config), _max_length(config))
    return Subwords.from_file(path, _max_length(config))


def restore(description: Mapping[str, object], folder: Path) -> Seq2SeqEncoder:
    """Build the architecture of a saved model, without weights."""
    from transformers import AutoModelForSeq2SeqLM

    model = restore_pretrained(AutoModelForSeq2SeqLM, description, folder)
    config = model.config
    if not description["tied"]:
        model.set_output_embeddings(nn.Linear(config.d_model, config.vocab_size, bias=False))
    vocabulary = Subwords.from_file(folder / "tokenizer.json", _max_length(config))
    return Seq2SeqEncoder(str(description["name"]), model, vocabulary)


def _max_length(config: PretrainedConfig) -> int:
    # T5 has no limit of its own, and was trained on texts of this length
    return int(getattr(config, "max_position_embeddings", None) or 512)
