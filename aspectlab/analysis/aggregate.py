"""Aggregate: what reviews praise and blame, counted and with evidence; all that a report needs."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import TypeVar, get_type_hints

from aspectlab.data import PolarityCounts
from aspectlab.errors import DataError

FORMAT = 1
"""Changes when the fields below change their meaning."""


@dataclass(frozen=True, slots=True)
class TermCounts:
    """A term or an opinion word, and how often it is used with which polarity."""

    name: str
    counts: PolarityCounts


@dataclass(frozen=True, slots=True)
class Evidence:
    """A representative sentence; spans count characters of `text`, None stands for what is not in it.

    `category` stands in the place of an aspect that is not named, and is "" for one that is.
    """

    review: str
    group: str
    date: str
    rating: str
    text: str
    aspect: tuple[int, int] | None
    opinion: tuple[int, int] | None
    polarity: str
    probability: float
    category: str = ""


@dataclass(frozen=True, slots=True)
class Category:
    """One category: its terms, what is said of them, and the most representative sentences.

    `without_aspect` counts the opinions that belong here by their meaning, without a word for the aspect.
    `parent` is the category of the first level that it belongs to: itself, or "" in an older analysis, if it
    is one.
    """

    name: str
    counts: PolarityCounts
    terms: tuple[TermCounts, ...] = ()
    opinions: tuple[TermCounts, ...] = ()
    evidence: tuple[Evidence, ...] = ()
    without_aspect: int = 0
    parent: str = ""


@dataclass(frozen=True, slots=True)
class Slice:
    """The reviews of one group, month or rating; `months` is filled for groups only."""

    name: str
    reviews: int
    counts: PolarityCounts
    categories: Mapping[str, PolarityCounts] = field(default_factory=dict)
    months: Mapping[str, PolarityCounts] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OpinionPair:
    """A link of the graph: so often this is said of that; "" stands for what is not named."""

    aspect: str
    opinion: str
    polarity: str
    category: str
    count: int


@dataclass(frozen=True, slots=True)
class Totals:
    """What was read, and what was found in it; opinions that are left out are not among the opinions."""

    reviews: int
    sentences: int
    opinions: int
    reviews_with_opinions: int
    empty: int = 0
    broken: int = 0
    cut: int = 0
    without_aspect: int = 0
    without_opinion: int = 0
    left_out: int = 0


@dataclass(frozen=True, slots=True)
class Aggregate:
    """The result of an analysis without its rows; what is frequent comes first, months come in order."""

    title: str
    totals: Totals
    counts: PolarityCounts
    categories: tuple[Category, ...] = ()
    groups: tuple[Slice, ...] = ()
    months: tuple[Slice, ...] = ()
    ratings: tuple[Slice, ...] = ()
    edges: tuple[OpinionPair, ...] = ()
    settings: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[str, ...] = ()

    def sum_by_parent(self, counts: Mapping[str, PolarityCounts] | None = None) -> dict[str, PolarityCounts]:
        """Return counts of the first level: of all opinions, or of counts by category as a slice has them.

        >>> food = Category("food", PolarityCounts(1)), Category("tea", PolarityCounts(2), parent="food")
        >>> aggregate = Aggregate("a", Totals(1, 2, 3, 1), PolarityCounts(3), food)
        >>> aggregate.sum_by_parent()
        {'food': PolarityCounts(positive=3, negative=0, neutral=0)}
        """
        parents = {category.name: category.parent or category.name for category in self.categories}
        chosen = {each.name: each.counts for each in self.categories} if counts is None else counts
        found: dict[str, PolarityCounts] = {}
        for name, part in chosen.items():
            parent = parents.get(name, name)
            whole = found.get(parent, PolarityCounts())
            found[parent] = PolarityCounts(
                whole.positive + part.positive, whole.negative + part.negative, whole.neutral + part.neutral
            )
        return found


Record = Mapping[str, object]
T = TypeVar("T")
Flat = TypeVar("Flat", PolarityCounts, Totals, OpinionPair, Evidence)

_KINDS: dict[object, tuple[type, ...]] = {str: (str,), int: (int,), float: (float, int)}
# not `fields`, which names kinds by strings in a module that postpones its annotations
_FIELDS = {kind: get_type_hints(kind) for kind in (PolarityCounts, Totals, OpinionPair, Evidence)}
_MOST = 1 << 53  # more than anyone has reviews, and exact in every kind of number


def aggregate_to_dict(aggregate: Aggregate) -> dict[str, object]:
    """Serialize an aggregate to what JSON can hold."""
    return {"format": FORMAT, **asdict(aggregate)}


def aggregate_from_dict(record: object) -> Aggregate:
    """Deserialize an aggregate from what JSON holds.

    >>> aggregate = Aggregate("a", Totals(1, 2, 1, 1), PolarityCounts(1), (Category("food",
    ...     PolarityCounts(1)),))
    >>> aggregate_from_dict(aggregate_to_dict(aggregate)) == aggregate
    True
    """
    try:
        return _read_aggregate(_as(dict, record))
    except (KeyError, TypeError, ValueError) as error:
        expected = f"an analysis of format {FORMAT}; make it again"
        raise DataError(
            f"analysis: found a record that lacks or changes {error}: expected {expected}"
        ) from None


def _read_aggregate(record: Record) -> Aggregate:
    if record["format"] != FORMAT:
        raise ValueError(f"'format' ({record['format']!r})")
    return Aggregate(
        title=_as(str, record["title"]),
        totals=_flat(Totals, record["totals"]),
        counts=_counts(record["counts"]),
        categories=tuple(map(_category, _each(record["categories"]))),
        groups=tuple(map(_slice, _each(record["groups"]))),
        months=tuple(map(_slice, _each(record["months"]))),
        ratings=tuple(map(_slice, _each(record["ratings"]))),
        edges=tuple(_flat(OpinionPair, edge) for edge in _each(record["edges"])),
        settings={name: _as(str, value) for name, value in _as(dict, record["settings"]).items()},
        notices=tuple(_as(str, notice) for notice in _each(record["notices"])),
    )


def _category(value: object) -> Category:
    record = _as(dict, value)
    return Category(
        name=_as(str, record["name"]),
        counts=_counts(record["counts"]),
        terms=tuple(map(_named, _each(record["terms"]))),
        opinions=tuple(map(_named, _each(record["opinions"]))),
        evidence=tuple(map(_evidence, _each(record["evidence"]))),
        without_aspect=_as(int, record.get("without_aspect", 0)),
        parent=_as(str, record.get("parent", "")),
    )


def _slice(value: object) -> Slice:
    record = _as(dict, value)
    return Slice(
        name=_as(str, record["name"]),
        reviews=_as(int, record["reviews"]),
        counts=_counts(record["counts"]),
        categories={name: _counts(counts) for name, counts in _as(dict, record["categories"]).items()},
        months={name: _counts(counts) for name, counts in _as(dict, record["months"]).items()},
    )


def _evidence(value: object) -> Evidence:
    record = dict(_as(dict, value))
    for part in ("aspect", "opinion"):
        if record[part] is not None:
            start, end = record[part]
            record[part] = (_as(int, start), _as(int, end))
    return _flat(Evidence, record)


def _named(value: object) -> TermCounts:
    record = _as(dict, value)
    return TermCounts(_as(str, record["name"]), _counts(record["counts"]))


def _counts(value: object) -> PolarityCounts:
    return _flat(PolarityCounts, value)


def _flat(kind: type[Flat], value: object) -> Flat:
    """Take an object whose strings and numbers are what the fields of a class say."""
    record = _as(dict, value)
    for name, wanted in _FIELDS[kind].items():
        if wanted in _KINDS and name in record:
            _check(_KINDS[wanted], record[name])
    return kind(**record)


def _each(value: object) -> list[object]:
    return list(value) if isinstance(value, tuple) else _as(list, value)


def _as(kind: type[T], value: object) -> T:
    _check((kind,), value)
    assert isinstance(value, kind)
    return value


def _check(kinds: tuple[type, ...], value: object) -> None:
    # true is a number to Python; NaN is neither small nor large
    is_fit = not isinstance(value, int | float) or 0 <= value <= _MOST
    if not isinstance(value, kinds) or isinstance(value, bool) or not is_fit:
        raise TypeError(f"{value!r:.40}")
