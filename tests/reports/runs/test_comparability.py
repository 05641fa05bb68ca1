"""What a comparison says of runs that were not measured or not split alike."""

from dataclasses import replace

import pytest

from aspectlab.reports.runs.comparison import comparability_warnings
from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.summary import Target, name_systems
from tests.support.runs import make_results

TARGET = Target("atsc", "tea", "test")
ALIKE = {"sha256:train": "5e6f", "dev": "0.1", "split_seed": "1"}


def make_runs(model: str, settings: dict[str, str], signature: str = "one way") -> list[RunResult]:
    runs = make_results(model, [[80.0, 81.0], [82.0, 83.0]])
    return [replace(run, settings=settings, signatures={"test": signature}) for run in runs]


def tell(runs: list[RunResult]) -> list[str]:
    return list(comparability_warnings(runs, {system for system, _ in name_systems(runs)}, [TARGET]))


def test_likeness_of_runs_of_one_study_says_nothing() -> None:
    assert tell(make_runs("a", ALIKE) + make_runs("b", {**ALIKE, "epochs": "3"})) == []


def test_likeness_of_csv_rows_says_nothing() -> None:
    assert tell(make_results("a", [[80.0]]) + make_results("b", [[81.0]])) == []


def test_likeness_names_two_ways_of_measuring() -> None:
    (said,) = tell(make_runs("a", ALIKE) + make_runs("b", ALIKE, "another way"))
    assert said == (
        "Beware: on ATSC · tea · test the runs were measured in 2 different ways: another way; one way."
    )


@pytest.mark.parametrize("name", ALIKE)
def test_likeness_names_what_makes_other_splits(name: str) -> None:
    (said,) = tell(make_runs("a", ALIKE) + make_runs("b", {**ALIKE, name: "0.5"}))
    assert f"differ in {name} ({' and '.join(sorted((ALIKE[name], '0.5')))})" in said


def test_likeness_leaves_other_systems_out() -> None:
    runs = make_runs("a", ALIKE) + make_runs("b", ALIKE) + make_runs("c", ALIKE, "another way")
    pair = {system for system, _ in name_systems(runs) if system.model != "c"}
    assert list(comparability_warnings(runs, pair, [TARGET])) == []
