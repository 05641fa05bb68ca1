"""Tell which weights the name of an encoder stands for, without torch and without loading them."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from pathlib import Path

from aspectlab.encoders.loading import OWN, find_slip
from aspectlab.encoders.parts import GLOVE50, PARTS, is_there

_VECTORS = "vectors:"
_KNOWN = {**PARTS, "vectors:glove50": GLOVE50}


@cache
def identify_encoder(name: str) -> str:
    """Name the weights: by their published hash, by the hash of the files, or by the revision on the hub."""
    if name in _KNOWN:
        return f"{name}@{_KNOWN[name].sha256}"
    if name == "tiny":
        return name  # its weights are drawn in code, and the protocol has a version
    path = Path(name.removeprefix(_VECTORS))
    if path.is_file():
        words = [path.with_suffix(".txt")] if path.suffix == ".npy" else []
        return f"file@{_hash([path, *words])}"
    if path.is_dir():
        return f"folder@{_hash(sorted(part for part in path.rglob('*') if part.is_file()))}"
    return f"{name}@{_revision(name)}"


def find_encoder_problem(name: str) -> str | None:
    """Say what is wrong with the name of an encoder; None if nothing is, or only loading it can tell."""
    if name in _KNOWN:
        part = _KNOWN[name]
        return None if is_there(name, part) else f"encoder {name!r} is not installed: {part.install}"
    if name in OWN or Path(name.removeprefix(_VECTORS)).exists():
        return None
    if name.startswith((_VECTORS, ".", "/", "~")):
        return f"encoder {name!r}: no such file or folder: check the path"
    near = find_slip(name)
    return f"encoder {name!r} is unknown: did you mean {near!r}?" if near else None


def _hash(paths: list[Path]) -> str:
    digest = hashlib.sha256()
    for path in paths:
        with path.open("rb") as stream:
            digest.update(f"{path.name}:{hashlib.file_digest(stream, 'sha256').hexdigest()}\n".encode())
    return digest.hexdigest()


def _revision(name: str) -> str:
    """Find the revision of a model of the hub that lies in the local cache; latest if there is none."""
    home = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    path = home / "hub" / f"models--{name.replace('/', '--')}" / "refs" / "main"
    return path.read_text(encoding="utf-8").strip() if path.is_file() else "latest"
