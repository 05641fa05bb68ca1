"""Building a data set: draw a sample, prelabel it, exchange it with annotation tools, measure agreement."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
