"""Which system of a column is best, and what contrasts conclude, on values whose answer is plain."""

import random
from dataclasses import replace

import pytest
from scipy.stats import ttest_ind, ttest_rel

from aspectlab.errors import DataError
from aspectlab.reports.runs.comparison import SystemComparison, compare_systems, conclude, state_limits
from aspectlab.reports.runs.significance import Significance, mark_best
from aspectlab.reports.runs.summary import summarise
from tests.support.runs import make_results

STEADY = [[80.0, 80.5], [81.0, 81.5], [79.0, 79.5], [80.2, 80.7]]
BETTER = [[value + 2 + 0.1 * k for value in row] for k, row in enumerate(STEADY)]
WAVERING = [[STEADY[k][seed] + (1.1, -0.9)[(k + seed) % 2] for seed in range(2)] for k in range(4)]


def spread(rows: list[list[float]]) -> dict[tuple[int, int], float]:
    return {(split, seed): value for split, row in enumerate(rows) for seed, value in enumerate(row)}


def contrast(
    a: list[list[float]], b: list[list[float]], metric: str = "accuracy"
) -> tuple[SystemComparison, list[SystemComparison]]:
    runs = make_results("a", a, metric=metric) + make_results("b", b, metric=metric)
    sections = summarise(runs)
    first, second = sections[0].systems
    found = compare_systems(sections, first, second)
    return found[0], found


@pytest.mark.parametrize(
    ("columns", "marks"),
    [
        ([BETTER, STEADY], [Significance.BEST, Significance.WORSE]),
        ([STEADY, WAVERING], [Significance.NOT_WORSE, Significance.BEST]),
        ([[[99.0]], STEADY], [Significance.UNTESTED, Significance.BEST]),
        ([[[99.0]], [[98.0]]], [Significance.BEST, Significance.UNTESTED]),
        ([[[60.0, 60.1, 60.2]], [[90.0, 90.1, 90.2]]], [Significance.WORSE, Significance.BEST]),
        ([STEADY], [Significance.BEST]),
    ],
    ids=["better", "wavering", "single", "all single", "few", "alone"],
)
def test_places_mark_the_best_and_what_is_level(
    columns: list[list[list[float]]], marks: list[Significance]
) -> None:
    found = mark_best("accuracy", [spread(rows) for rows in columns])
    assert [place.mark for place in found] == marks


def test_places_of_a_violation_rate_call_the_lowest_best() -> None:
    found = mark_best("vr", [spread(BETTER), spread(STEADY)])
    assert [place.mark for place in found] == [Significance.WORSE, Significance.BEST]


@pytest.mark.parametrize(("metric", "sign"), [("accuracy", 1), ("vr", -1)])
def test_places_call_no_system_worse_that_wins_where_both_have_run(metric: str, sign: int) -> None:
    # the six runs that both have are all won by the other; runs that it lacks give the best its mean
    shared = {(1, seed): sign * (70.0 + 0.1 * seed) for seed in range(6)}
    best = shared | {(2, seed): sign * (90.0 + 0.1 * seed) for seed in range(20)}
    other = {key: value + sign * (5 + 0.1 * key[1]) for key, value in shared.items()}
    assert [place.mark for place in mark_best(metric, [best, other])] == [
        Significance.BEST,
        Significance.NOT_WORSE,
    ]


def test_contrast_is_the_t_test_of_the_means_of_splits() -> None:
    found, _ = contrast(BETTER, STEADY)
    # differences of the splits' means: 2.0, 2.1, 2.2, 2.3
    assert found.difference == pytest.approx(2.15)
    assert (found.runs_a, found.runs_b, found.splits, found.test) == (8, 8, 4, "paired-t")
    outside = ttest_rel([2.0, 2.1, 2.2, 2.3], [0.0] * 4)
    assert found.p == pytest.approx(outside.pvalue)
    assert found.interval == pytest.approx(outside.confidence_interval(0.95))


def test_contrast_of_one_split_is_welchs_test_of_its_runs() -> None:
    a, b = [80.0, 81.5, 80.5], [82.0, 82.5, 84.0, 83.0]
    found, _ = contrast([a], [b])
    outside = ttest_ind(a, b, equal_var=False)
    assert (found.test, found.splits, found.runs_a, found.runs_b) == ("welch", 1, 3, 4)
    assert found.p == pytest.approx(outside.pvalue)
    assert found.interval == pytest.approx(outside.confidence_interval(0.95))


def test_contrast_of_two_systems_turned_round_is_the_same() -> None:
    (one, _), (other, _) = contrast(BETTER, STEADY), contrast(STEADY, BETTER)
    assert one.interval is not None
    assert other.interval == (-one.interval[1], -one.interval[0])
    assert (one.p, one.difference) == (other.p, -other.difference)


