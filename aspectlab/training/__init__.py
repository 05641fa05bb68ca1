"""One loop that trains every model, and what belongs to it."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
