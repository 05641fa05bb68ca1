"""Which system of a column is best, and what contrasts conclude, on values whose answer is plain."""

import pytest

from aspectlab.errors import DataError
from aspectlab.reports.runs.comparison import SystemComparison, compare_systems, conclude, state_limits
from aspectlab.reports.runs.significance import Significance, mark_best
from aspectlab.reports.runs.summary import summarise
from tests.support.runs import make_results

STEADY = [[80.0, 80.5], [81.0, 81.5], [79.0, 79.5], [80.2, 80.7]]
BETTER = [[value + 2 + 0.1 * k for k, value in enumerate(row)] for row in STEADY]
WAVERING = [[STEADY[k][seed] + (1.1, -0.9)[(k + seed) % 2] for seed in range(2)] for k in range(4)]


def spread(rows: list[list[float]]) -> dict[tuple[int, int], float]:
    return {(split, seed): value for split, row in enumerate(rows) for seed, value in enumerate(row)}


def contrast(
    a: list[list[float]], b: list[list[float]], metric: str = "accuracy"
) -> tuple[SystemComparison, list[SystemComparison]]:
    runs = make_results("a", a, metric=metric) + make_results("b", b, metric=metric)
    sections = summarise(runs)
    first, second = sections[0].systems
    found = compare_systems(sections, first, second, resamples=2_000)
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


def test_contrast_gives_hand_counted_numbers() -> None:
    found, _ = contrast(BETTER, STEADY)
    # differences are 2.0 and 2.1 by turns
    assert found.difference == pytest.approx(2.05)
    assert (found.pairs, found.splits) == (8, 4)
    # all eight differences have one sign: 2 / 2**8 by Wilcoxon
    assert found.p_wilcoxon == pytest.approx(2 / 2**8)
    assert found.interval is not None
    assert 2 <= found.interval[0] <= found.interval[1] <= 2.1


def test_contrast_pairs_only_runs_that_both_have() -> None:
    found, _ = contrast([[90.0, 91.0], [92.0]], [[80.0], [82.0]])
    assert (found.pairs, found.mean_a, found.mean_b, found.difference) == (2, 91.0, 81.0, 10.0)


def test_contrast_refuses_systems_without_a_common_run() -> None:
    runs = make_results("a", [[1.0]]) + make_results("b", [[2.0]], corpus="cup")
    sections = summarise(runs)
    with pytest.raises(DataError, match="no run on the same corpus"):
        compare_systems(sections, sections[1].systems[0], sections[0].systems[0])


@pytest.mark.parametrize(
    ("a", "b", "said"),
    [
        (BETTER, STEADY, "a/tiny is better than b/tiny by 2.05 points"),
        (STEADY, BETTER, "b/tiny is better than a/tiny by 2.05 points"),
        (STEADY, WAVERING, "no difference can be concluded: neither test finds one"),
        ([[80.0]], [[70.0]], "one pair of runs is too few"),
        ([[80.0, 80.1, 80.2]], [[70.0, 70.1, 70.2]], "a/tiny is better than b/tiny with other seeds as well"),
        ([[80.0, 90.0, 85.0]], [[81.0, 88.0, 86.0]], "too few for a paired test (it takes 6); no difference"),
    ],
)
def test_conclusion_says_what_follows(a: list[list[float]], b: list[list[float]], said: str) -> None:
    assert said in conclude(contrast(a, b)[0])


def test_conclusion_from_all_runs_names_what_is_better_in_all_runs() -> None:
    # the three pairs have a above b by 1; all runs of a average 70, far below 80
    rest = [64.5 + 0.1 * (seed % 3) for seed in range(6)]
    found, _ = contrast([[81.0, 81.1, 80.9, *rest]], [[80.0, 80.1, 79.9]])
    assert found.difference == pytest.approx(1.0)
    assert "Welch's test over all runs" in conclude(found)
    assert "b/tiny is better than a/tiny" in conclude(found)


def test_conclusion_names_the_lower_violation_rate_as_better() -> None:
    assert "b/tiny is better than a/tiny by 2.05 points" in conclude(contrast(BETTER, STEADY, "vr")[0])


def test_limits_count_only_comparisons_that_were_tested() -> None:
    # one pair of runs on cup allows no test, so that Holm's method corrects for the other two
    corpora = [("tea", [[80.0, 81.0]]), ("pot", [[70.0, 71.0]]), ("cup", [[60.0]])]
    runs = [
        run for corpus, rows in corpora for name in "ab" for run in make_results(name, rows, corpus=corpus)
    ]
    sections = summarise(runs)
    assert "corrected for 2 comparisons" in state_limits(compare_systems(sections, *sections[0].systems))


def test_limits_name_the_single_split() -> None:
    _, found = contrast([[80.0, 81.0]], [[70.0, 71.0]])
    assert "all runs share one" in state_limits(found)
    _, found = contrast(BETTER, STEADY)
    assert "all runs share one" not in state_limits(found)
