"""aspectlab: a workbench for trustworthy aspect-based sentiment analysis."""

from typing import TYPE_CHECKING

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Span, Term, edit
from aspectlab.readers import read, write
from aspectlab.version import VERSION

if TYPE_CHECKING:
    from aspectlab.analyzer import Analyzer

__all__ = [
    "Analyzer",
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


def __getattr__(name: str) -> type:
    """Import the analyzer when it is asked for: few programs need it, and it is not light."""
    if name != "Analyzer":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from aspectlab.analyzer import Analyzer

    return Analyzer


def __dir__() -> list[str]:
    """List what `__getattr__` gives too, for those who look around."""
    return sorted({*globals(), *__all__})
