"""Measure how far the aspects of a sentence disagree, as Table 6 of the ARTS paper does.

The unit is the sample: one aspect with its polarity, conflict left out. A sentence with three aspects gives
three samples, and its words count three times. "Opposite" means any other label: the paper's figures come
out only if neutral counts as opposite to positive and to negative.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from aspectlab.data.cleaning import merge
from aspectlab.data.corpus import Corpus
from aspectlab.data.example import Example
from aspectlab.data.quad import Polarity
from aspectlab.data.statistics.counting import find_aspects
from aspectlab.data.statistics.words import find_tokens, ratio

Labelled = tuple[Hashable, Polarity]
"""An aspect and its label."""


@dataclass(frozen=True, slots=True)
class Challenge:
    """The paper's names in brackets; shares are fractions.

    words_per_sample               tokens of a simple English tokeniser; the paper does not name its own
    aspects_per_sample             aspects of the sample's sentence (#Aspects/Sent)
    opposite_nontarget_any         share of samples with another aspect of another label (Opp. Nontgt >= 1)
    opposite_nontarget_all         share with other aspects, all of another label (Opp. Nontgt = All)
    opposite_nontarget_per_sample  their mean number (#Opp. Nontgt/Sent)
    """

    samples: int
    words_per_sample: float | None
    vocabulary: int
    positive_to_negative: float | None
    aspects_per_sample: float
    opposite_nontarget_any: float
    opposite_nontarget_all: float
    opposite_nontarget_per_sample: float


@dataclass(frozen=True, slots=True)
class _Sample:
    """One aspect: its text, its label, how many others its sentence has, and how many of another label."""

    text: str
    polarity: Polarity
    others: int
    opposite: int


def count_challenge(corpus: Corpus, *, files: Sequence[Corpus] = ()) -> Challenge | None:
    """Measure a corpus of aspects with polarities; None if no sentence has several aspects.

    A robustness variant (ARTS) annotates its target only. Its other aspects are those of the sentence it was
    made from: as they were (revtgt), all made different (revnon), with those appended (adddiff). `files` are
    the parts of a corpus that was put together: a variant was made from a sentence of its own.

    >>> from aspectlab.data.quad import Part, Quad, Term
    >>> labels = ("tea", Polarity.POSITIVE), ("cake", Polarity.NEGATIVE)
    >>> quads = tuple(Quad(Term(word), polarity=label) for word, label in labels)
    >>> corpus = Corpus("c", "en", frozenset({Part.ASPECT}), (Example("1", "Tea, no cake.", quads),))
    >>> count_challenge(corpus).opposite_nontarget_any
    1.0
    """
    sources = corpus.with_examples(example for example in corpus if example.variant is None)
    sentences = [(example.text, _usable(example, corpus)) for example in merge(sources)[0]]
    samples = [sample for text, found in sentences for sample in _samples(text, found)]
    aspects = dict(sentences)
    for part in files or (corpus,):
        origins = {example.id: example for example in part if example.variant is None}
        for example in part:
            if example.variant is not None and example.source in origins:
                samples += _variant_samples(example, origins[example.source], aspects, corpus)
    return _summarise(samples) if any(sample.others for sample in samples) else None


def _summarise(samples: Sequence[_Sample]) -> Challenge:
    tokens = {text: find_tokens(text) for text in {sample.text for sample in samples}}
    positive = sum(sample.polarity is Polarity.POSITIVE for sample in samples)
    negative = sum(sample.polarity is Polarity.NEGATIVE for sample in samples)
    size = len(samples)
    return Challenge(
        samples=size,
        words_per_sample=ratio(sum(len(tokens[sample.text]) for sample in samples), size) or None,
        vocabulary=len({token for found in tokens.values() for token in found}),
        positive_to_negative=ratio(positive, negative),
        aspects_per_sample=sum(1 + sample.others for sample in samples) / size,
        opposite_nontarget_any=sum(sample.opposite > 0 for sample in samples) / size,
        opposite_nontarget_all=sum(0 < sample.others == sample.opposite for sample in samples) / size,
        opposite_nontarget_per_sample=sum(sample.opposite for sample in samples) / size,
    )


def _usable(example: Example, corpus: Corpus) -> list[Labelled]:
    found = find_aspects(example, corpus.annotates)
    return [
        (aspect, label) for aspect, label in found if label is not None and label is not Polarity.CONFLICT
    ]


def _samples(text: str, aspects: Sequence[Labelled]) -> Iterator[_Sample]:
    for _, polarity in aspects:
        yield _Sample(text, polarity, len(aspects) - 1, _count_other(polarity, aspects))


def _variant_samples(
    example: Example, origin: Example, aspects: dict[str, list[Labelled]], corpus: Corpus
) -> Iterator[_Sample]:
    targets = set(_usable(origin, corpus))
    others = [aspect for aspect in aspects[origin.text] if aspect not in targets]
    appended = _count_appended(example.text, origin.text) if example.variant == "adddiff" else 0
    for _, polarity in _usable(example, corpus):
        # what is neutral has no reverse
        all_reversed = example.variant == "revnon" and polarity is not Polarity.NEUTRAL
        opposite = len(others) if all_reversed else _count_other(polarity, others)
        yield _Sample(example.text, polarity, len(others) + appended, opposite + appended)


def _count_other(polarity: Polarity, aspects: Iterable[Labelled]) -> int:
    return sum(label is not polarity for _, label in aspects)


def _count_appended(text: str, source: str) -> int:
    """Count the clauses that were added to a sentence: "A", "A and B" or "A, B and C"."""
    kept = source.rstrip(" .?!")
    # annotators changed the beginning of some: then the last connective begins what was added
    tail = text[len(kept) :] if text.startswith(kept) else re.split(r", but |; ", text)[-1]
    tail = re.sub(r"^\W*(?:but )?", "", tail)
    return 1 + len(re.findall(r", | and ", tail)) if tail else 0
