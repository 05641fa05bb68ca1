"""Decomposition of splits x seeds: hand counts, scipy, and the published tables it must reproduce."""

import csv

import numpy as np
import pytest
from hypothesis import given, strategies as st
from scipy.stats import f_oneway

from aspectlab.errors import DataError
from aspectlab.stats import Decomposition, decompose, decompose_summary
from tests.support.published_data import PUBLISHED_SPLITS

# Tables 2 and 3 of "On the current state of reproducibility and reporting of uncertainty for Aspect-based
# Sentiment Analysis": five splits of five runs, each with mean and std, and the overall mean and std.
# NA marks cells that cannot be read in the paper's text.
TABLE = PUBLISHED_SPLITS.read_text(encoding="utf-8")
PUBLISHED = list(csv.DictReader(TABLE.splitlines()))
READABLE = [row for row in PUBLISHED if "NA" not in row.values()]


def name_of(row: dict[str, str]) -> str:
    return f"{row['model']} {row['dataset']} {row['metric']}"


# one printed value of each of these rows contradicts the others of the same row
WRONG_STD = {"BERT+TFM ARTS Restaurants ARS Accuracy": (2.94, 2.47)}
WRONG_MEAN = {
    "CapsNet-BERT ARTS Laptops Accuracy=F1 Micro": (79.77, 70.76),
    "GRACE ARTS Restaurants ATE F1 Micro": (50.83, 50.80),
}
BY_NAME = {name_of(row): row for row in READABLE}


def decompose_row(row: dict[str, str]) -> Decomposition:
    means = [float(row[f"mean{split}"]) for split in range(1, 6)]
    stds = [float(row[f"std{split}"]) for split in range(1, 6)]
    return decompose_summary(means, stds, 5)


def test_published_tables_have_88_readable_rows() -> None:
    assert (len(PUBLISHED), len(READABLE), len(BY_NAME)) == (91, 88, 88)


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - WRONG_STD.keys()))
def test_decompose_summary_gives_the_published_std(name: str) -> None:
    assert decompose_row(BY_NAME[name]).std == pytest.approx(float(BY_NAME[name]["std"]), abs=0.015)


@pytest.mark.parametrize("name", sorted(BY_NAME.keys() - WRONG_MEAN.keys()))
def test_decompose_summary_gives_the_published_mean(name: str) -> None:
    # six rounded numbers: 0.005 each for the mean of five and for the printed mean
    assert decompose_row(BY_NAME[name]).mean == pytest.approx(float(BY_NAME[name]["mean"]), abs=0.0101)


@pytest.mark.parametrize("name", WRONG_STD)
def test_published_std_that_contradicts_its_row_is_still_found_out(name: str) -> None:
    printed, computed = WRONG_STD[name]
    assert float(BY_NAME[name]["std"]) == printed
    assert decompose_row(BY_NAME[name]).std == pytest.approx(computed, abs=0.005)


@pytest.mark.parametrize("name", WRONG_MEAN)
def test_published_mean_that_contradicts_its_row_is_still_found_out(name: str) -> None:
    printed, computed = WRONG_MEAN[name]
    assert float(BY_NAME[name]["mean"]) == printed
    assert decompose_row(BY_NAME[name]).mean == pytest.approx(computed, abs=0.005)


def test_decompose_gives_hand_counted_parts() -> None:
    # split means 2 and 6; squares about the mean 4: 9 1 1 9; inside: 1 + 1 + 1 + 1, on 2 degrees of freedom
    spread = decompose([[1, 3], [5, 7]])
    assert (spread.mean, spread.n, spread.splits, spread.minimum, spread.maximum) == (4, 4, 2, 1, 7)
    assert spread.std == pytest.approx((20 / 3) ** 0.5)
    assert spread.within == pytest.approx(2**0.5)
    assert spread.between == pytest.approx(8**0.5)
    assert spread.component == pytest.approx(8 - 2 / 2)


def test_decompose_component_is_zero_if_splits_differ_less_than_seeds() -> None:
    assert decompose([[1, 9], [2, 8]]).component == 0.0


def test_decompose_of_unequal_splits_follows_the_one_way_layout() -> None:
    runs = [[1.0, 2.0, 4.0], [6.0, 8.0], [5.0, 9.0, 7.0, 8.0]]
    spread = decompose(runs)
    assert spread.within is not None
    size = (9 - (9 + 4 + 16) / 9) / 2
    expected = spread.within**2 * (f_oneway(*runs).statistic - 1) / size
    assert spread.component == pytest.approx(expected)


def test_decompose_of_one_split_has_no_between() -> None:
    spread = decompose([[1.0, 2.0, 3.0]])
    assert (spread.std, spread.within, spread.between, spread.component) == (1.0, 1.0, None, None)


def test_decompose_of_one_run_per_split_has_no_within() -> None:
    spread = decompose([[1.0], [2.0], [3.0]])
    assert (spread.std, spread.within, spread.between, spread.component) == (1.0, None, 1.0, None)


def test_decompose_of_a_single_run_has_a_mean_only() -> None:
    spread = decompose([[5.0]])
    assert (spread.mean, spread.std, spread.within, spread.between, spread.n) == (5.0, None, None, None, 1)


def test_decompose_of_equal_runs_has_no_spread_at_all() -> None:
    # the plain mean of three 0.1 is not 0.1, which would leave a spread of 1e-17
    spread = decompose(np.full((5, 3), 0.1))
    assert (spread.mean, spread.std, spread.within, spread.between, spread.component) == (0.1, 0, 0, 0, 0)


@given(st.lists(st.lists(st.floats(0, 100), min_size=1, max_size=6), min_size=1, max_size=6))
def test_decompose_overall_is_that_of_all_runs(runs: list[list[float]]) -> None:
    spread, every = decompose(runs), np.concatenate(runs)
    assert spread.mean == pytest.approx(every.mean(), abs=1e-9)
    assert (spread.std is None) == (len(every) == 1)
    if spread.std is not None:
        assert spread.std == pytest.approx(every.std(ddof=1), abs=1e-9)


@given(st.lists(st.lists(st.floats(0, 100), min_size=2, max_size=5), min_size=2, max_size=5))
def test_decompose_summary_agrees_with_decompose(runs: list[list[float]]) -> None:
    means, stds = [np.mean(split) for split in runs], [np.std(split, ddof=1) for split in runs]
    summary, full = decompose_summary(means, stds, [len(split) for split in runs]), decompose(runs)
    assert summary.std == pytest.approx(full.std, abs=1e-9)
    assert summary.component == pytest.approx(full.component, abs=1e-6)


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        ([], "no splits"),
        ([[]], "split 1: found 0 values"),
        ([[1.0], [float("nan")]], "split 2: value 1 is nan"),
        ([80.0, 81.0], "split 1: found an array of shape"),
        ([["good"]], "expected a list of numbers"),
    ],
)
def test_decompose_refuses_what_is_not_runs(runs: list, message: str) -> None:
    with pytest.raises(DataError, match=message):
        decompose(runs)


@pytest.mark.parametrize("sizes", [0, [5], [5, 0], [5, 5, 5], [5.0, 5.0], []])
def test_decompose_summary_refuses_impossible_sizes(sizes: list | int) -> None:
    with pytest.raises(DataError, match="sizes"):
        decompose_summary([80.0, 81.0], [1.0, 1.0], sizes)


def test_decompose_summary_refuses_a_negative_std() -> None:
    with pytest.raises(DataError, match=r"std -1\.0"):
        decompose_summary([80.0, 81.0], [1.0, -1.0], 5)
