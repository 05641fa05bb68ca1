"""What a run of studies/muse.py measures: five subtasks, in columns that a report knows."""

from pathlib import Path
from types import SimpleNamespace
from typing import cast

import pytest

pytest.importorskip("torch", reason="studies need the extra 'train'")

from driver import KEY, append_row
from muse import COLUMNS, scores

from aspectlab.data import Example, Polarity, Quad, Term
from aspectlab.experiments.execute import FitOutcome
from aspectlab.reports.runs.load import read_rows

TEA = Quad(Term("tea"), None, Term("good"), Polarity.POSITIVE)
SOUP = Quad(Term("soup"), None, Term("cold"), Polarity.NEGATIVE)
WRONG = Quad(Term("soup"), None, Term("hot"), Polarity.NEGATIVE)


@pytest.fixture
def row() -> dict[str, object]:
    text = "Good tea, cold soup."
    fitted = SimpleNamespace(best=SimpleNamespace(dev={"f1": 0.25}, number=0))
    predictions = {"test": [Example("1", text, (TEA, WRONG))]}
    outcome = cast(FitOutcome, SimpleNamespace(fitted=fitted, predictions=predictions))
    return scores(outcome, {"test": [Example("1", text, (TEA, SOUP))]})


def test_row_fills_all_columns(row: dict[str, object]) -> None:
    assert list(row) == COLUMNS


@pytest.mark.parametrize(
    ("subtask", "expected"),
    # by hand: both aspects are right, with their polarity; of the opinions and all that has one, half
    [
        ("aspect", "100.00"),
        ("aspect_sentiment", "100.00"),
        ("opinion", "50.00"),
        ("aspect_opinion", "50.00"),
        ("triple", "50.00"),
    ],
)
def test_row_scores_each_subtask(row: dict[str, object], subtask: str, expected: str) -> None:
    assert [row[f"subtasks_{subtask}_{score}"] for score in ("precision", "recall", "f1")] == [expected] * 3


def test_row_is_read_by_a_report_as_one_of_triplets(row: dict[str, object], tmp_path: Path) -> None:
    path = tmp_path / "muse.csv"
    key = dict(zip(KEY, ["bmrc", "tiny", "muse-strict", "1", "1", ""], strict=True))
    append_row(path, [*KEY, *COLUMNS], key | row)
    (found,) = read_rows(path)
    assert (found.task, found.scores["test"]["subtasks_triple_f1"]) == ("aste", 50.0)
