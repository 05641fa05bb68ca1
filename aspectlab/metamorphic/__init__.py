"""Metamorphic tests: follow-ups whose expected output is known, and how often a model violates it."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
