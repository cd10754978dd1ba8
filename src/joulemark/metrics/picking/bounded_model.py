"""A cost model for prices: what noise brought below zero is refitted at zero, for no cost is negative."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import combinations

import numpy as np

from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.least_squares import Array

_NAMES = ("fixed", "per prompt token", "per output token")
_ROUNDING = 1e-9
_BELOW = (
    "The run's fit says {}, below zero within its noise. No cost is negative, so it is priced with none "
    "below 0 (the others refitted), and the interval is as wide as that of the fit."
)


def bounded_model(model: CostModel) -> CostModel:
    """Return the model with coefficients of at least 0, those that make its fit worse by the least.

    Non-negative least squares (C. Lawson and R. Hanson, Solving Least Squares Problems, chapter 23) by the
    fit's estimate b̂ and covariance V, which stand for its points: of all ways to hold coefficients at zero,
    the one whose refit is not negative and whose ``(b - b̂)ᵀ V⁻¹ (b - b̂)`` is least. A price then never falls
    with a length. The covariance stays that of the free fit: that a cost cannot be negative does not tell how
    far above zero it is. A model without a coefficient below zero is returned as it is.
    """
    free, matrix = model.coefficients, model.covariance
    if model.reason is not None or free is None or matrix is None or min(free) >= 0:
        return model
    fixed, alpha, beta = _nearest(tuple(free), tuple(map(tuple, matrix)))
    return replace(model, e_fixed_j=fixed, alpha_j_per_token=alpha, beta_j_per_token=beta)


def bounded_note(model: CostModel) -> str:
    """Return which coefficients of a fit were below zero within their errors, or nothing."""
    if model.reason is not None or model.coefficients is None:
        return ""
    errors = (model.se_fixed_j or 0.0, model.se_alpha_j_per_token or 0.0, model.se_beta_j_per_token or 0.0)
    found = [
        f"{value:.3g} ± {error:.2g} J {name}"
        for name, value, error in zip(_NAMES, model.coefficients, errors, strict=True)
        if value < -_ROUNDING * max(map(abs, model.coefficients))
    ]
    return _BELOW.format(", ".join(found)) if found else ""


@lru_cache(maxsize=1 << 14)  # a picker asks for the same models with every question
def _nearest(
    estimate: tuple[float, ...], covariance: tuple[tuple[float, ...], ...]
) -> tuple[float, float, float]:
    free: Array = np.array(estimate)
    matrix: Array = np.array(covariance)
    best, least = np.maximum(free, 0.0), np.inf
    for size in (1, 2, 3):
        for held in map(list, combinations(range(3), size)):
            inner = np.linalg.pinv(matrix[np.ix_(held, held)])
            found = free - matrix[:, held] @ inner @ free[held]
            found[held] = 0.0
            far = float(free[held] @ inner @ free[held])
            if np.all(found >= 0) and far < least:
                best, least = found, far
    fixed, alpha, beta = best.tolist()
    return fixed, alpha, beta
