"""The service: opinions over HTTP, and a web page; see `aspectlab serve`."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
