"""Robustness test sets: how far a model's answers survive changes of the text."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
