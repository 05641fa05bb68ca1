"""Assemble the result from blocks: name the categories, write the tables, collect the aggregate."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TextIO
from zlib import crc32

from aspectlab.analysis.aggregate import Category, Evidence, OpinionPair, Slice, TermCounts
from aspectlab.analysis.assign import Assignment
from aspectlab.analysis.opinions import is_likely
from aspectlab.analysis.survey import Survey, TopCounter, month_of
from aspectlab.data import PolarityCounts
from aspectlab.encodings import spell_category
from aspectlab.errors import DataError
from aspectlab.language import normalise_term
from aspectlab.outputs import sync_path
from aspectlab.readers import COLUMNS, NOT_ANALYSED, NOT_NAMED, OPINIONS_CSV, OPINIONS_PARQUET, REST, Opinion
from aspectlab.readers.tables import escape_formula, pack_lines, write_csv

_ENCODE = json.JSONEncoder(ensure_ascii=False).encode
_TYPES = {
    **dict.fromkeys(COLUMNS, "VARCHAR"),
    **dict.fromkeys(("sentence", "sentence_start"), "INTEGER"),
    **dict.fromkeys(("aspect_start", "aspect_end", "opinion_start", "opinion_end"), "INTEGER"),
    "probability": "DOUBLE",
}
_MAX_ROW_BYTES = 2 << 20


def assemble(
    opinions: Iterable[Opinion],
    assignment: Assignment,
    survey: Survey,
    out: Path,
    *,
    work: Path,
    least: float = 0.0,
    more: Sequence[str] = (),
) -> AggregateCollector:
    """Write both tables atomically, with their drafts in `work`, and collect what the aggregate needs.

    Opinions with a probability below `least` are left out; `more` are columns that reviews carry.
    """
    collector = AggregateCollector(survey)
    table, rows = work / OPINIONS_CSV, work / "opinions.jsonl"
    try:
        with rows.open("w", encoding="utf-8", newline="\n") as stream:
            write_csv(table, _rows(opinions, assignment, collector, stream, least, more), ",", quote=False)
        packed = work / OPINIONS_PARQUET
        pack_lines(rows, packed, _TYPES | dict.fromkeys(more, "VARCHAR"), longest=_MAX_ROW_BYTES)
        for path in (table, packed):
            sync_path(path)
            path.replace(out / path.name)
        sync_path(out)
    except OSError as error:
        raise DataError(f"{out}: cannot be written: {error.strerror}; free some space") from None
    return collector


def categorise(opinion: Opinion, assignment: Assignment) -> Opinion:
    """Name the category that an opinion counts for, and that of the first level above it."""
    if opinion.category == NOT_ANALYSED:
        return opinion
    category, parent = assignment.find(opinion)
    return opinion._replace(category=category, parent=parent)


def _rows(
    opinions: Iterable[Opinion],
    assignment: Assignment,
    collector: AggregateCollector,
    stream: TextIO,
    least: float,
    more: Sequence[str],
) -> Iterator[list[str | int]]:
    """Return the rows of the CSV table, and write them for Parquet, collecting on the way.

    `more` are the columns behind those of opinions.
    """
    yield [*COLUMNS, *map(escape_formula, more)]
    for plain in opinions:
        if not is_likely(plain, least):
            collector.left_out += 1
            continue
        opinion = categorise(plain, assignment)
        if opinion.category != NOT_ANALYSED:
            collector.add(opinion)
        cells = (*opinion.cells, *(opinion.carried or [""] * len(more)))
        stream.write(_ENCODE(dict(zip((*COLUMNS, *more), cells, strict=True))) + "\n")
        yield [cell if type(cell) is int else escape_formula(cell) for cell in cells]


MAX_CATEGORY_TERMS, MAX_OPINIONS, MAX_EDGES, MAX_EVIDENCE = 12, 16, 150, 8
"""So many terms and opinions a category, links in all, and sentences a category and polarity are kept."""

_COUNTED_WORDS = 20_000
_KINDS = ("positive", "negative", "neutral")
_EASY_TO_READ = range(30, 200)
_CANDIDATES, _LIKELY = 40, 0.5


class _Rank(NamedTuple):
    """Which sentences are worth keeping: more likely right than not, and of a good length; then the lot.

    The surest are no fair sample, and the first of a file are all of one product or month where it is sorted.
    The lot of a sentence hangs on nothing but its text.
    """

    is_likely: bool
    is_easy: bool
    lot: int
    earliness: int


class TopEvidence:
    """Representative sentences of one category and polarity, each once, that cover what there is."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[_Rank, Opinion]] = {}
        self._floor: _Rank | None = None

    def add(self, opinion: Opinion, order: int) -> None:
        """Keep a sentence if it ranks above one of those that are kept."""
        same = opinion.text.casefold().strip()
        lot = crc32(same.encode("utf-8", "replace"))
        is_likely = opinion.probability is None or opinion.probability >= _LIKELY
        rank = _Rank(is_likely, len(opinion.text) in _EASY_TO_READ, lot, -order)
        if self._floor and rank <= self._floor:
            return
        if same in self._found:
            rank = max(rank, self._found[same][0])
            opinion = opinion if rank.earliness == -order else self._found[same][1]
        self._found[same] = rank, opinion
        if len(self._found) > _CANDIDATES:
            del self._found[min(self._found, key=lambda text: self._found[text][0])]
        if len(self._found) == _CANDIDATES:
            self._floor = min(rank for rank, _ in self._found.values())

    def ranked(self) -> list[Evidence]:
        """Return the sentences; each next one shows most of what those before it do not."""
        left = [opinion for _, opinion in sorted(self._found.values(), reverse=True)]
        seen: Counter[tuple[str, str]] = Counter()
        chosen: list[Evidence] = []
        while left and len(chosen) < MAX_EVIDENCE:
            best = min(left, key=lambda opinion: sum(seen[each] for each in _describe_view(opinion)))
            left.remove(best)
            seen.update(_describe_view(best))
            chosen.append(_as_evidence(best))
        return chosen


