"""Reports on runs: tables and pictures with spread, significance and what papers printed."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
