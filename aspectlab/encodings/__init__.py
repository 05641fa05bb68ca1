"""Between text and arrays: encode, collate, decode; numpy in, numpy out."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
