"""Agreement coefficients: Cohen's and Fleiss' kappa and Krippendorff's alpha, of words and of segments."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aspectlab.annotation.coding import Coded
from aspectlab.annotation.panel import Panel
from aspectlab.data import Example
from aspectlab.language import word_spans

IntArray = NDArray[np.int64]

MISSING = -1
"""The label of what an annotator did not judge."""


def cohen_kappa(one: ArrayLike, other: ArrayLike) -> float | None:
    """Compare two annotators' labels, whole numbers from 0, item by item.

    >>> cohen_kappa([0, 0, 1, 1], [0, 1, 1, 1])    # (3/4 - 1/2) / (1 - 1/2)
    0.5
    """
    a, b = np.asarray(one, np.int64), np.asarray(other, np.int64)
    assert a.shape == b.shape
    if not a.size:
        return None
    n_labels = int(max(a.max(), b.max())) + 1
    shares = (np.bincount(labels, minlength=n_labels) / a.size for labels in (a, b))
    first, second = shares  # [L] both
    return _beyond(float(np.mean(a == b)), float(first @ second))


def fleiss_kappa(labels: ArrayLike) -> float | None:
    """Compare two or more annotators, [annotators, items], who labelled every item.

    >>> fleiss_kappa([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0, 1, 1]])
    1.0
    """
    counts = _count_labels(np.asarray(labels, np.int64))  # [items, L]
    if not counts.size:
        return None
    raters = int(counts[0].sum())
    agreeing = (counts * (counts - 1)).sum(1) / (raters * (raters - 1))  # [items]
    shares = counts.sum(0) / counts.sum()  # [L]
    return _beyond(float(agreeing.mean()), float(shares @ shares))


def krippendorff_alpha(labels: ArrayLike) -> float | None:
    """Compare annotators, [annotators, items], on nominal labels; -1 is a missing one.

    >>> krippendorff_alpha([[0, 1, 1, -1], [0, 1, 0, 1]])    # 1 - 2 * 5 / 18, counted by hand
    0.4444444444444444
    """
    counts = _count_labels(np.asarray(labels, np.int64))  # [items, L]
    counts = counts[counts.sum(1) > 1]  # an item with one label has nothing to be compared with
    if not counts.size:
        return None
    raters = counts.sum(1)
    differing = (raters**2 - (counts**2).sum(1)) / (raters - 1)  # [items]
    totals, n = counts.sum(0), int(counts.sum())
    expected = (n**2 - int((totals**2).sum())) / (n - 1)
    return 1 - float(differing.sum()) / expected if expected else None


def mean_cohen_kappa(labels: Sequence[ArrayLike]) -> float | None:
    """Average Cohen's kappa over all pairs of annotators; pairs where it is undefined are left out.

    >>> mean_cohen_kappa([[0, 0, 1, 1], [0, 1, 1, 1]])
    0.5
    """
    pairs = [(one, other) for position, one in enumerate(labels) for other in labels[position + 1 :]]
    found = [value for pair in pairs if (value := cohen_kappa(*pair)) is not None]
    return sum(found) / len(found) if found else None


def _count_labels(labels: IntArray) -> IntArray:
    """Count for every item how many annotators gave it each label, [items, L]."""
    n_labels = int(labels.max(initial=MISSING)) + 1
    counts = np.stack([(labels == label).sum(0) for label in range(n_labels)], axis=1) if n_labels else None
    return np.zeros((0, 0), np.int64) if counts is None else counts


def _beyond(observed: float, expected: float) -> float | None:
    return None if expected >= 1 else (observed - expected) / (1 - expected)


Labels = NDArray[np.int64]
Coefficients = dict[str, float | int | None]


def measure_labels(panel: Panel, coded: list[Coded]) -> dict[str, Coefficients]:
    """Return the coefficients of three kinds of items.

    opinionated   segments: do they hold an opinion?
    sentiment     segments: none, or the sign of the mean polarity
    words         words of the texts: outside, aspect, opinion, or both; terms that are placed only
    """
    opinionated = np.stack([annotator.sizes > 0 for annotator in coded]).astype(np.int64)  # [A, N]
    moods = np.stack([annotator.moods + 2 for annotator in coded])
    kinds = {"opinionated": opinionated, "sentiment": np.where(opinionated > 0, moods, 0)}
    kinds["words"] = label_words(panel)
    return {kind: _coefficients(labels) for kind, labels in kinds.items()}


def label_words(panel: Panel) -> Labels:
    """Label every word of every segment: 0 outside, 1 aspect, 2 opinion, 3 both; [annotators, words]."""
    segments = list(_label_segments(panel))
    return np.concatenate(segments, axis=1) if segments else np.zeros((len(panel.annotators), 0), np.int64)


def _label_segments(panel: Panel) -> Iterator[Labels]:
    for examples in zip(*panel.examples, strict=True):
        if len({example.text for example in examples}) > 1:  # a sheet without texts has no words to label
            continue
        words = np.array(word_spans(examples[0].text), np.int64).reshape(-1, 2)  # [W, 2]
        yield np.stack([_label(example, words) for example in examples])


def _label(example: Example, words: Labels) -> Labels:
    labels = np.zeros(len(words), np.int64)
    for quad in example.quads:
        for bit, term in ((1, quad.aspect), (2, quad.opinion)):
            if term is not None and term.span is not None:
                # a word belongs to a term if they share a character
                labels[(words[:, 1] > term.span.start) & (words[:, 0] < term.span.end)] |= bit
    return labels


def _coefficients(labels: Labels) -> Coefficients:
    return {
        "items": labels.shape[1],
        "observed": float(np.mean(labels.min(0) == labels.max(0))) if labels.size else None,
        "cohen_kappa": mean_cohen_kappa(list(labels)),
        "fleiss_kappa": fleiss_kappa(labels),
        "krippendorff_alpha": krippendorff_alpha(labels),
    }
