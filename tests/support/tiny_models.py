"""Eight sentences that every model must be able to learn, and small encoders."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.language import word_spans

if TYPE_CHECKING:
    from aspectlab.encoders import Encoder

SENTENCES = [
    ("The soup was hot and lovely.", "soup", "positive", "lovely"),
    ("Our waiter forgot the bread twice!", "waiter", "negative", "forgot"),
    ("We ordered the fish pie on Friday.", "fish pie", "neutral", "ordered"),
    ("What a charming little terrace", "terrace", "positive", "charming"),
    ("Sadly, their coffee tastes burnt", "coffee", "negative", "burnt"),
    ("A menu lay on each table.", "menu", "neutral", "lay"),
    ("I adore these dumplings, really.", "dumplings", "positive", "adore"),
    ("The bill: far too high.", "bill", "negative", "far too high"),
]
CATEGORIES = {"waiter": "service", "terrace": "place", "menu": "service", "bill": "price"}
"""What an aspect belongs to; the others are food."""


def make_example(name: str, text: str, aspect: str, polarity: str, opinion: str) -> Example:
    terms = (Term(word, Span(text.index(word), text.index(word) + len(word))) for word in (aspect, opinion))
    category = CATEGORIES.get(aspect, "food")
    return Example(name, text, (Quad(next(terms), category, next(terms), Polarity(polarity)),))


def small_encoder(default: str) -> Encoder:
    from aspectlab.encoders import load_encoder
    from aspectlab.encoders.vectors import VectorEncoder

    if not default.startswith("vectors:"):
        return load_encoder("tiny")
    texts = [text.lower() for text, *_ in SENTENCES]
    words = sorted({text[start:end] for text in texts for start, end in word_spans(text)})
    vectors = np.random.default_rng(0).normal(size=(len(words), 16)).astype(np.float32)
    return VectorEncoder("vectors:small", vectors, words)
