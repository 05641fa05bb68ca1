"""Shared tasks: their files, their scorers, their baselines; one package per campaign, on what they share."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
