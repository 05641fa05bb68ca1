"""Knowledge graphs of what is said of entities: sources, comparison, pictures, page and file formats."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
