"""Which aspects are worse: the numbers against published ones and hand-made tables."""

import pytest

from aspectlab.data import PolarityCounts
from aspectlab.graph.comparison import ComparisonVerdict, JoinedCounts, compare_joined


def compare(*rows: JoinedCounts) -> dict[str, ComparisonVerdict]:
    return {contrast.name: contrast.verdict for contrast in compare_joined(rows)}


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        # two statements can show nothing, nor can three against three: the smallest p is 2 / 20
        (PolarityCounts(1, 0), PolarityCounts(0, 1), ComparisonVerdict.FEW),
        (PolarityCounts(3, 0), PolarityCounts(0, 3), ComparisonVerdict.FEW),
        # four against four can: 2 / 70
        (PolarityCounts(4, 0), PolarityCounts(0, 4), ComparisonVerdict.WORSE),
        (PolarityCounts(0, 4), PolarityCounts(4, 0), ComparisonVerdict.BETTER),
        (PolarityCounts(4, 0), PolarityCounts(3, 1), ComparisonVerdict.CHANCE),
    ],
)
def test_contrast_does_not_oversell_few_counts(
    first: PolarityCounts, second: PolarityCounts, verdict: ComparisonVerdict
) -> None:
    assert compare(JoinedCounts("seat", first, second)) == {"seat": verdict}


def test_contrast_is_corrected_for_all_that_is_tested() -> None:
    # 4 against 4 has p = 0.029, of two tests 0.057; one that cannot show anything is no test
    clear, other = (
        JoinedCounts("seat", PolarityCounts(4, 0), PolarityCounts(0, 4)),
        JoinedCounts("boot", PolarityCounts(9, 1), PolarityCounts(9, 1)),
    )
    assert compare(clear, other)["seat"] is ComparisonVerdict.CHANCE
    assert (
        compare(clear, JoinedCounts("horn", PolarityCounts(1), PolarityCounts(0, 1)))["seat"]
        is ComparisonVerdict.WORSE
    )


def test_contrast_measures_the_difference_of_blame() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), Table II (a), method 10: 56/70 less 48/80
    [found] = compare_joined([JoinedCounts("seat", PolarityCounts(32, 48, 5), PolarityCounts(14, 56))])
    assert (found.difference, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_contrast_puts_what_is_surely_worse_first() -> None:
    rows = [
        JoinedCounts("rare", PolarityCounts(1), PolarityCounts(0, 1)),
        JoinedCounts("better", PolarityCounts(0, 20), PolarityCounts(20, 0)),
        JoinedCounts("worse", PolarityCounts(20, 0), PolarityCounts(0, 20)),
        JoinedCounts("neutral", PolarityCounts(0, 0, 9), PolarityCounts(1, 0)),
    ]
    # where nothing is praised or blamed there is nothing to compare
    assert list(compare(*rows)) == ["worse", "better", "rare"]
