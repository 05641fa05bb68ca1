"""Tables of what variants cost: both sides of a strategy, the change, and whether the runs agree on it."""

from collections.abc import Mapping
from dataclasses import replace

from aspectlab.reports.runs.changes import format_shift, list_shifts
from aspectlab.reports.runs.load import RunResult
from aspectlab.reports.runs.summary import summarise
from tests.support.runs import make_results

TESTS = {
    "arts": {"ars_aspect": 40.0, "adddiff_ori": 80.0, "adddiff_new": 70.0, "revtgt_ori": 84.0},
    "combined": {"revnon+adddiff_ori": 90.0, "revnon+adddiff_new": 60.0},
}


def make_run(seed: int, scores: Mapping[str, Mapping[str, float]], change: float = 0.0) -> RunResult:
    run = make_results("bert", [[80.0]])[0]
    moved = {
        test: {name: value + change * name.endswith("_new") for name, value in found.items()}
        for test, found in scores.items()
    }
    return replace(run, seed=seed, scores=moved)


def test_table_has_a_column_per_strategy_with_both_sides() -> None:
    (table,) = list_shifts(summarise([make_run(1, TESTS)]), "aspectlab report rows")
    # RevTgt lacks the variants, and the robustness score is no strategy
    assert table.columns == ("system", "runs", "adddiff", "revnon+adddiff")
    texts = [entry.text for entry in table.rows[0][1:]]
    assert texts == ["1", "80.0 → 70.0 (−10.00)", "90.0 → 60.0 (−30.00)"]


def test_table_takes_the_mean_of_the_runs() -> None:
    runs = [make_run(1, TESTS), make_run(2, TESTS, 1.0)]
    (table,) = list_shifts(summarise(runs), "aspectlab report rows")
    # by hand: changes of −10 and −9, so −9.5 ± 12.706 · 0.5, which leaves out zero
    assert table.rows[0][2].text == "80.0 → 70.5 (−9.50*)"


def test_runs_without_variants_make_no_table() -> None:
    assert list(list_shifts(summarise(make_results("bert", [[80.0, 82.0]])), "aspectlab report rows")) == []


def test_change_that_the_runs_disagree_on_has_no_star() -> None:
    # by hand: changes of −5 and +4, so −0.5 ± 12.706 · 4.5
    assert format_shift({(1, 1): 80.0, (1, 2): 80.0}, {(1, 1): 75.0, (1, 2): 84.0}) == "80.0 → 79.5 (−0.50)"


def test_several_splits_count_by_their_means() -> None:
    # by hand: the splits change by −1 and −3 on the mean, so −2 ± 12.706 · 1; the four runs alone would agree
    originals = dict.fromkeys([(1, 1), (1, 2), (2, 1), (2, 2)], 80.0)
    variants = {(1, 1): 79.0, (1, 2): 79.0, (2, 1): 77.0, (2, 2): 77.0}
    assert format_shift(originals, variants) == "80.0 → 78.0 (−2.00)"


def test_strategy_of_two_test_sets_has_a_column_of_each() -> None:
    mine = {"adddiff_ori": 60.0, "adddiff_new": 59.0}
    (table,) = list_shifts(summarise([make_run(1, TESTS | {"mine": mine})]), "aspectlab report rows")
    shown = dict(zip(table.columns, (entry.text for entry in table.rows[0]), strict=True))
    assert shown["adddiff (arts)"] == "80.0 → 70.0 (−10.00)"
    assert shown["adddiff (mine)"] == "60.0 → 59.0 (−1.00)"


def test_run_without_one_side_counts_for_neither() -> None:
    whole, half = make_run(1, {"arts": TESTS["arts"]}), make_run(2, {"arts": {"adddiff_new": 10.0}})
    (table,) = list_shifts(summarise([whole, half]), "aspectlab report rows")
    assert [entry.text for entry in table.rows[0][1:]] == ["1", "80.0 → 70.0 (−10.00)"]
