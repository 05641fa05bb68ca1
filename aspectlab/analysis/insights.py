"""Insights: what is strong and weak, what changed and since when, and what goes along with the rating.

Every finding is tested, and corrected for the number of tests. A review counts once in a test, however many
opinions it holds: opinions of one review are not independent.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import comb

import numpy as np
from numpy.typing import NDArray

from aspectlab.analysis.aggregate import (
    Aggregate,
    History,
    Insights,
    RatingDriver,
    Standing,
    TurningPoint,
)
from aspectlab.analysis.evidence import POLARITIES, JoinedReview
from aspectlab.analysis.survey import MAX_GROUPS, parse_rating
from aspectlab.analysis.tables import MAX_CATEGORIES
from aspectlab.analysis.trends import month_number, time_axis_of
from aspectlab.data import PolarityCounts
from aspectlab.readers import REST
from aspectlab.reports import estimate_share
from aspectlab.stats import fisher_exact, holm, robust_regression, t_quantile, t_tail

ALPHA, DRIVER_ALPHA = 0.025, 0.01
"""So often, at most, a change or a driver is reported where there is none; see benchmarks/planted.py."""

_STANDINGS = 5
_LEAST_REVIEWS, _LEAST_SIDE = 8, 4
_FIRST_DRAWS, _DRAWS, _SEED = 1_000, 20_000, 20260101
_PROMISING = 2.0
_MOST_RATED, _LEAST_RATED, _PER_COLUMN, _LEAST_IN_COLUMN = 20_000, 40, 8, 8
_MAX_DRIVERS = 40
_INSEPARABLE = 0.9
_WEIGHTS = {"turn": 1.0, "blame": 1.0, "praise": 0.2}
_KIND_OF = {"positive": 0, "negative": 1, "neutral": 2}

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]


def find_insights(joined: Iterable[JoinedReview], aggregate: Aggregate) -> Insights:
    """Return what the first screen of the report says, from all reviews with their opinions."""
    counts = _Counts(aggregate)
    for review in joined:
        counts.add(review)
    drivers, notes = counts.ratings.find_drivers(counts.categories, counts.groups)
    return Insights(
        periods=tuple(counts.names),
        strengths=_find_standings(aggregate, "positive"),
        weaknesses=_find_standings(aggregate, "negative"),
        changes=tuple(
            find_changes(counts.categories, counts.groups, counts.names, counts.cells, counts.reviews)
        ),
        drivers=drivers,
        history=tuple(counts.history()),
        notes=notes,
        rated=counts.ratings.rated,
        rating=counts.ratings.mean,
    )


class _Counts:
    """Counts of reviews and opinions by scope, category and period; the first scope is all reviews."""

    def __init__(self, aggregate: Aggregate) -> None:
        named = [each.name for each in aggregate.categories if each.name not in REST]
        self.categories, self.groups = named[:MAX_CATEGORIES], [g.name for g in aggregate.groups[:MAX_GROUPS]]
        self._category = {name: number for number, name in enumerate(self.categories)}
        self._group = {name: number + 1 for number, name in enumerate(self.groups)}
        self._axis = time_axis_of(aggregate)
        self._period = {number: k for k, number in enumerate(self._axis.numbers)}
        self.names = [period.name for period in self._axis.join({})]
        shape = (len(self.groups) + 1, len(self.categories), len(self.names))
        # reviews by what they say of a category: praise prevails, blame prevails, any praise, any blame
        self.cells: Ints = np.zeros((*shape, 4), dtype=np.int64)
        self.reviews: Ints = np.zeros((shape[0], shape[2]), dtype=np.int64)
        self._opinions: Ints = np.zeros((*shape, len(POLARITIES)), dtype=np.int64)
        self.ratings = _Ratings(aggregate.totals.reviews)

    def add(self, review: JoinedReview) -> None:
        """Count a review."""
        group = self._group.get(review.group, 0)
        said: dict[int, list[int]] = {}
        for opinion in review.opinions:
            category = self._category.get(opinion.category)
            if category is not None:
                said.setdefault(category, [0, 0, 0])[_KIND_OF[opinion.polarity]] += 1
        self.ratings.add(review.rating, group, said)
        period = self._find_period(review)
        if period is None:
            return
        for scope in {0, group}:
            self.reviews[scope, period] += 1
            for category, (praise, blame, neutral) in said.items():
                verdict = praise > blame, blame > praise, praise > 0, blame > 0
                self.cells[scope, category, period] += verdict
                self._opinions[scope, category, period] += (praise, blame, neutral)

    def _find_period(self, review: JoinedReview) -> int | None:
        return self._period.get(month_number(review.month) // self._axis.size) if review.month else None

    def history(self) -> Iterator[History]:
        """Return the opinions of each category by period, in all and by group."""
        for scope, name in enumerate(("", *self.groups)):
            for category, counts in zip(self.categories, self._opinions[scope], strict=True):
                if counts.any():
                    yield History(name, category, tuple(PolarityCounts(*map(int, each)) for each in counts))


def _find_standings(aggregate: Aggregate, polarity: str) -> tuple[Standing, ...]:
    """Return the aspects with surely more praise, or blame, than all have; those with most of it first."""
    overall = getattr(aggregate.counts, polarity) / max(1, aggregate.counts.total)
    found: list[tuple[float, str]] = []
    for category in aggregate.categories[:MAX_CATEGORIES]:
        share = estimate_share(getattr(category.counts, polarity), category.counts.total)
        if category.name not in REST and share.low > overall:
            found.append((category.counts.total * (overall - share.value), category.name))
    return tuple(_stand(aggregate, name, polarity) for _, name in sorted(found)[:_STANDINGS])


def _stand(aggregate: Aggregate, name: str, polarity: str) -> Standing:
    """Name the group that most of the praise or blame is from, where there are several."""
    counts = next(each.counts for each in aggregate.categories if each.name == name)
    by_group = {
        group.name: getattr(group.categories[name], polarity)
        for group in aggregate.groups
        if name in group.categories
    }
    total = getattr(counts, polarity)
    largest = max(by_group, key=lambda each: by_group[each], default="")
    is_most = len(aggregate.groups) > 1 and bool(by_group) and 2 * by_group[largest] > total
    return Standing(name, polarity, counts, largest if is_most else "", by_group[largest] if is_most else 0)


@dataclass(frozen=True, slots=True)
class _Test:
    """One question of change: in which scope, of what, and the successes and trials of each period."""

    scope: int
    category: int
    kind: str
    hits: Ints
    trials: Ints


def find_changes(
    categories: Sequence[str], groups: Sequence[str], periods: Sequence[str], cells: Ints, reviews: Ints
) -> list[TurningPoint]:
    """Test for every aspect, in all and by group, whether and since when it changed; corrected for many.

    `cells` counts reviews [scope, category, period, 4], `reviews` those of scope and period. The statistic is
    the clearest split of the time in two; its p value is that of the best of all splits, by permutation.
    """
    tests = list(_make_tests(cells, reviews))
    rng = np.random.default_rng(_SEED)
    # Bonferroni, weighted: what is praised more or less than before is the least of news
    whole = sum(_WEIGHTS[test.kind] for test in tests)
    found = (_scan(test, rng) for test in tests)
    corrected = (replace(each, p=min(1.0, each.p * whole / _WEIGHTS[each.test.kind])) for each in found)
    clear = [each for each in corrected if each.p <= ALPHA]
    return [
        TurningPoint(
            categories[each.test.category],
            ["", *groups][each.test.scope],
            each.test.kind,
            since=periods[each.split + 1],
            hits=(int(each.test.hits[: each.split + 1].sum()), int(each.test.hits[each.split + 1 :].sum())),
            trials=(
                int(each.test.trials[: each.split + 1].sum()),
                int(each.test.trials[each.split + 1 :].sum()),
            ),
            p=each.p,
        )
        for each in _drop_repeated(clear)
    ]


def _make_tests(cells: Ints, reviews: Ints) -> Iterator[_Test]:
    """Return the questions that could be answered at all: the number of the others must not cost power."""
    scopes, categories, periods, _ = cells.shape
    candidates: list[tuple[float, _Test]] = []
    for scope in range(scopes if periods > 1 else 0):
        for category in range(categories):
            praise, blame, any_praise, any_blame = cells[scope, category].T
            # what is said of one group only is the same question twice
            if scope == 0 and cells[1:, category].sum() and _is_one_group(cells[1:, category]):
                continue
            for kind, hits, trials in (
                ("turn", praise, praise + blame),
                ("blame", any_blame, reviews[scope]),
                ("praise", any_praise, reviews[scope]),
            ):
                test = _Test(scope, category, kind, hits, trials)
                if _is_worth(test):
                    candidates.append((_least_p(test) / _WEIGHTS[kind], test))
    # Tarone's correction: drop what could not be clear even if all of it lay on one side
    candidates.sort(key=lambda pair: pair[0])
    whole = 0.0
    for least, test in candidates:
        whole += _WEIGHTS[test.kind]
        if least * whole > ALPHA:
            return
        yield test


def _is_one_group(cells: Ints) -> bool:
    by_group = cells[..., 2:].sum(axis=(1, 2))
    return bool(by_group.max() >= 0.95 * by_group.sum())


def _is_worth(test: _Test) -> bool:
    hits, trials = int(test.hits.sum()), int(test.trials.sum())
    return trials >= _LEAST_REVIEWS and min(hits, trials - hits) >= _LEAST_SIDE


def _least_p(test: _Test) -> float:
    """Return the chance of the clearest possible split: all hits on one side."""
    hits, trials = int(test.hits.sum()), int(test.trials.sum())
    return min(1.0, 2 / comb(trials, hits)) if trials < 1_000 else 0.0


@dataclass(frozen=True, slots=True)
class _Split:
    """The clearest split of a question: the last period before it, its p value, and a bound of that."""

    test: _Test
    split: int
    p: float
    bound: float


def _scan(test: _Test, rng: np.random.Generator) -> _Split:
    """Return the clearest split, and the chance that the best split of the same reviews is as clear."""
    trials, total, hits = np.cumsum(test.trials)[:-1], int(test.trials.sum()), int(test.hits.sum())
    is_open = (trials >= _LEAST_SIDE) & (total - trials >= _LEAST_SIDE)
    spread = trials * (total - trials) * hits * (total - hits) / (total**2 * (total - 1.0))
    scale = np.where(is_open, 1 / np.sqrt(np.where(is_open, spread, 1.0)), 0.0)

    def clearness(drawn: Ints) -> Floats:
        """Return how far each split of each draw [N, K] lies from what is expected, in deviations."""
        gaps: Floats = np.abs(np.cumsum(drawn, axis=1)[:, :-1] - hits * trials / total) * scale
        return gaps

    found = clearness(test.hits[None, :])[0]
    split = int(found.argmax())
    if found[split] < _PROMISING:
        return _Split(test, split, 1.0, 1.0)
    before, n = int(test.hits[: split + 1].sum()), int(trials[split])
    bound = min(1.0, int(is_open.sum()) * fisher_exact(before, n, hits - before, total - n))
    # so small a bound needs no draws
    if bound < 1 / (10 * _DRAWS):
        return _Split(test, split, bound, bound)
    reached = drawn = 0
    for draws in (_FIRST_DRAWS, _DRAWS):
        # many that reach it tell enough
        if reached <= _FIRST_DRAWS // 50:
            made = rng.multivariate_hypergeometric(test.trials, hits, size=draws, method="marginals")
            reached += int((clearness(made).max(axis=1) >= found[split] - 1e-9).sum())
            drawn += draws
    return _Split(test, split, min(bound, (1 + reached) / (1 + drawn)), bound)


def _drop_repeated(clear: Sequence[_Split]) -> Iterator[_Split]:
    """Keep of each aspect what is clearest: either all reviews, or the groups that changed, each once."""
    ranked = sorted(clear, key=lambda each: each.bound)
    seen: dict[int, set[int]] = {}
    for each in ranked:
        scopes = seen.setdefault(each.test.category, set())
        # where all changed, groups add nothing; where a group did, all are but its echo
        if each.test.scope in scopes or 0 in scopes or (each.test.scope == 0 and scopes):
            continue
        scopes.add(each.test.scope)
        yield each


class _Ratings:
    """Reviews with a rating as codes of what each praises and blames: bytes, not objects."""

    def __init__(self, reviews: int) -> None:
        self._every = -(-reviews // _MOST_RATED) or 1
        self._seen = self.rated = 0
        self._sum = 0.0
        self._ratings, self._groups, self._codes, self._ends = array("d"), array("B"), array("B"), array("L")

    @property
    def mean(self) -> float:
        """The mean rating."""
        return self._sum / self.rated if self.rated else 0.0

    def add(self, rating: str, group: int, said: dict[int, list[int]]) -> None:
        """Take a review; of very many, every so-manieth."""
        value = parse_rating(rating)
        if value is None:
            return
        self.rated += 1
        self._sum += value
        self._seen += 1
        if self._seen % self._every:
            return
        self._ratings.append(value)
        self._groups.append(group)
        for category, (praise, blame, _) in said.items():
            self._codes.extend(2 * category + side for side, count in enumerate((praise, blame)) if count)
        self._ends.append(len(self._codes))

    def find_drivers(
        self, categories: Sequence[str], groups: Sequence[str]
    ) -> tuple[tuple[RatingDriver, ...], tuple[str, ...]]:
        """Regress the rating on what is praised and blamed, groups held equal; or say why not."""
        ratings = np.array(self._ratings)
        if len(ratings) < _LEAST_RATED:
            return (), (f"{self.rated:,} reviews with a rating are too few to tell what goes along with it",)
        if np.ptp(ratings) == 0:
            return (), ("all ratings are the same: nothing goes along with them",)
        said, codes = self._design(len(ratings), len(categories))
        dummies = self._dummies(len(groups))
        room = len(ratings) // _PER_COLUMN - 1 - dummies.shape[1]
        often = np.argsort(-said.sum(axis=0), kind="stable")[: max(0, min(room, _MAX_DRIVERS))]
        kept = [
            int(k) for k in often if _LEAST_IN_COLUMN <= said[:, k].sum() <= len(ratings) - _LEAST_IN_COLUMN
        ]
        if not kept:
            return (), (
                "no aspect is praised or blamed often enough to tell what goes along with the rating",
            )
        names = [(categories[codes[k] // 2], ("praise", "blame")[codes[k] % 2]) for k in kept]
        return tuple(_rank_drivers(names, ratings, said[:, kept], dummies)), ()

    def _design(self, rows: int, categories: int) -> tuple[Floats, list[int]]:
        """Return which review says what, [N, 2C] in zeros and ones, of the codes that occur."""
        codes, ends = np.array(self._codes, dtype=np.int64), np.array(self._ends, dtype=np.int64)
        counts = np.bincount(codes, minlength=2 * categories)
        kept = [int(k) for k in np.argsort(-counts, kind="stable")[: 2 * _MAX_DRIVERS] if counts[k]]
        column = np.full(2 * categories, -1)
        column[kept] = np.arange(len(kept))
        said: Floats = np.zeros((rows, len(kept)))
        owners, places = np.repeat(np.arange(rows), np.diff(ends, prepend=0)), column[codes]
        said[owners[places >= 0], places[places >= 0]] = 1
        return said, kept

    def _dummies(self, number: int) -> Floats:
        """Return a column for each group but the largest, so that groups are compared within themselves."""
        groups = np.array(self._groups)
        sizes = np.bincount(groups, minlength=number + 1)
        kept = [int(k) for k in np.argsort(-sizes, kind="stable") if sizes[k] >= _LEAST_IN_COLUMN][1:]
        dummies: Floats = (groups[:, None] == np.array(kept, dtype=int)[None, :]).astype(float)
        return dummies


def _find_twins(said: Floats) -> list[int]:
    """Return for each column the one that it cannot be told apart from, or -1."""
    if said.shape[1] < 2:
        return [-1]
    alike = np.abs(np.corrcoef(said.T))
    np.fill_diagonal(alike, 0)
    return [int(k) if alike[n, k] > _INSEPARABLE else -1 for n, k in enumerate(alike.argmax(axis=1))]


def _rank_drivers(
    names: Sequence[tuple[str, str]], ratings: Floats, said: Floats, dummies: Floats
) -> list[RatingDriver]:
    """Return all columns as drivers; those that cost or bring most of the mean rating come first."""
    stars, errors = robust_regression(said, ratings, dummies)
    often, twins = said.sum(axis=0), _find_twins(said)
    # the error of a rare column rests on its few reviews only
    free = [float(max(1, min(count, len(said) - count) - 1)) for count in often]
    corrected = holm([min(1.0, 2 * t_tail(abs(stars[k] / errors[k]), f)) for k, f in enumerate(free)])
    found = []
    for k, (category, side) in enumerate(names):
        reach = t_quantile(0.025, free[k]) * errors[k]
        # that praise costs stars is no story: another thing is behind it
        is_clear = corrected[k] <= DRIVER_ALPHA and twins[k] < 0 and (stars[k] > 0) == (side == "praise")
        found.append(
            RatingDriver(
                category,
                side,
                reviews=int(often[k]),
                share=float(often[k] / len(said)),
                stars=float(stars[k]),
                low=float(stars[k] - reach),
                high=float(stars[k] + reach),
                p=float(corrected[k]),
                is_clear=bool(is_clear),
                twin=" of ".join(names[twins[k]][::-1]) if twins[k] >= 0 else "",
            )
        )
    return sorted(found, key=lambda each: -abs(each.stars * each.share))
