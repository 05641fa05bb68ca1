"""Break a corpus down by length, topic, polarity and term: what its figures and its data card show."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from aspectlab.data.cleaning import has_joint_categories
from aspectlab.data.corpus import Corpus
from aspectlab.data.example import Part, Polarity, Quad, Term
from aspectlab.data.statistics.counting import FiveNumbers, count_words, is_empty, summarise
from aspectlab.data.statistics.description import look
from aspectlab.data.statistics.triplets import Ranking, rank_terms

UNLABELLED = "unlabelled"
"""Stands for the polarity of a row that has none."""

LABELS = (Polarity.POSITIVE.value, Polarity.NEUTRAL.value, Polarity.NEGATIVE.value, "conflict", UNLABELLED)
"""The polarities in the order in which pictures show them."""

_RANKED = 15


@dataclass(frozen=True, slots=True)
class Lengths:
    """How long texts or terms are; fences are the last values within 1.5 quartile distances of the box."""

    number: int
    mean: float
    five: FiveNumbers
    fences: tuple[int, int]


@dataclass(frozen=True, slots=True)
class LabelCounts:
    """One topic or term: in how many segments it occurs, and its rows by polarity, empty ones apart."""

    name: str
    segments: int
    nonempty_segments: int
    empty_rows: int
    polarities: dict[str, int]

    @property
    def rows(self) -> int:
        """How many rows say something.

        >>> LabelCounts("cost", 4, 3, 1, {"positive": 3, "negative": 2}).rows
        5
        """
        return sum(self.polarities.values())


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The parts; `multiword` holds the terms of several words and all, `terms` the most frequent ones.

    `rankings` are the most frequent aspects by topic (Table 10 of MuSe-CarASTE) and by polarity, and the most
    frequent opinions by polarity (Table 11).
    """

    whole: LabelCounts
    lengths: dict[str, Lengths]
    topics: tuple[LabelCounts, ...]
    terms: dict[str, tuple[LabelCounts, ...]]
    unique: dict[str, int]
    multiword: dict[str, tuple[int, int]]
    rankings: dict[str, dict[str, Ranking]]


def break_down(*corpora: Corpus, raw: bool = False, top: int = 100) -> Breakdown:
    """Break down a corpus, or several as one; of the terms the `top` most frequent are kept.

    >>> from aspectlab.data.example import Example
    >>> quad = Quad(Term("front seat"), "comfort", None, Polarity.POSITIVE)
    >>> parts = frozenset({Part.ASPECT, Part.CATEGORY, Part.POLARITY})
    >>> found = break_down(Corpus("c", "en", parts, (Example("1", "A good front seat.", (quad,)),)))
    >>> found.lengths["text"].mean, found.multiword["aspect"], found.topics[0].name
    (4.0, (1, 1), 'comfort')
    """
    whole, _, judged = look(corpora, raw=raw)
    rows = [quad for example in whole for quad in example.quads if not is_empty(quad, whole.annotates)]
    named = {
        "aspect": [quad.aspect.text for quad in rows if quad.aspect is not None],
        "opinion": [quad.opinion.text for quad in rows if quad.opinion is not None],
    }
    texts = [example.text for example in judged if example.text.strip()]
    lengths = {part: measure_lengths(found) for part, found in {"text": texts, **named}.items() if found}
    tallies = {part: _tally_terms(whole, part) for part, found in named.items() if found}
    return Breakdown(
        whole=tally_rows(whole),
        lengths=lengths,
        topics=_tally_topics(whole),
        terms={part: found[:top] for part, found in tallies.items()},
        unique={part: len(found) for part, found in tallies.items()},
        multiword=_count_multiword(rows, named),
        rankings=_rank(rows, whole.annotates),
    )


