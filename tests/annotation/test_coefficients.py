"""Kappa and alpha against published examples."""

import pytest

from aspectlab.annotation.agreement import cohen_kappa, fleiss_kappa, krippendorff_alpha

# Fleiss (1971) as retold in textbooks: 10 subjects, 14 raters, 5 categories; kappa .210
FLEISS = [
    *([0, 0, 0, 0, 14], [0, 2, 6, 4, 2], [0, 0, 3, 5, 6], [0, 3, 9, 2, 0], [2, 2, 8, 1, 1]),
    *([7, 7, 0, 0, 0], [3, 2, 6, 3, 0], [2, 5, 3, 2, 2], [6, 5, 2, 1, 0], [0, 2, 2, 3, 7]),
]

# Krippendorff (2011), Computing Krippendorff's alpha-reliability: four observers, twelve units, nominal .743
KRIPPENDORFF = [
    [1, 2, 3, 3, 2, 1, 4, 1, 2, -1, -1, -1],
    [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, -1, 3],
    [-1, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, -1],
    [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, -1],
]


def test_cohen_kappa_of_a_two_by_two_table() -> None:
    # 20 both yes, 5 yes-no, 10 no-yes, 15 both no: observed .70, expected .5 * .6 + .5 * .4 = .50
    one = [1] * 25 + [0] * 25
    other = [1] * 20 + [0] * 5 + [1] * 10 + [0] * 15
    assert cohen_kappa(one, other) == pytest.approx(0.4)


def test_fleiss_kappa_is_that_of_the_published_table() -> None:
    rows = [[label for label, count in enumerate(row) for _ in range(count)] for row in FLEISS]
    assert fleiss_kappa([list(column) for column in zip(*rows, strict=True)]) == pytest.approx(
        0.210, abs=5e-4
    )


def test_krippendorff_alpha_is_that_of_the_published_table() -> None:
    assert krippendorff_alpha(KRIPPENDORFF) == pytest.approx(0.743, abs=5e-4)


@pytest.mark.parametrize("labels", [[[], []], [[1, 1], [1, 1]]], ids=["nothing", "one label"])
def test_coefficients_are_none_where_undefined(labels: list[list[int]]) -> None:
    found = [cohen_kappa(*labels), fleiss_kappa(labels), krippendorff_alpha(labels)]
    assert found == [None, None, None]


def test_coefficients_of_equal_labels_are_one() -> None:
    labels = [[0, 1, 2, 1], [0, 1, 2, 1]]
    assert [cohen_kappa(*labels), fleiss_kappa(labels), krippendorff_alpha(labels)] == [1, 1, 1]
