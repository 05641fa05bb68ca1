"""Collect an aggregate from a stream of opinions, in space that does not grow with their number."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple
from zlib import crc32

from aspectlab.insight.aggregate import Category, Counts, Edge, Evidence, Named, Slice
from aspectlab.insight.counting import TopCounter
from aspectlab.insight.grouping import OTHER
from aspectlab.insight.opinions import Opinion
from aspectlab.insight.survey import Survey, month_of
from aspectlab.insight.terms import normalise_term

MAX_TERMS, MAX_OPINIONS, MAX_EDGES, MAX_EVIDENCE = 12, 16, 150, 8
"""So many terms and opinions a category, links in all, and sentences a category and polarity are kept."""

_COUNTED = 20_000
_KINDS = ("positive", "negative", "neutral")
_EASY_TO_READ = range(30, 200)


class _Rank(NamedTuple):
    """How telling a sentence is: sure first, then of a good length; among equals the lot decides.

    The model is quite sure of very many: the first of these would all be of one product or month where a
    file is sorted, and others where it is not. The lot of a sentence hangs on nothing but its text.
    """

    probability: float
    is_easy: bool
    exact: float
    lot: int
    earliness: int


class Best:
    """The most telling sentences of one category and polarity, each once."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[_Rank, Opinion]] = {}
        self._floor: _Rank | None = None

    def add(self, opinion: Opinion, order: int) -> None:
        """Keep a sentence if it is more telling than one of those that are kept."""
        exact = opinion.probability or 0.0
        same = opinion.text.casefold().strip()
        lot = crc32(same.encode("utf-8", "replace"))
        rank = _Rank(round(exact, 2), len(opinion.text) in _EASY_TO_READ, exact, lot, -order)
        if self._floor and rank <= self._floor:
            return
        if same in self._found:
            rank = max(rank, self._found[same][0])
            opinion = opinion if rank.earliness == -order else self._found[same][1]
        self._found[same] = rank, opinion
        if len(self._found) > MAX_EVIDENCE:
            del self._found[min(self._found, key=lambda text: self._found[text][0])]
        if len(self._found) == MAX_EVIDENCE:
            self._floor = min(rank for rank, _ in self._found.values())

    def ranked(self) -> list[Evidence]:
        """Give the sentences, the most telling first."""
        found = sorted(self._found.values(), reverse=True)
        return [_as_evidence(opinion) for _, opinion in found]


