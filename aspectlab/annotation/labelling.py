"""Turn annotations into one label per item, which is what kappa and alpha compare."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from aspectlab.annotation.coding import Coded
from aspectlab.annotation.coefficients import fleiss_kappa, krippendorff_alpha, mean_cohen_kappa
from aspectlab.annotation.panel import Panel
from aspectlab.data import Example
from aspectlab.language import word_spans

Labels = NDArray[np.int64]
Coefficients = dict[str, float | int | None]


def measure_labels(panel: Panel, coded: list[Coded]) -> dict[str, Coefficients]:
    """Give the coefficients of three kinds of items.

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
