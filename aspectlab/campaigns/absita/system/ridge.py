"""Kernel ridge regression of many labels at once, with exact leave-one-out scores."""

from __future__ import annotations

import numpy as np

from aspectlab.campaigns.absita.system.parts import Float32Array
from aspectlab.errors import DataError


def fit_ridge(
    kernel: Float32Array, targets: Float32Array, penalty: float
) -> tuple[Float32Array, Float32Array]:
    """Solve (K + penalty I) a = targets [N, L]; give the coefficients and the leave-one-out scores [N, L].

    With C the inverse, the score of example i by a model that never saw it is y_i - a_i / C_ii.
    """
    system = kernel.copy()
    system[np.diag_indices_from(system)] += np.float32(penalty)
    try:
        inverse = np.linalg.inv(system)  # [N, N]
    except np.linalg.LinAlgError:
        raise DataError("kernel: found a singular one: expected a larger penalty") from None
    coefficients = (inverse @ targets).astype(np.float32)
    left_out = targets - coefficients / np.diag(inverse)[:, None]
    return coefficients, left_out.astype(np.float32)
