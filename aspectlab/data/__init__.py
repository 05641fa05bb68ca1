"""The waist: characters and quads, gold and prediction in one type."""

from aspectlab.data.corpus import Corpus, Provenance, annotated_parts
from aspectlab.data.edit import edit
from aspectlab.data.example import Example
from aspectlab.data.quad import Part, Polarity, Quad, Span, Term

__all__ = [
    "Corpus",
    "Example",
    "Part",
    "Polarity",
    "Provenance",
    "Quad",
    "Span",
    "Term",
    "annotated_parts",
    "edit",
]
