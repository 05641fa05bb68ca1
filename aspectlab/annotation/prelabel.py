"""Prelabel: the opinions that a model finds, as labels for annotators to begin with."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from aspectlab.data import Corpus, Example, Quad
from aspectlab.readers.answers import find_topics

Predict = Callable[[Sequence[str]], list[tuple[Quad, ...]]]
"""Gives the opinions of each text, with their confidence."""

_BLOCK = 128


def prelabel(corpus: Corpus, predict: Predict) -> Iterator[Example]:
    """Stream the examples with what the model finds in place of their labels; topics stay.

    A segment in which nothing is found stays as one without opinions.

    >>> corpus = Corpus("cars", "en", frozenset(), (Example("1", "We drive.", (Quad(category="comfort"),)),))
    >>> [[quad.category for quad in example.quads] for example in prelabel(corpus, lambda texts: [()])]
    [['comfort']]
    """
    topics = find_topics(corpus)
    stream = iter(corpus)
    while block := list(islice(stream, _BLOCK)):
        predicted = predict([example.text for example in block])
        for example, quads in zip(block, predicted, strict=True):
            yield replace(example, quads=_with_topic(quads, topics.get(example.id)))


def _with_topic(quads: tuple[Quad, ...], topic: str | None) -> tuple[Quad, ...]:
    if topic is None:
        return quads
    return tuple(replace(quad, category=topic) for quad in quads or (Quad(),))
