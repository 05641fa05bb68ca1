"""Count sentences, aspects and polarities as Table 1 of the reproducibility paper does."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from aspectlab.data.cleaning import has_joint_categories, sentence_keys
from aspectlab.data.example import Example
from aspectlab.data.quad import Part, Polarity, Quad

Aspect = tuple[Hashable, Polarity | None]
"""What is judged, and how."""


@dataclass(frozen=True, slots=True)
class Counts:
    """How many there are of each part.

    An aspect is a distinct pair of aspect term and polarity of one sentence; where a corpus annotates no
    terms, a pair of category and polarity. Conflict is set apart: it counts in `conflict` only.
    """

    sentences: int
    sentences_unique: int
    sentences_with_aspects: int
    multi_polarity_sentences: int
    aspects: int
    positive: int
    negative: int
    neutral: int
    conflict: int
    triplets: int
    quads: int
    quad_polarities: dict[str, int]
    categories: int
    opinions: int
    implicit_aspects: int
    implicit_opinions: int


def count_parts(
    records: Sequence[Example],
    sentences: Sequence[Example],
    judged: Sequence[Example],
    annotates: frozenset[Part],
) -> Counts:
    """Count three views of one corpus: its records, its sentences, and the sentences to be judged.

    Quads and triplets count in the records, all else in what is judged: the sentences
    without repetition, or again the records where a file is described as it is.
    """
    aspects = [find_aspects(example, annotates) for example in judged]
    usable = [[aspect for aspect in found if aspect[1] is not Polarity.CONFLICT] for found in aspects]
    polarities = Counter(polarity for found in aspects for _, polarity in found)
    quads = [quad for example in records for quad in example.quads]
    return Counts(
        sentences=len(sentences),
        sentences_unique=len(set(sentence_keys(sentences))),
        sentences_with_aspects=sum(bool(found) for found in usable),
        multi_polarity_sentences=sum(len(_labels(found)) > 1 for found in usable),
        aspects=sum(map(len, usable)),
        positive=polarities[Polarity.POSITIVE],
        negative=polarities[Polarity.NEGATIVE],
        neutral=polarities[Polarity.NEUTRAL],
        conflict=polarities[Polarity.CONFLICT],
        triplets=sum(is_triplet(quad, annotates) for quad in quads),
        quads=sum(not is_empty(quad, annotates) for quad in quads),
        quad_polarities=_count_polarities(quads),
        categories=len({quad.category for quad in quads} - {None}),
        opinions=sum(len({quad.opinion for quad in example.quads} - {None}) for example in judged),
        implicit_aspects=_count_implicit_aspects(judged, annotates),
        implicit_opinions=_count_implicit_opinions(judged, annotates),
    )


def find_aspects(example: Example, annotates: frozenset[Part]) -> tuple[Aspect, ...]:
    """Give the distinct aspects of an example with their polarity, conflict included, in order.

    >>> food = Quad(category="food", polarity=Polarity.POSITIVE)
    >>> [name for name, _ in find_aspects(Example("1", "Fine.", (food, food)), frozenset({Part.CATEGORY}))]
    ['food']
    """
    if Part.ASPECT in annotates:
        found = ((quad.aspect, quad.polarity) for quad in example.quads if quad.aspect is not None)
        return tuple(dict.fromkeys(found))
    return tuple(
        dict.fromkeys((quad.category, quad.polarity) for quad in example.quads if quad.category is not None)
    )


def is_empty(quad: Quad, annotates: frozenset[Part]) -> bool:
    """Tell whether a quad says nothing: the row of a segment without opinions has its topic at most."""
    judged = quad.polarity is not None or (quad.category is not None and Part.POLARITY not in annotates)
    return not quad.terms and not judged


def is_triplet(quad: Quad, annotates: frozenset[Part]) -> bool:
    """Tell whether a quad is an opinion triplet; its aspect or its opinion may be implicit."""
    wanted = {Part.ASPECT, Part.OPINION, Part.POLARITY} <= annotates
    return wanted and bool(quad.terms) and quad.polarity is not None


def _count_polarities(quads: Iterable[Quad]) -> dict[str, int]:
    found = Counter(quad.polarity for quad in quads)
    return {polarity.value: found[polarity] for polarity in Polarity}


def _labels(aspects: Iterable[Aspect]) -> set[Polarity]:
    return {polarity for _, polarity in aspects if polarity is not None}


def _count_implicit_aspects(examples: Sequence[Example], annotates: frozenset[Part]) -> int:
    if Part.ASPECT not in annotates:
        return 0
    quads = [quad for example in examples for quad in example.quads]
    # where they are labelled apart, a category alone is no implicit aspect
    together = has_joint_categories(quads)
    unnamed = [quad for quad in quads if quad.aspect is None and not is_empty(quad, annotates)]
    return sum(quad.opinion is not None or (together and quad.category is not None) for quad in unnamed)


def _count_implicit_opinions(examples: Sequence[Example], annotates: frozenset[Part]) -> int:
    if Part.OPINION not in annotates:
        return 0
    quads = [quad for example in examples for quad in example.quads if quad.opinion is None]
    return sum(not is_empty(quad, annotates) for quad in quads)
