"""Tasks: which parts of a quad are judged, and which corpora can be judged so."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
