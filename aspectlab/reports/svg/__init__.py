"""Pictures as SVG, drawn without any plotting package."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
