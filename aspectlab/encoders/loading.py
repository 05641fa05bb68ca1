"""Load an encoder by name, folder or Hugging Face name."""

from __future__ import annotations

from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.encoders.parts import GLOVE50, PARTS, find_part
from aspectlab.errors import ConfigError

if TYPE_CHECKING:
    from aspectlab.encoders.encoder import Encoder

ENCODERS = {
    "minilm": PARTS["minilm"].about,
    "mpnet": PARTS["mpnet"].about,
    "t5-titles": PARTS["t5-titles"].about,
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

    if name == "t5-titles":
        from aspectlab.encoders.quantised import load_titles

        return load_titles()
    if name in PARTS:
        return load_folder(name, find_part(name))
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
