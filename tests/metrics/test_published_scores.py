"""Scores that others published, from the predictions that they released."""

import csv
from pathlib import Path

import pytest

from aspectlab.data import Corpus, Example, Part, Polarity, Quad, Term
from aspectlab.metrics import evaluate

# Xing et al. (2020), Table 7, Restaurant: accuracy on the originals, and on RevTgt, RevNon and AddDiff
TABLE_7 = {
    "TD_LSTM": [78.12, 34.99, 75.68, 70.18],
    "GCAE": [76.96, 23.17, 72.97, 54.91],
    "ATAE_LSTM": [75.98, 28.96, 61.26, 52.32],
    "MemNet": [75.18, 27.54, 73.65, 60.71],
    "ASGCN": [77.86, 35.58, 79.50, 65.00],
    "bert_pair": [83.04, 63.00, 83.33, 79.20],
    "bert_sent": [80.62, 44.80, 57.21, 30.89],
    "bert_pt": [86.70, 72.81, 81.76, 80.27],
    "mams_capsnet": [83.48, 71.87, 74.55, 77.86],
}
# how the ids of these rows end in the released file
VARIANTS = ("", "adv1", "adv2", "adv4")

Rows = list[dict[str, str]]


@pytest.fixture(scope="module")
def arts_rows(real_data: Path) -> Rows:
    path = real_data / "arts" / "rest_predictions.csv"
    if not path.is_file():
        pytest.skip(f"the predictions of the ARTS authors are not at {path}")
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream))


def corpus_of_column(rows: Rows, column: str) -> Corpus:
    examples = (
        Example(f"{n}", row["sentence"], (Quad(Term(row["term"]), polarity=Polarity(row[column])),))
        for n, row in enumerate(rows)
    )
    return Corpus(column, "en", frozenset({Part.ASPECT, Part.POLARITY}), tuple(examples))


def score_variant(rows: Rows, model: str, variant: str) -> float:
    chosen = [row for row in rows if (row["id"].rpartition("_")[2] if "_adv" in row["id"] else "") == variant]
    gold, predicted = (corpus_of_column(chosen, column) for column in ("gold_label", model))
    return 100 * evaluate(gold, predicted, "atsc").scores["accuracy"]


@pytest.mark.parametrize("model", TABLE_7)
def test_classification_gives_the_accuracies_of_arts(arts_rows: Rows, model: str) -> None:
    scores = [score_variant(arts_rows, model, variant) for variant in VARIANTS]
    # the table has two decimals, and rounds an exact half down
    assert scores == pytest.approx(TABLE_7[model], abs=0.0051)
