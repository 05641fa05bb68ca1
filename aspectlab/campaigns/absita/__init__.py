"""ABSITA at EVALITA 2018: aspect categories of Italian hotel reviews and their polarity."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
