"""Losses: what of a corpus a file of another format would not hold, so that a user can be told."""

from __future__ import annotations

from aspectlab.data import Corpus
from aspectlab.readers.format import Loss
from aspectlab.readers.formats import READERS


def find_losses(corpus: Corpus, format: str) -> tuple[Loss, ...]:
    """Name what a corpus has and a file of this format has no place for.

    >>> from aspectlab.data import Example, Quad
    >>> corpus = Corpus("c", "en", frozenset(), (Example("7", "Nice.", (Quad(category="tea"),)),))
    >>> [loss.value for loss in find_losses(corpus, "aste")], find_losses(corpus, "jsonl")
    (['ids', 'categories'], ())
    """
    quads = [quad for example in corpus for quad in example.quads]
    found = {
        Loss.IDS: len(corpus) > 0,
        Loss.CATEGORIES: any(quad.category is not None for quad in quads),
        Loss.ORIGINS: any((example.source, example.variant) != (None, None) for example in corpus),
        Loss.CONFIDENCES: any(quad.confidence is not None for quad in quads),
    }
    return tuple(loss for loss in Loss if loss in READERS[format].loses and found[loss])
