"""Insights: planted changes and drivers are named, chance is not; figures are those of another library."""

from pathlib import Path

import numpy as np
import pytest
import statsmodels.api as sm

from aspectlab.analysis.aggregate import Aggregate, Insights, aggregate_from_dict, aggregate_to_dict
from aspectlab.analysis.insights import find_changes, find_insights
from aspectlab.analysis.overview import render_glance
from aspectlab.stats import robust_regression
from benchmarks.planted import Planted, make_set, summarise

ROOT = Path(__file__).parent.parent.parent


def tell(planted: Planted) -> tuple[Insights, Aggregate]:
    aggregate = summarise(planted.reviews)
    return find_insights(planted.reviews, aggregate), aggregate


@pytest.mark.parametrize("seed", [2, 3, 4])
def test_planted_change_is_named_with_its_group(seed: int) -> None:
    planted = make_set(seed, 1_200, "change")
    found, _ = tell(planted)
    assert [(each.category, each.group) for each in found.changes] == [planted.change[:2]]


def test_change_counts_reviews_before_and_since() -> None:
    planted = make_set(3, 1_200, "change")
    change = tell(planted)[0].changes[0]
    assert change.kind == "turn"
    verdicts = [
        (review.month >= change.since, opinion.polarity == "positive")
        for review in planted.reviews
        for opinion in review.opinions
        if (opinion.category, review.group) == (change.category, change.group)
    ]
    # a review holds an aspect at most once here
    assert change.trials == (
        len(verdicts) - sum(late for late, _ in verdicts),
        sum(late for late, _ in verdicts),
    )
    assert change.hits[0] == sum(good for late, good in verdicts if not late)


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_planted_driver_is_named_with_about_its_stars(seed: int) -> None:
    planted = make_set(seed, 1_200, "driver")
    clear = [each for each in tell(planted)[0].drivers if each.is_clear]
    assert [(each.category, each.side) for each in clear] == [(planted.driver, "blame")]
    # 1.2 stars were planted; a rating of 5 stars at most hides some of them
    assert clear[0].stars == pytest.approx(-1.1, abs=0.3)
    assert clear[0].low < clear[0].stars < clear[0].high < 0


@pytest.mark.parametrize("seed", range(4))
def test_chance_is_no_story(seed: int) -> None:
    found, aggregate = tell(make_set(seed, 600, "empty"))
    assert found.changes == ()
    assert not [each for each in found.drivers if each.is_clear]
    assert "No change of an aspect is clear" in render_glance(aggregate_with(aggregate, found))


def aggregate_with(aggregate: Aggregate, found: Insights) -> Aggregate:
    record = aggregate_to_dict(aggregate) | {"insights": aggregate_to_dict_of(found)}
    return aggregate_from_dict(record)


def aggregate_to_dict_of(found: Insights) -> object:
    return aggregate_to_dict(Aggregate("", *_EMPTY, insights=found))["insights"]


_EMPTY = (summarise([]).totals, summarise([]).counts)


def test_turn_of_one_hotel_is_named_once() -> None:
    # by hand: +7 -0 before July and +0 -8 since, in one group of two; the chance of a split as clear is that
    # of the two perfect orders of 15 among C(15, 7) = 6,435
    cells = np.zeros((3, 1, 12, 4), dtype=np.int64)
    cells[1, 0, :6] = [[1, 0, 1, 0]] * 5 + [[2, 0, 2, 0]]
    cells[1, 0, 6:] = [[0, 1, 0, 1]] * 4 + [[0, 2, 0, 2]] * 2
    cells[0] = cells.sum(axis=0)
    reviews = np.full((3, 12), 3, dtype=np.int64)
    months = [f"2025-{k:02}" for k in range(1, 13)]
    (change,) = find_changes(["breakfast"], ["Belmora", "Cara"], months, cells, reviews)
    assert (change.category, change.group, change.since) == ("breakfast", "Belmora", "2025-07")
    assert (change.hits, change.trials) == ((7, 0), (7, 8))
    # the weights of at most three questions of it are 1, 0.4 and 0.2
    assert 2 / 6435 / 2 < change.p < 1.6 * 4 * 2 / 6435


def test_regression_equals_that_of_statsmodels() -> None:
    rng = np.random.default_rng(5)
    said = (rng.random((150, 4)) < [0.4, 0.3, 0.2, 0.1]).astype(float)
    controls = (rng.random((150, 2)) < 0.3).astype(float)
    ratings = 4 - said @ [1, 0.5, 0, 0.2] + rng.normal(0, 0.5 + said[:, 0])
    coefficients, errors = robust_regression(said, ratings, controls)
    fit = sm.OLS(ratings, np.hstack([said, np.ones((150, 1)), controls])).fit()
    assert coefficients == pytest.approx(fit.params[:4], abs=1e-9)
    assert errors == pytest.approx(fit.HC3_se[:4], abs=1e-9)


def test_aspects_that_always_come_together_are_not_told_apart() -> None:
    planted = make_set(1, 600, "driver")
    for review in planted.reviews:
        for opinion in list(review.opinions):
            if opinion.category == planted.driver:
                review.opinions.append(opinion._replace(category="aspect l"))
            elif opinion.category == "aspect l":
                review.opinions.remove(opinion)
    drivers = tell(planted)[0].drivers
    twins = {each.category: each for each in drivers if each.side == "blame" and each.twin}
    assert set(twins) == {planted.driver, "aspect l"}
    assert not any(each.is_clear for each in twins.values())


def test_too_few_ratings_are_said() -> None:
    found, aggregate = tell(make_set(1, 30, "driver"))
    assert found.drivers == ()
    assert "30 reviews with a rating are too few" in render_glance(aggregate_with(aggregate, found))


def test_insights_read_back() -> None:
    found, aggregate = tell(make_set(3, 1_200, "change"))
    assert aggregate_with(aggregate, found).insights == found
