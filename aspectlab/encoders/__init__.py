"""Encoders: token numbers in, a vector per token out."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