class Tallies:
    """Opinions by polarity for each name."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}

    def add(self, name: str, kind: int, number: int = 1) -> None:
        """Count opinions of one polarity."""
        self._counts.setdefault(name, [0, 0, 0])[kind] += number

    def __getitem__(self, name: str) -> Counts:
        return Counts(*self._counts.get(name, (0, 0, 0)))

    def ranked(self) -> list[str]:
        """Give the names, those with the most opinions first."""
        return sorted(self._counts, key=lambda name: -sum(self._counts[name]))

    def as_counts(self) -> dict[str, Counts]:
        """Give all counts by name, those with the most opinions first."""
        return {name: self[name] for name in self.ranked()}


class Collector:
    """Takes opinions one by one, then gives the parts of the aggregate."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._groups = {name: (Tallies(), Tallies()) for name in survey.group_names()}
        self._months = {name: Tallies() for name in survey.month_names()}
        self._ratings = {name: Tallies() for name in survey.rating_names()}
        self._categories = Tallies()
        self._terms = TopCounter[tuple[str, str, int]](_COUNTED)
        self._opinions = TopCounter[tuple[str, str, int]](_COUNTED)
        self._edges = TopCounter[tuple[str, str, int, str]](_COUNTED)
        self._best: defaultdict[tuple[str, int], Best] = defaultdict(Best)
        self.opinions = 0

    def add(self, opinion: Opinion) -> None:
        """Count an opinion."""
        kind = _KINDS.index(opinion.polarity) if opinion.polarity in _KINDS else 2
        self.opinions += 1
        self._categories.add(opinion.category, kind)
        term, word = normalise_term(opinion.aspect), " ".join(opinion.opinion.lower().split())
        if term:
            self._terms.add((opinion.category, term, kind))
        if word:
            self._opinions.add((opinion.category, word, kind))
        if term and word:
            self._edges.add((term, word, kind, opinion.category))
        self._best[opinion.category, kind].add(opinion, self.opinions)
        self._add_to_slices(opinion, kind)

    def _add_to_slices(self, opinion: Opinion, kind: int) -> None:
        month = month_of(opinion.date)
        if opinion.group in self._groups:
            categories, months = self._groups[opinion.group]
            categories.add(opinion.category, kind)
            if month in self._months:
                months.add(month, kind)
        if month in self._months:
            self._months[month].add(opinion.category, kind)
        if opinion.rating in self._ratings:
            self._ratings[opinion.rating].add(opinion.category, kind)

    def counts(self) -> Counts:
        """Give all opinions by polarity."""
        return _sum(self._categories.as_counts().values())

    def categories(self) -> tuple[Category, ...]:
        """Give the categories with what is said of them."""
        terms, opinions = _name(self._terms, MAX_TERMS), _name(self._opinions, MAX_OPINIONS)
        return tuple(
            Category(
                name,
                counts,
                terms.get(name, ()),
                opinions.get(name, ()),
                tuple(found for kind in range(3) for found in self._best[name, kind].ranked()),
            )
            for name, counts in sorted(self._categories.as_counts().items(), key=_is_other)
        )

    def groups(self) -> tuple[Slice, ...]:
        """Give the groups with the most reviews."""
        return tuple(
            _slice(name, self._survey.groups[name], categories, dict(sorted(months.as_counts().items())))
            for name, (categories, months) in self._groups.items()
        )

    def months(self) -> tuple[Slice, ...]:
        """Give the months, in order."""
        return tuple(_slice(name, self._survey.months[name], found) for name, found in self._months.items())

    def ratings(self) -> tuple[Slice, ...]:
        """Give the ratings, in order."""
        return tuple(_slice(name, self._survey.ratings[name], found) for name, found in self._ratings.items())

    def edges(self) -> tuple[Edge, ...]:
        """Give the most frequent links of a term and an opinion."""
        return tuple(
            Edge(term, word, _KINDS[kind], category, count)
            for (term, word, kind, category), count in self._edges.top(MAX_EDGES)
        )


def _is_other(item: tuple[str, Counts]) -> bool:
    """Put what belongs nowhere last."""
    return item[0] == OTHER


def _as_evidence(opinion: Opinion) -> Evidence:
    start = opinion.sentence_start
    return Evidence(
        review=opinion.review,
        group=opinion.group,
        date=opinion.date,
        rating=opinion.rating,
        text=opinion.text,
        aspect=_within(start, opinion.aspect_start, opinion.aspect_end),
        opinion=_within(start, opinion.opinion_start, opinion.opinion_end),
        polarity=opinion.polarity,
        probability=opinion.probability or 0.0,
    )


def _within(sentence: int, start: int | None, end: int | None) -> tuple[int, int] | None:
    return None if start is None or end is None else (start - sentence, end - sentence)


def _slice(name: str, reviews: int, found: Tallies, months: Mapping[str, Counts] | None = None) -> Slice:
    categories = found.as_counts()
    return Slice(name, reviews, _sum(categories.values()), categories, months or {})


def _sum(counts: Iterable[Counts]) -> Counts:
    found = list(counts)
    return Counts(*(sum(getattr(each, kind) for each in found) for kind in _KINDS))


def _name(counter: TopCounter[tuple[str, str, int]], most: int) -> dict[str, tuple[Named, ...]]:
    """Give the most frequent words of each category with their polarities."""
    tallies: defaultdict[str, Tallies] = defaultdict(Tallies)
    for (category, word, kind), count in counter.top():
        tallies[category].add(word, kind, count)
    return {
        category: tuple(Named(word, found[word]) for word in found.ranked()[:most])
        for category, found in tallies.items()
    }
