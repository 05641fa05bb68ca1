"""DimABSA, SemEval-2026 Task 3, track A: opinions with valence and arousal, in six languages."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
