"""Pages, tables and pictures for people; they read results and never run a model."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
