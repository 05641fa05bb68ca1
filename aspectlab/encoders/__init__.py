"""Encoders: token numbers in, a vector per token out."""

from typing import TYPE_CHECKING

from aspectlab.encoders.loading import ENCODERS, load_encoder
from aspectlab.encoders.restoring import restore_encoder

if TYPE_CHECKING:
    from aspectlab.encoders.encoder import Encoder

__all__ = ["ENCODERS", "Encoder", "load_encoder", "restore_encoder"]


def __getattr__(name: str) -> object:
    # the base class is a torch module; what there is can be listed where torch is not installed
    if name == "Encoder":
        from aspectlab.encoders.encoder import Encoder

        return Encoder
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
