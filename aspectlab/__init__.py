"""aspectlab: a workbench for trustworthy aspect-based sentiment analysis."""

from aspectlab.registry import attach
from aspectlab.version import VERSION

__version__ = VERSION

__getattr__, __dir__, __all__ = attach(__name__, __file__)
