"""The waist: characters and quads, gold and prediction in one type."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
