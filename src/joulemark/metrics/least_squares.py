"""Least squares with errors that hold for unequal noise and for repeats of one item."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_ALONE = (
    1e-9  # of a leverage below 1: an item that decides a coefficient alone has no residual to judge it by
)


@dataclass(frozen=True, slots=True)
class LinearFit:
    """Coefficients float64[k], their covariance float64[k, k], and residuals float64[n].

    ``covariance`` is null where some cluster alone decides a coefficient: then its error cannot be told.
    """

    coefficients: Array
    covariance: Array | None
    residuals: Array


def condition(design: Array) -> float:
    """Return the condition number of ``design`` float64[n, k], n >= k, its columns scaled to length 1.

    Infinite for a column of zeros. Source: D. Belsley, E. Kuh and R. Welsch, Regression Diagnostics (1980).
    """
    lengths = np.linalg.norm(design, axis=0)
    if not np.all(lengths > 0):
        return float("inf")
    values = np.linalg.svd(design / lengths, compute_uv=False)
    return float(values[0] / values[-1]) if values[-1] > 0 else float("inf")


def least_squares(design: Array, observed: Array, clusters: Sequence[Hashable]) -> LinearFit:
    """Fit ``observed`` float64[n] by ``design`` float64[n, k] of full rank; rows of a cluster stand together.

    The covariance is HC3 (J. MacKinnon and H. White, 1985): each residual is divided by one minus its
    leverage, so noise need not be equal. Rows of one cluster are corrected together (CR3; R. Bell and
    D. McCaffrey, 2002), which for clusters of one row is HC3.
    """
    lengths = np.linalg.norm(design, axis=0)
    q, r = np.linalg.qr(design / lengths)
    coefficients = np.linalg.solve(r, q.T @ observed) / lengths
    residuals = observed - design @ coefficients
    members: dict[Hashable, list[int]] = {}
    for row, cluster in enumerate(clusters):
        members.setdefault(cluster, []).append(row)
    scores = np.empty((len(members), design.shape[1]))
    single = np.array([k for k, rows in enumerate(members.values()) if len(rows) == 1], np.intp)
    rows_of_single = np.array([rows[0] for rows in members.values() if len(rows) == 1], np.intp)
    left = 1.0 - np.einsum("ij,ij->i", q[rows_of_single], q[rows_of_single])
    if np.any(left < _ALONE):
        return LinearFit(coefficients, None, residuals)
    scores[single] = q[rows_of_single] * (residuals[rows_of_single] / left)[:, None]
    for k, rows in enumerate(members.values()):
        if len(rows) > 1:
            part = q[rows]
            shrunk = np.eye(len(rows)) - part @ part.T
            if np.linalg.eigvalsh(shrunk)[0] < _ALONE:
                return LinearFit(coefficients, None, residuals)
            scores[k] = part.T @ np.linalg.solve(shrunk, residuals[rows])
    inverse = np.linalg.inv(r)
    covariance = inverse @ (scores.T @ scores) @ inverse.T / np.outer(lengths, lengths)
    return LinearFit(coefficients, covariance, residuals)
