"""Calibrators fitted: scikit-learn's regressions are the oracle, cases with a known answer beside them."""

import json

import numpy as np
import pytest
from hypothesis import given, strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats import (
    Isotonic,
    Platt,
    Temperature,
    calibrator_from_dict,
    calibrator_to_dict,
    expected_calibration_error,
    fit_isotonic,
    fit_platt,
    fit_temperature,
    log_odds,
)

GRID = np.linspace(0, 1, 41)


def draw(seed: int, number: int = 500) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    found = rng.beta(3, 1, number).round(2)
    return found, (rng.random(number) < found**2).astype(int)


@pytest.mark.parametrize("seed", range(5))
def test_temperature_is_a_logistic_regression_without_bias(seed: int) -> None:
    found, correct = draw(seed)
    oracle = LogisticRegression(C=np.inf, fit_intercept=False, tol=1e-10, max_iter=1000)
    oracle.fit(log_odds(found)[:, None], correct)
    assert fit_temperature(found, correct).temperature == pytest.approx(1 / oracle.coef_[0, 0], rel=1e-4)


@pytest.mark.parametrize("l2", [0.01, 1.0, 50.0])
@pytest.mark.parametrize("seed", range(3))
def test_platt_is_scikit_learns_logistic_regression(seed: int, l2: float) -> None:
    rng = np.random.default_rng(seed)
    features = rng.normal(size=(300, 3)) * [1, 10, 0.1]
    correct = (features @ [1, 0.1, 5] + rng.logistic(size=300) > 0.5).astype(int)
    oracle = LogisticRegression(C=1 / l2, tol=1e-10, max_iter=10_000).fit(features, correct)
    fitted = fit_platt(features, correct, l2=l2)
    assert fitted.weights == pytest.approx(oracle.coef_[0].tolist(), rel=1e-4, abs=1e-5)
    assert fitted.bias == pytest.approx(oracle.intercept_[0], rel=1e-4, abs=1e-5)
    assert fitted.apply(features) == pytest.approx(oracle.predict_proba(features)[:, 1], abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_isotonic_is_scikit_learns(seed: int) -> None:
    found, correct = draw(seed)
    oracle = IsotonicRegression(out_of_bounds="clip").fit(found, correct)
    fitted = fit_isotonic(found, correct)
    assert fitted.apply(GRID) == pytest.approx(oracle.predict(GRID))
    assert list(fitted.thresholds) == pytest.approx(oracle.X_thresholds_.tolist())


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 1)), min_size=1, max_size=40))
def test_isotonic_is_scikit_learns_on_any_answers(answers: list[tuple[int, int]]) -> None:
    found, correct = np.array(answers).T
    oracle = IsotonicRegression(out_of_bounds="clip").fit(found / 20, correct)
    assert fit_isotonic(found / 20, correct).apply(GRID) == pytest.approx(oracle.predict(GRID))


def test_temperature_of_a_calibrated_model_is_about_one() -> None:
    rng = np.random.default_rng(0)
    found = rng.random(20_000)
    correct = rng.random(20_000) < found
    assert fit_temperature(found, correct).temperature == pytest.approx(1, abs=0.03)


@pytest.mark.parametrize("fit", [fit_temperature, fit_isotonic, lambda p, y: fit_platt(log_odds(p), y)])
def test_calibrator_mends_a_model_that_is_too_sure(fit: object) -> None:
    rng = np.random.default_rng(1)
    odds = rng.normal(1, 1.5, 8000)
    correct = rng.random(8000) < 1 / (1 + np.exp(-odds))
    found = 1 / (1 + np.exp(-3 * odds))
    assert expected_calibration_error(found[4000:], correct[4000:]) > 0.1
    fitted = fit(found[:4000], correct[:4000])  # type: ignore[operator]
    given_ = log_odds(found) if isinstance(fitted, Platt) else found
    assert expected_calibration_error(fitted.apply(given_)[4000:], correct[4000:]) < 0.03


@pytest.mark.parametrize("correct", [[1, 1, 1, 1], [0, 0, 0, 0], [0, 0, 1, 1]])
@pytest.mark.parametrize("fit", [fit_temperature, fit_isotonic, fit_platt])
def test_answers_that_are_perfectly_parted_give_finite_numbers(fit: object, correct: list[int]) -> None:
    fitted = fit([0.1, 0.4, 0.6, 1.0], correct)  # type: ignore[operator]
    shares = fitted.apply([0.0, 0.5, 1.0])
    assert np.isfinite(shares).all()
    assert ((shares >= 0) & (shares <= 1)).all()


@pytest.mark.parametrize(
    "calibrator", [Temperature(1.7), Platt((0.5, -2.0), 0.1), Isotonic((0.2, 0.9), (0.1, 0.8))]
)
def test_calibrator_survives_json(calibrator: Temperature | Platt | Isotonic) -> None:
    assert calibrator_from_dict(json.loads(json.dumps(calibrator_to_dict(calibrator)))) == calibrator


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({}, "kind = None: expected temperature, platt or isotonic"),
        ({"kind": "temperature"}, "temperature = None: expected numbers"),
        ({"kind": "temperature", "temperature": 0}, "expected a number above 0"),
        ({"kind": "isotonic", "thresholds": [0.1], "values": [0.1, 0.2]}, "1 thresholds and 2 values"),
        ({"kind": "platt", "weights": ["a"], "bias": 0}, "weights = ['a']"),
    ],
)
def test_record_that_is_no_calibrator_is_refused(record: dict[str, object], said: str) -> None:
    with pytest.raises(DataError) as error:
        calibrator_from_dict(record)
    assert said in str(error.value)


def test_platt_refuses_other_features_than_it_was_fitted_on() -> None:
    with pytest.raises(DataError, match="found 2 features: expected the 1"):
        Platt((1.0,), 0.0).apply([[1.0, 2.0]])
    with pytest.raises(DataError, match="expected finite numbers"):
        fit_platt([[float("inf")]], [1])
    with pytest.raises(ConfigError, match="l2 = 0"):
        fit_platt([0.1], [1], l2=0)
