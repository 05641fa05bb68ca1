"""Table 7 of the ARTS paper (Xing et al., 2020), Restaurant, from the predictions that its authors released.

The table of the published cells and stars lies in tests/support. The paper has no scores by sentence and no
flat accuracy; those below were computed apart from this code, from the same predictions.
"""

import csv
from pathlib import Path

import pytest

from aspectlab.robustness import (
    AccuracyChange,
    Robustness,
    average_changes,
    lay_out,
    read_predictions,
    score_robustness,
)
from tests.support.published_data import ARTS_TABLE_7

with ARTS_TABLE_7.open(encoding="utf-8", newline="") as stream:
    TABLE_7 = list(csv.DictReader(stream))

AVERAGES = {
    "entire": ("79.77", "31.62"),
    "revtgt": ("86.92", "44.75"),
    "revnon": ("88.96", "73.32"),
    "adddiff": ("79.77", "63.48"),
}
# flat accuracy, ARS by aspect, ARS by sentence
OTHERS = {
    "TD_LSTM": ("64.96", "30.18", "24.17"),
    "GCAE": ("56.57", "13.12", "9.50"),
    "ATAE_LSTM": ("55.35", "14.64", "11.00"),
    "MemNet": ("58.98", "21.52", "15.50"),
    "ASGCN": ("63.85", "24.73", "19.67"),
    "bert_pair": ("77.05", "54.82", "46.33"),
    "bert_sent": ("53.31", "10.89", "7.50"),
    "bert_pt": ("80.71", "59.29", "47.17"),
    "mams_capsnet": ("77.79", "55.36", "45.17"),
}

Scores = dict[str, Robustness]


@pytest.fixture(scope="module")
def scores(real_data: Path) -> Scores:
    path = real_data / "arts" / "rest_predictions.csv"
    if not path.is_file():
        pytest.skip(f"the predictions of the ARTS authors are not at {path}")
    found = read_predictions(path)
    layout = lay_out(found.gold)
    return {name: score_robustness(found.gold, run, layout=layout) for name, run in found.models.items()}


def change_of(robustness: Robustness, subset: str) -> AccuracyChange:
    return robustness.entire["aspect"] if subset == "entire" else robustness.subsets[subset]


def percent(*shares: float) -> tuple[str, ...]:
    return tuple(f"{100 * share:.2f}" for share in shares)


@pytest.mark.parametrize("row", TABLE_7, ids=lambda row: f"{row['model']}-{row['subset']}")
def test_scores_equal_table_7(scores: Scores, row: dict[str, str]) -> None:
    change = change_of(scores[row["column"]], row["subset"])
    assert percent(change.ori, change.new) == (row["ori"], row["new"])
    assert change.is_significant == (row["star"] == "*")


@pytest.mark.parametrize("subset", AVERAGES)
def test_averages_equal_table_7_and_have_its_stars(scores: Scores, subset: str) -> None:
    average = average_changes([change_of(robustness, subset) for robustness in scores.values()])
    assert percent(average.ori, average.new) == AVERAGES[subset]
    assert average.is_significant


@pytest.mark.parametrize("model", OTHERS)
def test_both_units_equal_an_independent_count(scores: Scores, model: str) -> None:
    robustness = scores[model]
    ars = [robustness.entire["aspect"].new, robustness.entire["sentence"].new]
    assert percent(robustness.evaluation.scores["accuracy"], *ars) == OTHERS[model]


def test_units_are_those_of_both_papers(scores: Scores) -> None:
    robustness = scores["bert_pt"]
    assert {unit: change.count for unit, change in robustness.entire.items()} == {
        "aspect": 1120,
        "sentence": 600,
    }
    assert {name: change.variants for name, change in robustness.subsets.items()} == {
        "revtgt": 846,
        "revnon": 444,
        "adddiff": 1120,
    }