def test_contrast_takes_the_splits_that_both_have() -> None:
    found, _ = contrast([[90.0, 91.0], [92.0], [99.0]], [[80.0, 80.0], [82.0]])
    # the means of the splits: 90.5 and 92 against 80 and 82
    assert (found.splits, found.runs_a, found.runs_b) == (2, 3, 3)
    assert found.difference == pytest.approx(10.25)


@pytest.mark.parametrize("splits", [1, 4])
def test_report_and_compare_never_disagree(splits: int) -> None:
    """Also where other systems of the column and other metrics stand beside the two."""
    rng = random.Random(splits)
    for _ in range(40):
        shift = rng.choice([0.0, 0.6, 1.2, 3.0])
        runs = [
            run
            for metric in ("accuracy", "macro_f1", "f1")
            for name, lead in (("a", shift), ("b", 0.0), ("c", -2.0), ("d", -4.0))
            for run in make_results(
                name,
                [[80 + lead + rng.gauss(0, 0.5) for _ in range(4)] for _ in range(splits)],
                metric=metric,
                corpus=metric,
            )
        ]
        for section in summarise(runs):
            (cells,) = section.columns.values()
            best = next(cell for cell in cells if cell.rank.mark is Significance.BEST)
            for cell in cells:
                if cell is best:
                    continue
                (found,) = compare_systems([section], best.system, cell.system)
                assert found.p_corrected is not None
                is_worse = cell.rank.mark is Significance.WORSE
                assert is_worse == (found.p_corrected <= 0.05 and found.difference > 0)
                assert is_worse == ("is better than" in conclude(found))


def test_dev_chooses_among_settings_whatever_the_test_says() -> None:
    """The setting that is best on test is not bold if dev prefers another."""
    runs = [
        replace(run, label="m", model="m", settings={"hidden": size}, dev={"f1": dev})
        for size, level, dev in (("64", 70.0, 80.0), ("128", 90.0, 60.0))
        for run in make_results(f"m{size}", [[level, level + 1, level + 2]])
    ]
    (section,) = summarise(runs)
    marks = {cell.system.name: cell.rank.mark for cell in section.columns["accuracy"]}
    assert marks["m/tiny [hidden=64]"] is Significance.BEST
    assert marks["m/tiny [hidden=128]"] is Significance.NOT_WORSE


def test_settings_without_dev_scores_are_not_chosen_by_test() -> None:
    runs = [
        replace(run, label="m", model="m", settings={"hidden": size})
        for size, level in (("64", 70.0), ("128", 90.0))
        for run in make_results(f"m{size}", [[level, level + 1, level + 2]])
    ]
    other = make_results("other", [[60.0, 61.0, 62.0]])
    (section,) = summarise([*runs, *other])
    marks = {cell.system.label: cell.rank.mark for cell in section.columns["accuracy"]}
    assert marks["other"] is Significance.BEST
    (alone,) = summarise(runs)
    assert {cell.rank.mark for cell in alone.columns["accuracy"]} == {Significance.UNTESTED}


def test_contrast_refuses_systems_without_a_common_run() -> None:
    runs = make_results("a", [[1.0]]) + make_results("b", [[2.0]], corpus="cup")
    sections = summarise(runs)
    with pytest.raises(DataError, match="no run on the same corpus and split"):
        compare_systems(sections, sections[1].systems[0], sections[0].systems[0])


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (BETTER, STEADY, "a/tiny is better than b/tiny by 2.15 points (95 % interval 1.94 to 2.36"),
        (STEADY, BETTER, "b/tiny is better than a/tiny by 2.15 points"),
        (STEADY, WAVERING, "no difference can be concluded (p = "),
        ([[80.0]], [[70.0]], "a single run each is too few"),
        ([[80.0, 80.1, 80.2]], [[70.0, 70.1, 70.2]], "with other seeds on this split, that is, and no more"),
        ([[80.0, 90.0, 85.0]], [[81.0, 88.0, 86.0]], "no difference can be concluded (p = 1); a − b from"),
        ([[80.0, 80.0]], [[70.0, 70.0]], "no difference can be concluded (p = 0.33); the runs do not vary"),
    ],
)
def test_conclusion_says_what_follows(a: list[list[float]], b: list[list[float]], said: str) -> None:
    assert said in conclude(contrast(a, b)[0])


def test_conclusion_names_the_lower_violation_rate_as_better() -> None:
    assert "b/tiny is better than a/tiny by 2.15 points" in conclude(contrast(BETTER, STEADY, "vr")[0])


def test_limits_count_the_comparisons() -> None:
    runs = [
        run
        for corpus in ("tea", "pot")
        for name in "ab"
        for run in make_results(name, [[80.0, 81.0]], corpus=corpus)
    ]
    sections = summarise(runs)
    assert "These are 2 comparisons" in state_limits(compare_systems(sections, *sections[0].systems))


def test_limits_name_the_single_split() -> None:
    _, found = contrast([[80.0, 81.0]], [[70.0, 71.0]])
    assert "all runs share one" in state_limits(found)
    _, found = contrast(BETTER, STEADY)
    assert "all runs share one" not in state_limits(found)
