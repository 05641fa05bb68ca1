"""Build the encoder of a saved model again, from the files beside its weights."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from aspectlab.errors import DataError

if TYPE_CHECKING:
    from aspectlab.encoders.encoder import Encoder


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
