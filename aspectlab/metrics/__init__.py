"""Metrics: count per example, score the sum; `evaluate` compares two corpora."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
