"""aspectlab: a workbench for trustworthy aspect-based sentiment analysis."""

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term, edit
from aspectlab.readers import read, write
from aspectlab.version import VERSION

__all__ = [
    "Corpus",
    "Example",
    "Part",
    "Polarity",
    "Quad",
    "Span",
    "Term",
    "__version__",
    "edit",
    "read",
    "write",
]

__version__ = VERSION
