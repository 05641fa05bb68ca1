"""Standard errors over splits and seeds, and the interval of a gap, against scipy."""

import pytest
from scipy.stats import t, ttest_ind

from aspectlab.errors import ConfigError
from aspectlab.stats import StandardError, decompose, gap_interval, standard_error


def test_standard_error_takes_splits_for_the_independent_draws() -> None:
    # split means 2 and 6 have the std sqrt(8); over sqrt(2) splits that is 2, whatever the four runs say
    assert standard_error(decompose([[1, 3], [5, 7]])) == pytest.approx((2.0, 1))


def test_standard_error_of_one_split_is_that_of_its_runs() -> None:
    assert standard_error(decompose([[1.0, 2.0, 3.0]])) == pytest.approx((1 / 3**0.5, 2))


def test_standard_error_of_a_single_run_is_unknown() -> None:
    assert standard_error(decompose([[80.0]])) is None


def test_gap_interval_of_one_error_is_students() -> None:
    reach = t.ppf(0.975, 4) * 0.7
    assert gap_interval(1.0, StandardError(0.7, 4)) == pytest.approx((1 - reach, 1 + reach))


def test_gap_interval_of_two_errors_is_welchs() -> None:
    a, b = [81.0, 83.5, 82.2, 84.0], [79.0, 80.5, 82.5]
    errors = [standard_error(decompose([runs])) for runs in (a, b)]
    expected = ttest_ind(a, b, equal_var=False).confidence_interval(0.95)
    found = gap_interval(sum(a) / 4 - sum(b) / 3, *(error for error in errors if error))
    assert found == pytest.approx((expected.low, expected.high))


def test_gap_interval_without_error_is_the_gap() -> None:
    assert gap_interval(2.0, StandardError(0.0, 3)) == (2.0, 2.0)


@pytest.mark.parametrize("level", [0, 1, 2, 95, float("nan")])
def test_gap_interval_refuses_an_impossible_level(level: float) -> None:
    # the quantile beyond all values was looked for without end
    with pytest.raises(ConfigError, match="gap_interval: level"):
        gap_interval(1.0, StandardError(0.5, 3), level=level)
