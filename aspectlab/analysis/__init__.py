"""From reviews to what they praise and blame: opinions, categories, the aggregate and its report."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
