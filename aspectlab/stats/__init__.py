"""Numbers about numbers: arrays in, numbers out; numpy is all they need."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
