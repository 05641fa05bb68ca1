"""Studies: models x corpora x splits x seeds, carried out on local processes or on Ray, resumable."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