def measure_lengths(texts: Sequence[str]) -> Lengths:
    """Count the words of texts; a text of whitespace only counts as one word.

    >>> found = measure_lengths(["a b", "c", "d e", "f g h i j k l m"])
    >>> found.mean, found.five.median, found.fences
    (3.25, 2.0, (1, 2))
    """
    words = [max(count_words(text), 1) for text in texts]
    five = summarise(words)
    assert five is not None
    reach = 1.5 * (five.q3 - five.q1)
    within = [number for number in words if five.q1 - reach <= number <= five.q3 + reach]
    return Lengths(len(words), sum(words) / len(words), five, (min(within), max(within)))


class _Count:
    """A tally in the making."""

    def __init__(self) -> None:
        self.segments: set[int] = set()
        self.nonempty: set[int] = set()
        self.empty_rows = 0
        self.polarities: Counter[str] = Counter()

    def add(self, index: int, quad: Quad, *, empty: bool) -> None:
        self.segments.add(index)
        if empty:
            self.empty_rows += 1
        else:
            self.nonempty.add(index)
            self.polarities[quad.polarity.value if quad.polarity else UNLABELLED] += 1

    def close(self, name: str) -> LabelCounts:
        found = {label: self.polarities[label] for label in LABELS if self.polarities[label]}
        return LabelCounts(name, len(self.segments), len(self.nonempty), self.empty_rows, found)


def tally_rows(corpus: Corpus) -> LabelCounts:
    """Count the segments and rows of a whole corpus.

    >>> from aspectlab.data.example import Example
    >>> tally_rows(Corpus("c", "en", frozenset(), (Example("1", "Fine."),))).segments
    1
    """
    count = _Count()
    for index, example in enumerate(corpus):
        count.segments.add(index)
        for quad in example.quads:
            count.add(index, quad, empty=is_empty(quad, corpus.annotates))
    return count.close(corpus.name)


def _tally_topics(corpus: Corpus) -> tuple[LabelCounts, ...]:
    """Count every category; a segment with quads of two counts in both."""
    counts: dict[str, _Count] = defaultdict(_Count)
    for index, example in enumerate(corpus):
        for quad in example.quads:
            if quad.category is not None:
                counts[quad.category].add(index, quad, empty=is_empty(quad, corpus.annotates))
    return _sort(counts)


def _tally_terms(corpus: Corpus, part: str) -> tuple[LabelCounts, ...]:
    counts: dict[str, _Count] = defaultdict(_Count)
    for index, example in enumerate(corpus):
        for quad in example.quads:
            term = quad.aspect if part == Part.ASPECT else quad.opinion
            if term is not None:
                counts[term.text].add(index, quad, empty=False)
    return _sort(counts)


def _rank(rows: Sequence[Quad], annotates: frozenset[Part]) -> dict[str, dict[str, Ranking]]:
    pairs: dict[str, list[tuple[str | None, Term | None]]] = {}
    if has_joint_categories(rows):
        pairs["aspects by topic"] = [(quad.category, quad.aspect) for quad in rows]
    if Part.POLARITY in annotates:
        pairs["aspects by polarity"] = [(quad.polarity, quad.aspect) for quad in rows]
        pairs["opinions by polarity"] = [(quad.polarity, quad.opinion) for quad in rows]
    ranked = {name: rank_terms(found, _RANKED) for name, found in pairs.items()}
    return {name: found for name, found in ranked.items() if found}


def _sort(counts: dict[str, _Count]) -> tuple[LabelCounts, ...]:
    """Sort by frequency, the most frequent first; equal ones by their characters."""
    closed = (count.close(name) for name, count in counts.items())
    return tuple(sorted(closed, key=lambda tally: (-tally.rows, tally.name)))


def _count_multiword(rows: Iterable[Quad], named: dict[str, list[str]]) -> dict[str, tuple[int, int]]:
    found = {
        part: (sum(count_words(text) > 1 for text in texts), len(texts))
        for part, texts in named.items()
        if texts
    }
    if len(found) > 1:
        pairs = [[_is_multiword(term) for term in quad.terms] for quad in rows if quad.terms]
        found["either"] = (sum(map(any, pairs)), len(pairs))
    return found


def _is_multiword(term: Term) -> bool:
    return count_words(term.text) > 1
