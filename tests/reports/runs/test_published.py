"""The shipped table of published values against the clean tables of the papers, where these are at hand."""

import csv
from collections.abc import Iterator
from pathlib import Path

import pytest

from aspectlab.reports.runs.published import SOURCES, find_published
from tests.support.runs import METRICS, MODELS, TARGETS, TASKS

TABLE = Path(__file__).parents[3] / "aspectlab" / "reports" / "runs" / "published.tsv"
MAMS = {"MAMS": ("mams", "test")}


@pytest.fixture(scope="module")
def tables(real_data: Path) -> Path:
    folder = real_data.parent / "specs" / "tables"
    if not folder.is_dir():
        pytest.skip("the tables of the papers are not beside the data sets")
    return folder


def read(path: Path, delimiter: str = ",") -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


def find_printed(row: dict[str, str]) -> Iterator[float]:
    """Return the reproduced values that the shipped table has for a row of the paper."""
    target = (TARGETS | MAMS)[row["dataset"]]
    facts = find_published(TASKS[row["table"]], *target, MODELS[row["model"]], METRICS[row["metric"]])
    yield from (fact.printed for fact in facts if fact.kind == "reproduced")


def test_published_table_has_every_reproduced_value(tables: Path) -> None:
    rows = [row for row in read(tables / "seed000_tables.csv") if row["overall_mean"] != "NA"]
    assert len(rows) == 112
    assert [list(find_printed(row)) for row in rows] == [[float(row["overall_mean"])] for row in rows]


def test_published_table_has_every_score_of_the_triplet_models(tables: Path) -> None:
    expected = {float(row[name]) for row in read(tables / "seed002_table3.csv") for name in ("P", "R", "F1")}
    scores = {"precision", "recall", "f1"}
    rows = [row for row in read(TABLE, "\t") if row["source"] == "mato" and row["metric"] in scores]
    assert len(rows) == 7 * 4 * 2 * 3  # models, corpora, with and without MATO, scores
    assert {float(row["value"]) for row in rows} == expected


def test_published_table_names_known_sources_and_each_value_once() -> None:
    rows = read(TABLE, "\t")
    keys = ("source", "table", "kind", "task", "corpus", "test", "model", "variant", "metric")
    assert {row["source"] for row in rows} == set(SOURCES)
    assert len({tuple(row[key] for key in keys) for row in rows}) == len(rows)


def test_facts_of_a_variant_are_found_by_its_label() -> None:
    # Table 3 of the MATO paper, EMCGCN on LAP14 without and with MATO
    found = [
        find_published("aste", "14lap", "test", label, "f1")[0].value for label in ("emcgcn", "emcgcn+mato")
    ]
    assert found == [58.81, 59.70]


def test_facts_of_the_same_test_set_are_found_for_another_cut_of_train_and_dev() -> None:
    assert find_published("atsc", "rest14-src", "arts", "bert", "ars_aspect")[0].value == 54.82
