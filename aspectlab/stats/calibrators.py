"""Calibrators: temperature, Platt scaling and isotonic regression, fitted with numpy alone.

A calibrator is fitted on answers that are known to be right or wrong, best of domains that the model has not
seen, and then applied to others; fit it on some answers and measure it on others.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import sqrt
from typing import TypeAlias

import numpy as np

from aspectlab.errors import ConfigError, DataError
from aspectlab.stats.calibration import check_answers, check_correct
from aspectlab.stats.samples import FloatArray, Numbers, check_sample

EPSILON = 1e-6
"""Probabilities nearer to 0 or 1 count as this near: the logarithm of nothing has no number."""

_SHARPEST = 1e3
"""A scale has to end somewhere where answers are perfectly parted."""

_RIDGE = 1e-9
_STEPS = 100
_CLOSE = 1e-12
"""Newton's method stops after so many steps, or where a step gains less than this of the loss."""


@dataclass(frozen=True, slots=True)
class Temperature:
    """Divides the log-odds of a probability by one number: above 1 makes it less sure."""

    temperature: float

    def apply(self, probabilities: Numbers) -> FloatArray:
        """Return calibrated probabilities."""
        return _sigmoid(log_odds(probabilities) / self.temperature)


@dataclass(frozen=True, slots=True)
class Platt:
    """A logistic regression of being right on one or a few features, such as several log-odds."""

    weights: tuple[float, ...]
    bias: float

    def apply(self, features: Numbers) -> FloatArray:
        """Return calibrated probabilities of rows of features [N, K], or of one feature [N]."""
        rows = _check_features("Platt", features)
        if rows.shape[1] != len(self.weights):
            raise DataError(
                f"Platt: found {rows.shape[1]} features: "
                f"expected the {len(self.weights)} that it was fitted on"
            )
        return _sigmoid(rows @ np.array(self.weights) + self.bias)


@dataclass(frozen=True, slots=True)
class Isotonic:
    """A line that never falls, through these points: any shape that keeps the order of answers."""

    thresholds: tuple[float, ...]
    values: tuple[float, ...]

    def apply(self, probabilities: Numbers) -> FloatArray:
        """Return calibrated probabilities: between two points on the line that joins them."""
        return np.interp(np.asarray(probabilities, np.float64), self.thresholds, self.values)


Calibrator: TypeAlias = Temperature | Platt | Isotonic


def fit_temperature(probabilities: Numbers, correct: Numbers) -> Temperature:
    """Fit the temperature under which the answers are most likely.

    >>> fit_temperature([0.9] * 10, [1] * 6 + [0] * 4).apply([0.9]).round(3).tolist()
    [0.6]
    """
    found, right = check_answers("fit_temperature", probabilities, correct)
    odds = log_odds(found)

    def slope(scale: float) -> float:
        return float(np.sum((_sigmoid(scale * odds) - right) * odds))

    return Temperature(1 / _find_root(slope, 1 / _SHARPEST, _SHARPEST))


def fit_platt(features: Numbers, correct: Numbers, *, l2: float = 1.0) -> Platt:
    """Fit a logistic regression with an L2 penalty on its weights, scikit-learn's default (C = 1 / l2).

    >>> fit_platt([-2.0, -1.0, 1.0, 2.0], [0, 0, 1, 1]).apply([0.0]).round(3).tolist()
    [0.5]
    """
    rows = _check_features("fit_platt", features)
    right = check_correct("fit_platt", correct, len(rows))
    if l2 <= 0:
        raise ConfigError(f"fit_platt: l2 = {l2!r}: expected a number above 0; 1 is usual")
    inputs = np.column_stack([rows, np.ones(len(rows))])  # [N, K + 1]
    penalty = np.append(np.full(rows.shape[1], l2), 0.0)  # the bias is free
    weights = _minimise(inputs, right, penalty)
    return Platt(tuple(map(float, weights[:-1])), float(weights[-1]))


def fit_isotonic(probabilities: Numbers, correct: Numbers) -> Isotonic:
    """Fit the non-decreasing line with the least squared error, by pooling neighbours that fall.

    >>> fit_isotonic([0.1, 0.2, 0.3, 0.4], [0, 1, 0, 1])
    Isotonic(thresholds=(0.1, 0.2, 0.3, 0.4), values=(0.0, 0.5, 0.5, 1.0))
    """
    found, right = check_answers("fit_isotonic", probabilities, correct)
    points, number = np.unique(found, return_inverse=True)
    sums = np.bincount(number, weights=right)
    pools: list[tuple[float, float, int]] = []  # hits, answers, points
    for hits, count in zip(sums, np.bincount(number), strict=True):
        pool = (float(hits), float(count), 1)
        while pools and pools[-1][0] * pool[1] >= pool[0] * pools[-1][1]:
            before = pools.pop()
            pool = (before[0] + pool[0], before[1] + pool[1], before[2] + pool[2])
        pools.append(pool)
    values = np.repeat([hits / count for hits, count, _ in pools], [width for *_, width in pools])
    # within a pool only its ends matter
    ends = np.ones(len(points), bool)
    ends[1:-1] = (values[1:-1] != values[:-2]) | (values[1:-1] != values[2:])
    return Isotonic(tuple(points[ends].tolist()), tuple(values[ends].tolist()))


