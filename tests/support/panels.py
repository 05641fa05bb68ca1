"""A panel of two annotators and word vectors, small enough to be computed by hand."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from aspectlab.annotation import AnnotationSheet, Panel, Similarity, build_panel
from aspectlab.data import Example, Part, Polarity, Quad, Span, Term

TEXTS = {
    "1": "The seat, or chair, is soft.",
    "2": "A soft seat and a loud engine.",
    "3": "We drive on.",
    "4": "Again a soft seat.",
}
WORDS = ["seat", "other", "soft", "engine", "loud", "positive", "negative"]
VECTORS = dict(zip(WORDS, np.eye(len(WORDS), dtype=np.float32), strict=True))
# as near to a seat as 0.8
VECTORS["chair"] = 0.8 * VECTORS["seat"] + 0.6 * VECTORS["other"]


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    """Average the vectors of the words; those of the table are at right angles but for the chair."""
    zero = np.zeros(len(WORDS), np.float32)
    return np.stack(
        [np.mean([zero, *(VECTORS.get(w, zero) for w in text.split())], axis=0) for text in texts]
    )


BY_HAND = Similarity("by hand", embed)


def triple(segment: str, aspect: str, opinion: str, polarity: str) -> Quad:
    text = TEXTS[segment]
    aspect_term, opinion_term = (
        Term(term, Span(text.index(term), text.index(term) + len(term))) for term in (aspect, opinion)
    )
    return Quad(aspect_term, None, opinion_term, Polarity(polarity))


def make_sheet(name: str, segments: dict[str, Sequence[Quad]]) -> AnnotationSheet:
    examples = (Example(id, text, tuple(segments.get(id, ()))) for id, text in TEXTS.items())
    parts = frozenset({Part.ASPECT, Part.OPINION, Part.POLARITY})
    return AnnotationSheet(name, "en", parts, tuple(examples))


ANNA = make_sheet(
    "anna",
    {
        "1": [triple("1", "seat", "soft", "positive")],
        "2": [triple("2", "seat", "soft", "positive"), triple("2", "engine", "loud", "negative")],
        "4": [triple("4", "seat", "soft", "positive")],
    },
)
BEN = make_sheet(
    "ben",
    {"1": [triple("1", "chair", "soft", "positive")], "2": [triple("2", "engine", "loud", "positive")]},
)


def make_panel(*sheets: AnnotationSheet) -> Panel:
    return build_panel(sheets or (ANNA, BEN))
