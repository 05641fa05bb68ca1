"""Tiny models of every row of the table, and eight sentences that each of them must be able to learn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
import pytest

from aspectlab.data import Example, Polarity, Quad, Span, Term
from aspectlab.language import word_spans
from aspectlab.registry import options_of

if TYPE_CHECKING:
    from aspectlab.encoders import Encoder
    from aspectlab.models import Model

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


@pytest.fixture
def eight() -> list[Example]:
    """Eight examples with one aspect and one opinion each."""
    return [make_example(str(n), *sentence) for n, sentence in enumerate(SENTENCES)]


@pytest.fixture
def torn() -> Example:
    """One sentence with two aspects of opposite polarity: a loss may be about both."""
    text = "The soup was lovely, our waiter forgot the bread."
    told = ("soup", "positive", "lovely"), ("waiter", "negative", "forgot")
    sides = (make_example("9", text, *side) for side in told)
    return Example("9", text, tuple(quad for side in sides for quad in side.quads))


def make_example(name: str, text: str, aspect: str, polarity: str, opinion: str) -> Example:
    terms = (Term(word, Span(text.index(word), text.index(word) + len(word))) for word in (aspect, opinion))
    category = CATEGORIES.get(aspect, "food")
    return Example(name, text, (Quad(next(terms), category, next(terms), Polarity(polarity)),))


@pytest.fixture
def settings_of() -> Callable[[str], dict[str, object]]:
    """Tell what a row must be told beyond its defaults."""
    from aspectlab.models import MODELS

    def settings(name: str) -> dict[str, object]:
        # trees without grammar: the default parser needs a package
        told = {"parser": "chain"} if "parser" in options_of(MODELS[name]) else {}
        return MODELS[name].complete_settings(told, [make_example("0", *case) for case in SENTENCES])

    return settings


@pytest.fixture
def build_tiny(settings_of: Callable[[str], dict[str, object]]) -> Callable[[str], Model]:
    """Build a row of the table from its defaults, with a small encoder of the kind it takes."""
    torch = pytest.importorskip("torch")
    from aspectlab.models import MODELS, build_model

    def build(name: str) -> Model:
        encoder = small_encoder(MODELS[name].default_encoder)
        torch.manual_seed(7)
        return build_model(name, encoder, settings_of(name))

    return build


def small_encoder(default: str) -> Encoder:
    from aspectlab.encoders import load_encoder
    from aspectlab.encoders.vectors import VectorEncoder

    if not default.startswith("vectors:"):
        return load_encoder("tiny")
    texts = [text.lower() for text, *_ in SENTENCES]
    words = sorted({text[start:end] for text in texts for start, end in word_spans(text)})
    vectors = np.random.default_rng(0).normal(size=(len(words), 16)).astype(np.float32)
    return VectorEncoder("vectors:small", vectors, words)
