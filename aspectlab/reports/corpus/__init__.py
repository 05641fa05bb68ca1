"""The data card of a corpus: its tables and pictures, on one page and as files."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
