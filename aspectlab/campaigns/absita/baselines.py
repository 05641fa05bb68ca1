"""The campaign's baselines: the most frequent aspect, and the most frequent pair, for every sentence."""

from __future__ import annotations

from collections import Counter

from aspectlab.data import Corpus, Polarity, Quad
from aspectlab.errors import DataError
from aspectlab.readers.absita import CATEGORIES

_ORDER = {
    (category, polarity): rank
    for rank, (category, polarity) in enumerate(
        (category, polarity)
        for category in CATEGORIES
        for polarity in (None, Polarity.POSITIVE, Polarity.NEGATIVE)
    )
}
"""Of equally frequent ones the first column wins, and positive before negative."""


def most_frequent(train: Corpus, task: str, *, with_other: bool = True) -> Quad:
    """Find the most frequent aspect (acd) or pair of aspect and polarity (acp) of a training file.

    >>> from aspectlab.data import Example
    >>> wifi, staff = Quad(category="wifi"), Quad(category="staff")
    >>> examples = Example("1", "", (wifi, staff)), Example("2", "", (wifi,))
    >>> train = Corpus("mine", "it", frozenset(), examples)
    >>> most_frequent(train, "acd").category
    'wifi'
    """
    counts = Counter(label for example in train for label in _labels(example.quads, task))
    if not with_other:
        counts = Counter({label: count for label, count in counts.items() if label[0] != "other"})
    if not counts:
        raise DataError(
            f"corpus {train.name!r}: found no label for {task}: expected annotated sentences; "
            "name the training file"
        )
    category, polarity = min(counts, key=lambda label: (-counts[label], _ORDER[label]))
    return Quad(category=category, polarity=polarity)


def apply_baseline(test: Corpus, quad: Quad) -> Corpus:
    """Give every sentence the same prediction."""
    return test.with_examples(type(example)(example.id, example.text, (quad,)) for example in test)


def _labels(quads: tuple[Quad, ...], task: str) -> set[tuple[str, Polarity | None]]:
    """List the labels of a sentence, each once: a mixed aspect is one aspect and two pairs."""
    if task == "acd":
        return {(quad.category, None) for quad in quads if quad.category in CATEGORIES}
    return {(q.category, q.polarity) for q in quads if q.category in CATEGORIES and q.polarity is not None}
