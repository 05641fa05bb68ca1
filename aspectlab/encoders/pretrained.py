"""Load pretrained weights and tokenizers so that nothing is missing and nothing is left to chance."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

import torch
from safetensors import SafetensorError
from tokenizers import Tokenizer
from torch import nn

from aspectlab.errors import DataError

if TYPE_CHECKING:  # the library takes seconds to import
    from pathlib import Path

    from transformers import PretrainedConfig, PreTrainedModel

_OPTIONAL = "pooler."
"""Many published encoders come without it, since they were trained without it."""


def is_offline() -> bool:
    """Tell whether nothing may be fetched."""
    return "1" in (os.environ.get("ASPECTLAB_OFFLINE"), os.environ.get("HF_HUB_OFFLINE"))


def list_faults() -> tuple[type[Exception], ...]:
    """List what the library raises on files that are not what their names say."""
    from huggingface_hub.errors import StrictDataclassError  # only now: it takes a quarter of a second

    own = SafetensorError, StrictDataclassError
    return OSError, ValueError, TypeError, RuntimeError, KeyError, ArithmeticError, *own


def load_pretrained(kind: type, name: str | Path, *, offline: bool) -> PreTrainedModel:
    """Load a model by a class of the library; a weight that is missing is refused, not drawn by chance.

    Only a pooler may be missing. It is drawn from a seed of its own, so that it is the same every time.
    """
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(0)  # the others, which are not put back, stay as they are
        model, notes = kind.from_pretrained(  # type: ignore[attr-defined]
            name,
            local_files_only=offline,
            use_safetensors=True,
            dtype=torch.float32,
            output_loading_info=True,
        )
    _refuse_gaps(str(name), notes["missing_keys"], len(model.state_dict()))
    return model  # type: ignore[no-any-return]


def _refuse_gaps(name: str, missing: Iterable[str], count: int) -> None:
    needed = sorted(key for key in missing if not key.startswith(_OPTIONAL))
    if needed:
        raise DataError(
            f"encoder {name!r}: model.safetensors lacks {len(needed)} of the {count} weights of "
            f"config.json, such as {needed[0]!r}: expected all of them; copy the folder of one model again"
        )


def restore_config(description: Mapping[str, object]) -> PretrainedConfig:
    """Build the configuration of a saved encoder again."""
    from transformers import AutoConfig

    settings = description["config"]
    if not isinstance(settings, dict):
        raise TypeError("config is no object")
    config: PretrainedConfig = AutoConfig.for_model(**settings)
    return config


def parse_tokenizer(content: str) -> Tokenizer:
    """Read the content of a `tokenizer.json`; ValueError if it is none."""
    record = json.loads(content)
    model = record.get("model") if isinstance(record, dict) else None
    # the library raises a bare Exception on what is no tokenizer
    if not isinstance(model, dict) or not isinstance(model.get("vocab"), dict | list):
        raise ValueError("it has no key 'model' with a vocabulary")
    return Tokenizer.from_str(content)


def refuse_strange_numbers(where: str, tokenizer: Tokenizer, model: PreTrainedModel) -> None:
    """Refuse a tokenizer whose numbers are beyond the word vectors: it is that of another model."""
    table = model.get_input_embeddings()
    word, number = max(tokenizer.get_vocab().items(), key=lambda item: item[1], default=("", -1))
    if isinstance(table, nn.Embedding) and number >= table.num_embeddings:
        raise DataError(
            f"{where}: the token {word!r} has number {number}, and there are {table.num_embeddings} word "
            "vectors: expected the tokenizer and the weights of one model; copy the folder again"
        )
