"""Tables: CSV, XLSX, Parquet and JSON lines, read strictly or leniently within bounds."""

from aspectlab.registry import attach

__getattr__, __dir__, __all__ = attach(__name__, __file__)