def calibrator_to_dict(calibrator: Calibrator) -> dict[str, object]:
    """Return a calibrator as an object of JSON.

    >>> calibrator_to_dict(Temperature(2.0))
    {'kind': 'temperature', 'temperature': 2.0}
    """
    kind = type(calibrator).__name__.lower()
    if isinstance(calibrator, Temperature):
        return {"kind": kind, "temperature": calibrator.temperature}
    if isinstance(calibrator, Platt):
        return {"kind": kind, "weights": list(calibrator.weights), "bias": calibrator.bias}
    return {"kind": kind, "thresholds": list(calibrator.thresholds), "values": list(calibrator.values)}


def calibrator_from_dict(record: Mapping[str, object]) -> Calibrator:
    """Read a calibrator that `calibrator_to_dict` wrote.

    >>> calibrator_from_dict({"kind": "temperature", "temperature": 2.0})
    Temperature(temperature=2.0)
    """
    kind = record.get("kind")
    if kind == "temperature":
        (temperature,) = _read_numbers(record, "temperature")
        if temperature <= 0:
            raise DataError(f"calibrator: temperature = {temperature!r}: expected a number above 0")
        return Temperature(temperature)
    if kind == "platt":
        return Platt(_read_numbers(record, "weights"), *_read_numbers(record, "bias"))
    if kind == "isotonic":
        thresholds, values = _read_numbers(record, "thresholds"), _read_numbers(record, "values")
        if not 0 < len(thresholds) == len(values):
            raise DataError(
                f"calibrator: {len(thresholds)} thresholds and {len(values)} values: expected one each"
            )
        return Isotonic(thresholds, values)
    raise DataError(f"calibrator: kind = {kind!r}: expected temperature, platt or isotonic; fit it again")


def _read_numbers(record: Mapping[str, object], key: str) -> tuple[float, ...]:
    value = record.get(key)
    numbers = value if isinstance(value, list) else [value]
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in numbers):
        raise DataError(f"calibrator: {key} = {value!r:.80}: expected numbers; fit it again")
    sample: list[float] = check_sample(f"calibrator: {key}", np.array(numbers), least=1).tolist()
    return tuple(sample)


def log_odds(probabilities: Numbers) -> FloatArray:
    """Return log(p / (1 - p)), finite also for 0 and 1.

    >>> log_odds([0.5, 1.0]).round(2).tolist()
    [0.0, 13.82]
    """
    found = np.clip(np.asarray(probabilities, np.float64), EPSILON, 1 - EPSILON)
    odds: FloatArray = np.log(found) - np.log1p(-found)
    return odds


def _sigmoid(values: FloatArray) -> FloatArray:
    # exp of a large number overflows, so only of negative ones
    small = np.exp(-np.abs(values))
    shares: FloatArray = np.where(values >= 0, 1.0, small) / (1 + small)
    return shares


def _check_features(where: str, features: Numbers) -> FloatArray:
    """Turn features into rows [N, K]."""
    try:
        rows = np.asarray(features, np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: features: {error}: expected numbers, one row an answer") from None
    rows = rows[:, None] if rows.ndim == 1 else rows
    if rows.ndim != 2 or 0 in rows.shape or not np.isfinite(rows).all():
        raise DataError(
            f"{where}: features of shape {rows.shape}: expected finite numbers, [answers, features]"
        )
    return rows


def _find_root(slope: Callable[[float], float], low: float, high: float) -> float:
    """Find where a slope that rises crosses 0 by halving; the nearer end where it does not."""
    while high / low > 1 + 1e-12:
        middle = sqrt(low * high)
        low, high = (low, middle) if slope(middle) > 0 else (middle, high)
    return sqrt(low * high)


def _minimise(inputs: FloatArray, right: FloatArray, penalty: FloatArray) -> FloatArray:
    """Minimise the penalised logistic loss by Newton's method; a step that gains nothing is halved."""
    weights = np.zeros(inputs.shape[1])
    loss = _loss(inputs, right, penalty, weights)
    for _ in range(_STEPS):
        shares = _sigmoid(inputs @ weights)
        gradient = inputs.T @ (shares - right) + penalty * weights
        curvature = (inputs * (shares * (1 - shares))[:, None]).T @ inputs + np.diag(penalty)
        # answers that are all right have no finite bias, and a curvature that runs to 0
        step = np.linalg.solve(curvature + _RIDGE * np.eye(len(weights)), gradient)
        size = 1.0
        while (new := _loss(inputs, right, penalty, weights - size * step)) > loss and size > _CLOSE:
            size /= 2
        if not new < loss:
            break
        gained, loss, weights = loss - new, new, weights - size * step
        if gained <= _CLOSE * loss:
            break
    return weights


def _loss(inputs: FloatArray, right: FloatArray, penalty: FloatArray, weights: FloatArray) -> float:
    scores = inputs @ weights
    return float(np.sum(np.logaddexp(0, scores) - right * scores) + penalty @ weights**2 / 2)
