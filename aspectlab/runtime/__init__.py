"""Run a trained triplet model on plain texts: without torch, on the cores that are there."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
