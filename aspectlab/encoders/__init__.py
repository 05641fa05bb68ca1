"""Encoders: token numbers in, a vector per token out."""

from aspectlab.encoders.encoder import Encoder
from aspectlab.encoders.loading import ENCODERS, load_encoder
from aspectlab.encoders.restoring import restore_encoder

__all__ = ["ENCODERS", "Encoder", "load_encoder", "restore_encoder"]
