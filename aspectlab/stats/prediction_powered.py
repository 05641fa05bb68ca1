"""Prediction-powered inference: what a model counted in all, corrected by what people judged of a sample.

The total of the truth is the total of the predictions plus the weighted total of what the model got wrong in
the sample (Angelopoulos et al., Science 2023; PPI++, 2023). The confidence interval holds two errors: that of
the model, as far as the sample tells, and that of the units at hand, which stand for more of their kind.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np

from aspectlab.errors import DataError
from aspectlab.stats.distributions import t_quantile
from aspectlab.stats.samples import FloatArray, IntArray, Numbers, check_level

_TRUST = (0.0, 0.25, 0.5, 0.75, 1.0)
"""How far the predictions may be trusted; what gives the smallest variance is taken."""

_PSEUDO = 4
"""Opinions, half of them hits, that are added to what was judged, as Agresti and Coull do for plain shares.

A few judged units without an error do not show that there are none.
"""


@dataclass(frozen=True, slots=True)
class JudgedSample:
    """Units that were drawn by stratum, each with the predicted and the true counts of hits and of all."""

    strata: IntArray  # [n]
    sizes: IntArray  # [S] units of each stratum in all
    predicted: FloatArray  # [n, 2] hits and all
    truth: FloatArray  # [n, 2]

    @classmethod
    def build(
        cls, strata: Sequence[int], sizes: Sequence[int], predicted: Numbers, truth: Numbers
    ) -> "JudgedSample":
        """Check and convert what was judged."""
        arrays = [np.asarray(each, np.float64).reshape(-1, 2) for each in (predicted, truth)]
        sample = cls(np.asarray(strata, np.int64), np.asarray(sizes, np.int64), *arrays)
        drawn = np.bincount(sample.strata, minlength=len(sample.sizes))
        if len(sample.strata) < 2 or len(sample.strata) != len(arrays[0]) or len(arrays[0]) != len(arrays[1]):
            raise DataError(
                f"judged sample: found {len(sample.strata)} units: expected two or more; judge more"
            )
        if len(drawn) > len(sample.sizes) or (drawn > sample.sizes).any():
            raise DataError(
                "judged sample: found more units than there are in a stratum: expected a part of them"
            )
        if (drawn < np.minimum(sample.sizes, 2)).any():
            raise DataError(
                "judged sample: found a stratum of which fewer than two units were judged: "
                "expected some of each; judge more"
            )
        return sample

    @property
    def weights(self) -> FloatArray:
        """How many units each one stands for, [n]."""
        drawn = np.bincount(self.strata, minlength=len(self.sizes))
        weights: FloatArray = self.sizes[self.strata] / drawn[self.strata]
        return weights


@dataclass(frozen=True, slots=True)
class CorrectedShare:
    """A share with the confidence interval that covers sampling and model error.

    `trust` is how far the predictions were used, from 0, judged units alone, to 1.
    """

    value: float
    low: float
    high: float
    trust: float


def corrected_share(sample: JudgedSample, totals: Numbers, *, level: float = 0.95) -> CorrectedShare:
    """Correct the share hits / all of what a model counted; `totals` are its counts over all units.

    >>> sample = JudgedSample.build([0] * 50, [1000], [[1, 1]] * 50, [[1, 1]] * 40 + [[0, 1]] * 10)
    >>> share = corrected_share(sample, [1000, 1000])
    >>> round(share.value, 2), round(share.low, 2), round(share.high, 2)
    (0.78, 0.66, 0.89)
    """
    check_level("corrected_share", level)
    counted = np.asarray(totals, np.float64)
    found = [_estimate(sample, counted, trust) for trust in _TRUST]
    variance, share, freedom, trust = min(found)
    reach = t_quantile((1 - level) / 2, max(freedom, 1.0)) * sqrt(variance)
    return CorrectedShare(share, max(0.0, share - reach), min(1.0, share + reach), trust)


def _estimate(sample: JudgedSample, totals: FloatArray, trust: float) -> tuple[float, float, float, float]:
    """Return variance, share and degrees of freedom for one degree of trust in the predictions."""
    weights, count = sample.weights, len(sample.strata)
    missing = sample.truth - trust * sample.predicted  # [n, 2] what the predictions leave to the sample
    hits, everything = trust * totals + weights @ missing
    per_unit = float(sample.sizes.sum()) / count
    pseudo = _PSEUDO * per_unit
    hits, everything = max(hits, 0.0) + pseudo / 2, max(everything, 0.0) + pseudo
    share = float(np.clip(hits / everything, 0.0, 1.0))
    residual = sample.truth @ [1.0, -share]  # [n]
    error = missing @ [1.0, -share]  # [n]
    parts = [
        *_draw_variances(sample, error),
        (_spread(residual, weights), count - 1),
        (per_unit * pseudo * ((1 - share) ** 2 + share**2) / 2, _PSEUDO),
    ]
    variance = sum(part for part, _ in parts)
    # Satterthwaite: parts that are known from a few units only make the whole less sure
    freedom = variance**2 / max(sum(part**2 / free for part, free in parts), 1e-300)
    return variance / everything**2, share, freedom, trust


def _draw_variances(sample: JudgedSample, error: FloatArray) -> list[tuple[float, int]]:
    """Return for each stratum the variance of its corrected total, and what it is known from."""
    found = []
    for stratum, size in enumerate(sample.sizes.tolist()):
        inside = error[sample.strata == stratum]
        if len(inside) > 1:
            left = 1 - len(inside) / size
            found.append((size**2 * left * float(inside.var(ddof=1)) / len(inside), len(inside) - 1))
    return found


def _spread(residual: FloatArray, weights: FloatArray) -> float:
    """Return the variance of a total of all units, were they drawn anew from their kind."""
    whole = weights.sum()
    mean = weights @ residual / whole
    return float(weights @ (residual - mean) ** 2 * len(residual) / (len(residual) - 1))
