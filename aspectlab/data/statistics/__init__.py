"""Describe a corpus in numbers: the tables of the data set papers, each with its rule."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
