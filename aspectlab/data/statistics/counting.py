"""Count words, sentences, aspects and polarities, as Table 1 of the reproducibility paper does."""

import re
from collections import Counter
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from aspectlab.data.cleaning import has_joint_categories, sentence_keys
from aspectlab.data.example import Example, Part, Polarity, Quad

_TOKEN = re.compile(
    r"\w+(?=n't\b)|n't\b|'(?:s|re|ve|ll|d|m)\b|\d+(?:[.,]\d+)*|\w+|\.{2,}|-{2,}|[^\w\s]", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class PolarityCounts:
    """Opinions by polarity."""

    positive: int = 0
    negative: int = 0
    neutral: int = 0

    @property
    def total(self) -> int:
        """All opinions."""
        return self.positive + self.negative + self.neutral


@dataclass(frozen=True, slots=True)
class FiveNumbers:
    """Minimum, quartiles and maximum."""

    min: float
    q1: float
    median: float
    q3: float
    max: float


def summarise(values: Iterable[int]) -> FiveNumbers | None:
    """Return the five numbers of a box plot, quartiles interpolated linearly as numpy does; None of nothing.

    >>> summarise([1, 2, 3, 4])
    FiveNumbers(min=1, q1=1.75, median=2.5, q3=3.25, max=4)
    """
    ordered = sorted(values)
    if not ordered:
        return None
    q1, median, q3 = (_quantile(ordered, quarter / 4) for quarter in (1, 2, 3))
    return FiveNumbers(ordered[0], q1, median, q3, ordered[-1])


def count_words(text: str) -> int:
    """Count whitespace-separated words, as the data set papers do.

    >>> count_words("It isn't bad.")
    3
    """
    return len(text.split())


def find_tokens(text: str) -> list[str]:
    """Separate words, English clitics, numbers and punctuation marks, near to what a treebank does.

    >>> find_tokens("It isn't 3.5 bad...")
    ['It', 'is', "n't", '3.5', 'bad', '...']
    """
    return _TOKEN.findall(text)


@dataclass(frozen=True, slots=True)
class IntensityMeans:
    """Mean valence and arousal of the opinions that have them, and how many these are."""

    opinions: int
    valence: float
    arousal: float


def average_intensity(quads: Iterable[Quad]) -> IntensityMeans | None:
    """Return the mean valence and arousal; None where no quad has them.

    >>> from aspectlab.data.example import Intensity
    >>> average_intensity([Quad(intensity=Intensity(8, 6)), Quad(intensity=Intensity(3, 5)), Quad()])
    IntensityMeans(opinions=2, valence=5.5, arousal=5.5)
    """
    found = [quad.intensity for quad in quads if quad.intensity is not None]
    if not found:
        return None
    valence, arousal = (
        sum(values) / len(found) for values in zip(*((i.valence, i.arousal) for i in found), strict=True)
    )
    return IntensityMeans(len(found), valence, arousal)


def mean(values: Sequence[float]) -> float | None:
    """Return the mean, or None of nothing."""
    return sum(values) / len(values) if values else None


def ratio(part: int, whole: int) -> float | None:
    """Divide, or give None if there is nothing to divide by."""
    return part / whole if whole else None


def _quantile(ordered: Sequence[int], share: float) -> float:
    position = share * (len(ordered) - 1)
    below = int(position)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (position - below) * (ordered[above] - ordered[below])


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
    """Return the distinct aspects of an example with their polarity, conflict included, in order.

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
    """Return whether a quad says nothing: the row of a segment without opinions has its topic at most."""
    judged = quad.polarity is not None or (quad.category is not None and Part.POLARITY not in annotates)
    return not quad.terms and not judged


def is_triplet(quad: Quad, annotates: frozenset[Part]) -> bool:
    """Return whether a quad is an opinion triplet; its aspect or its opinion may be implicit."""
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
    # where they are labelled apart, a category alone is not an implicit aspect
    together = has_joint_categories(quads)
    unnamed = [quad for quad in quads if quad.aspect is None and not is_empty(quad, annotates)]
    return sum(quad.opinion is not None or (together and quad.category is not None) for quad in unnamed)


def _count_implicit_opinions(examples: Sequence[Example], annotates: frozenset[Part]) -> int:
    if Part.OPINION not in annotates:
        return 0
    quads = [quad for example in examples for quad in example.quads if quad.opinion is None]
    return sum(not is_empty(quad, annotates) for quad in quads)
