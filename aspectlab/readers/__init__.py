"""Every ABSA file format, one file each; `read` recognises them by content."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
