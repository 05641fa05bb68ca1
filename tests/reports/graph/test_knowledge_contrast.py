"""Which aspects are worse: the numbers against published ones and hand-made tables."""

import pytest

from aspectlab.insight.aggregate import Counts
from aspectlab.insight.knowledgejoin import Joined
from aspectlab.reports.graph.contrast import Verdict, contrast_entities


def compare(*rows: Joined) -> dict[str, Verdict]:
    return {contrast.name: contrast.verdict for contrast in contrast_entities(rows)}


@pytest.mark.parametrize(
    ("first", "second", "verdict"),
    [
        # two statements can show nothing, nor can three against three: the smallest p is 2 / 20
        (Counts(1, 0), Counts(0, 1), Verdict.FEW),
        (Counts(3, 0), Counts(0, 3), Verdict.FEW),
        # four against four can: 2 / 70
        (Counts(4, 0), Counts(0, 4), Verdict.WORSE),
        (Counts(0, 4), Counts(4, 0), Verdict.BETTER),
        (Counts(4, 0), Counts(3, 1), Verdict.CHANCE),
    ],
)
def test_contrast_does_not_oversell_few_counts(first: Counts, second: Counts, verdict: Verdict) -> None:
    assert compare(Joined("seat", first, second)) == {"seat": verdict}


def test_contrast_is_corrected_for_all_that_is_tested() -> None:
    # 4 against 4 has p = 0.029, of two tests 0.057; one that cannot show anything is no test
    clear, other = Joined("seat", Counts(4, 0), Counts(0, 4)), Joined("boot", Counts(9, 1), Counts(9, 1))
    assert compare(clear, other)["seat"] is Verdict.CHANCE
    assert compare(clear, Joined("horn", Counts(1), Counts(0, 1)))["seat"] is Verdict.WORSE


def test_contrast_measures_the_difference_of_blame() -> None:
    # Newcombe, Statistics in Medicine 17 (1998), Table II (a), method 10: 56/70 less 48/80
    [found] = contrast_entities([Joined("seat", Counts(32, 48, 5), Counts(14, 56))])
    assert (found.difference, found.low, found.high) == pytest.approx((0.2, 0.0524, 0.3339), abs=5e-5)


def test_contrast_puts_what_is_surely_worse_first() -> None:
    rows = [
        Joined("rare", Counts(1), Counts(0, 1)),
        Joined("better", Counts(0, 20), Counts(20, 0)),
        Joined("worse", Counts(20, 0), Counts(0, 20)),
        Joined("neutral", Counts(0, 0, 9), Counts(1, 0)),
    ]
    # where nothing is praised or blamed there is nothing to compare
    assert list(compare(*rows)) == ["worse", "better", "rare"]