def _describe_view(opinion: Opinion) -> list[tuple[str, str]]:
    """Return what a quote stands for: its review, group, month, rating and wording."""
    return [
        ("review", opinion.review),
        ("group", opinion.group),
        ("month", month_of(opinion.date)),
        ("rating", opinion.rating),
        ("opinion", opinion.opinion.casefold()),
        ("aspect", opinion.aspect.casefold()),
    ]


class CountsByName:
    """Opinions by polarity for each name."""

    def __init__(self) -> None:
        self._counts: dict[str, list[int]] = {}

    def add(self, name: str, kind: int, number: int = 1) -> None:
        """Count opinions of one polarity."""
        self._counts.setdefault(name, [0, 0, 0])[kind] += number

    def __getitem__(self, name: str) -> PolarityCounts:
        return PolarityCounts(*self._counts.get(name, (0, 0, 0)))

    def ranked(self) -> list[str]:
        """Return the names, those with the most opinions first."""
        return sorted(self._counts, key=lambda name: -sum(self._counts[name]))

    def as_counts(self) -> dict[str, PolarityCounts]:
        """Return all counts by name, those with the most opinions first."""
        return {name: self[name] for name in self.ranked()}


class AggregateCollector:
    """Takes opinions one by one, then gives the parts of the aggregate."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._groups = {name: (CountsByName(), CountsByName()) for name in survey.group_names()}
        self._months = {name: CountsByName() for name in survey.month_names()}
        self._ratings = {name: CountsByName() for name in survey.rating_names()}
        self._categories = CountsByName()
        self._terms = TopCounter[tuple[str, str, int]](_COUNTED_WORDS)
        self._opinions = TopCounter[tuple[str, str, int]](_COUNTED_WORDS)
        self._edges = TopCounter[tuple[str, str, int, str]](_COUNTED_WORDS)
        self._best: defaultdict[tuple[str, int], TopEvidence] = defaultdict(TopEvidence)
        self._unnamed: Counter[str] = Counter()
        self._parents: dict[str, str] = {}
        self.opinions = self.left_out = 0
        self.without_aspect = self.without_opinion = 0

    def add(self, opinion: Opinion) -> None:
        """Count an opinion."""
        kind = _KINDS.index(opinion.polarity) if opinion.polarity in _KINDS else 2
        self.opinions += 1
        self._categories.add(opinion.category, kind)
        self._parents.setdefault(opinion.category, opinion.parent)
        term, word = normalise_term(opinion.aspect), " ".join(opinion.opinion.lower().split())
        if term:
            self._terms.add((opinion.category, term, kind))
        if word:
            self._opinions.add((opinion.category, word, kind))
        # a term of marks alone is none, but it is named
        if (term or word) and bool(opinion.aspect) == bool(term) and bool(opinion.opinion) == bool(word):
            self._edges.add((term, word, kind, opinion.category))
        if not opinion.aspect:
            self.without_aspect += 1
            self._unnamed[opinion.category] += 1
        self.without_opinion += not opinion.opinion
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

    def counts(self) -> PolarityCounts:
        """Return all opinions by polarity."""
        return _sum(self._categories.as_counts().values())

    def categories(self) -> tuple[Category, ...]:
        """Return the categories with what is said of them."""
        terms, opinions = _name(self._terms, MAX_CATEGORY_TERMS), _name(self._opinions, MAX_OPINIONS)
        return tuple(
            Category(
                name,
                counts,
                terms.get(name, ()),
                opinions.get(name, ()),
                tuple(found for kind in range(3) for found in self._best[name, kind].ranked()),
                self._unnamed[name],
                self._parents.get(name, ""),
            )
            for name, counts in sorted(self._categories.as_counts().items(), key=_is_rest)
        )

    def groups(self) -> tuple[Slice, ...]:
        """Return the groups with the most reviews."""
        return tuple(
            _slice(name, self._survey.groups[name], categories, dict(sorted(months.as_counts().items())))
            for name, (categories, months) in self._groups.items()
        )

    def months(self) -> tuple[Slice, ...]:
        """Return the months, in order."""
        return tuple(_slice(name, self._survey.months[name], found) for name, found in self._months.items())

    def ratings(self) -> tuple[Slice, ...]:
        """Return the ratings, in order."""
        return tuple(_slice(name, self._survey.ratings[name], found) for name, found in self._ratings.items())

    def edges(self) -> tuple[OpinionPair, ...]:
        """Return the most frequent links of a term and an opinion."""
        return tuple(
            OpinionPair(term, word, _KINDS[kind], category, count)
            for (term, word, kind, category), count in self._edges.top(MAX_EDGES)
        )


def _is_rest(item: tuple[str, PolarityCounts]) -> bool:
    """Return whether this is a category of what fits none, which comes last."""
    return item[0] in REST


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
        category="" if opinion.aspect else spell_category(opinion.predicted_category) or NOT_NAMED,
    )


def _within(sentence: int, start: int | None, end: int | None) -> tuple[int, int] | None:
    return None if start is None or end is None else (start - sentence, end - sentence)


def _slice(
    name: str, reviews: int, found: CountsByName, months: Mapping[str, PolarityCounts] | None = None
) -> Slice:
    categories = found.as_counts()
    return Slice(name, reviews, _sum(categories.values()), categories, months or {})


def _sum(counts: Iterable[PolarityCounts]) -> PolarityCounts:
    found = list(counts)
    return PolarityCounts(*(sum(getattr(each, kind) for each in found) for kind in _KINDS))


def _name(counter: TopCounter[tuple[str, str, int]], most: int) -> dict[str, tuple[TermCounts, ...]]:
    """Return the most frequent words of each category with their polarities."""
    tallies: defaultdict[str, CountsByName] = defaultdict(CountsByName)
    for (category, word, kind), count in counter.top():
        tallies[category].add(word, kind, count)
    return {
        category: tuple(TermCounts(word, found[word]) for word in found.ranked()[:most])
        for category, found in tallies.items()
    }
