"""A system for the campaign: Italian aspect categories and their polarity, trained in a minute."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
