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
class AuditedShare:
    """The share of positive opinions with an interval that covers errors of the model too, and its note."""

    value: float
    low: float
    high: float
    note: str


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
    audit: AuditedShare | None = None


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
class Standing:
    """A strength or weakness: an aspect, what stands out, and the group that most of it is from."""

    category: str
    polarity: str
    counts: PolarityCounts
    group: str = ""
    group_count: int = 0


@dataclass(frozen=True, slots=True)
class TurningPoint:
    """What changed of an aspect, in a group or, with "", in all reviews; the first period of the new state.

    Of the kind `turn`, praise counts against blame; of `blame` and `praise`, all reviews are the trials.
    `hits` and `trials` count reviews before and after; `p` is corrected for the number of tests.
    """

    category: str
    group: str
    kind: str
    since: str
    hits: tuple[int, int]
    trials: tuple[int, int]
    p: float


@dataclass(frozen=True, slots=True)
class RatingDriver:
    """By how many stars a review differs that praises or blames an aspect, all else in it held equal."""

    category: str
    side: str
    reviews: int
    share: float
    stars: float
    low: float
    high: float
    p: float
    is_clear: bool
    twin: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """The opinions on an aspect by period, in a group or, with "", in all reviews."""

    group: str
    category: str
    counts: tuple[PolarityCounts, ...]


@dataclass(frozen=True, slots=True)
class Insights:
    """What the first screen of the report says, and the opinions by aspect, group and period behind it."""

    periods: tuple[str, ...] = ()
    strengths: tuple[Standing, ...] = ()
    weaknesses: tuple[Standing, ...] = ()
    changes: tuple[TurningPoint, ...] = ()
    drivers: tuple[RatingDriver, ...] = ()
    history: tuple[History, ...] = ()
    notes: tuple[str, ...] = ()
    rated: int = 0
    rating: float = 0.0


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
    insights: Insights = field(default_factory=Insights)
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
Flat = TypeVar(
    "Flat", PolarityCounts, Totals, OpinionPair, Evidence, Standing, TurningPoint, RatingDriver, AuditedShare
)

_KINDS: dict[object, tuple[type, ...]] = {str: (str,), int: (int,), float: (float, int), bool: (bool,)}
# not `fields`, which names kinds by strings in a module that postpones its annotations
_FLAT = (PolarityCounts, Totals, OpinionPair, Evidence, Standing, TurningPoint, RatingDriver, AuditedShare)
_FIELDS = {kind: get_type_hints(kind) for kind in _FLAT}
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
        insights=_insights(record.get("insights", {})),
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
        audit=_flat(AuditedShare, record["audit"]) if record.get("audit") else None,
    )


def _insights(value: object) -> Insights:
    """Take insights; an analysis of an earlier version has none."""
    record = _as(dict, value)
    if not record:
        return Insights()
    return Insights(
        periods=tuple(_as(str, name) for name in _each(record["periods"])),
        strengths=tuple(map(_standing, _each(record["strengths"]))),
        weaknesses=tuple(map(_standing, _each(record["weaknesses"]))),
        changes=tuple(map(_change, _each(record["changes"]))),
        drivers=tuple(_flat(RatingDriver, each) for each in _each(record["drivers"])),
        history=tuple(map(_history, _each(record["history"]))),
        notes=tuple(_as(str, note) for note in _each(record["notes"])),
        rated=_as(int, record["rated"]),
        rating=float(_as(float, record["rating"])),
    )


def _standing(value: object) -> Standing:
    record = _as(dict, value)
    return _flat(Standing, {**record, "counts": _counts(record["counts"])})


def _change(value: object) -> TurningPoint:
    record = dict(_as(dict, value))
    for part in ("hits", "trials"):
        before, after = record[part]
        record[part] = (_as(int, before), _as(int, after))
    return _flat(TurningPoint, record)


def _history(value: object) -> History:
    record = _as(dict, value)
    counts = tuple(map(_counts, _each(record["counts"])))
    return History(_as(str, record["group"]), _as(str, record["category"]), counts)


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
    # a driver may cost stars
    low = -_MOST if kind is RatingDriver else 0
    for name, wanted in _FIELDS[kind].items():
        if wanted in _KINDS and name in record:
            _check(_KINDS[wanted], record[name], low)
    return kind(**record)


def _each(value: object) -> list[object]:
    return list(value) if isinstance(value, tuple) else _as(list, value)


def _as(kind: type[T], value: object) -> T:
    _check((kind,), value)
    assert isinstance(value, kind)
    return value


def _check(kinds: tuple[type, ...], value: object, low: int = 0) -> None:
    # true is a number to Python; NaN is neither small nor large
    is_fit = not isinstance(value, int | float) or low <= value <= _MOST
    if not isinstance(value, kinds) or (isinstance(value, bool) and bool not in kinds) or not is_fit:
        raise TypeError(f"{value!r:.40}")
