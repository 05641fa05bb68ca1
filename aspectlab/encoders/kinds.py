"""Load an encoder by name, folder or Hugging Face name, and restore that of a saved model."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.encoders.weights import GLOVE50, PRETRAINED, find_weights
from aspectlab.errors import ConfigError, DataError

if TYPE_CHECKING:
    from aspectlab.encoders.encoder import Encoder


ENCODERS = {
    "minilm": PRETRAINED["minilm"].about,
    "mpnet": PRETRAINED["mpnet"].about,
    "vectors:glove50": GLOVE50.about,
    "vectors:FILE": "your own word vectors: GloVe-style text, or .npy with the words in a .txt beside it",
    "tiny": "random, two layers of 32 over characters: for tests",
    "FOLDER": "a folder with config.json, model.safetensors and tokenizer.json",
    "NAME": "any encoder or encoder-decoder on the Hugging Face hub, such as roberta-base or t5-base",
}
"""What can be asked for, one line each."""

OWN = tuple(name for name in ENCODERS if name not in ("FOLDER", "NAME", "vectors:FILE"))
"""Those that are names, and not words that stand for one."""


def load_encoder(name: str | Path) -> Encoder:
    """Load an encoder: a name of the table, a folder, or a Hugging Face name, looked for in this order."""
    name = str(name)
    # torch and transformers take seconds to import, so each kind brings what it needs
    if name.startswith("vectors:"):
        from aspectlab.encoders.vectors import load_vectors

        return load_vectors(name)
    if name == "tiny":
        from aspectlab.encoders.tiny import load_tiny

        return load_tiny()
    from aspectlab.encoders.transformer import load_folder, load_hub

    if name in PRETRAINED:
        return load_folder(name, find_weights(name))
    if not Path(name).exists() and (near := find_slip(name)):
        # the hub would be asked for it, again and again
        raise ConfigError(f"encoder {name!r} is unknown: did you mean {near!r}?")
    from aspectlab.encoders.seq2seq import is_seq2seq, load_seq2seq

    if is_seq2seq(name):
        return load_seq2seq(name)
    if Path(name).is_dir():
        return load_folder(name, Path(name))
    return load_hub(name)


def find_slip(name: str) -> str | None:
    """Give the name of ours that a word is nearly, and so surely meant; any other may be one on the hub.

    >>> find_slip("tinny"), find_slip("roberta-base")
    ('tiny', None)
    """
    return next(iter(get_close_matches(name, OWN, n=1, cutoff=0.7)), None)


def restore_encoder(description: Mapping[str, object], folder: Path) -> Encoder:
    """Build it without weights; `describe` of the encoder gave the description."""
    from aspectlab.encoders.pretrained import list_faults

    try:
        return _restore(description, folder)
    except list_faults() as error:
        raise DataError(
            f"{folder}: no encoder can be built from config.json and the files beside it: "
            f"{type(error).__name__}: {str(error).splitlines()[0]:.120}; copy the folder again"
        ) from None


def _restore(description: Mapping[str, object], folder: Path) -> Encoder:
    kind = description.get("kind")
    if kind == "transformer":
        from aspectlab.encoders import transformer

        return transformer.restore(description, folder)
    if kind == "vectors":
        from aspectlab.encoders import vectors

        return vectors.restore(description, folder)
    if kind == "seq2seq":
        from aspectlab.encoders import seq2seq

        return seq2seq.restore(description, folder)
    raise DataError(
        f"{folder}: found an encoder of kind {kind!r}: expected transformer, vectors or seq2seq; it was "
        "written by a newer aspectlab: update aspectlab"
    )
