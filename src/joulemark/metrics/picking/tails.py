"""How low a drawn cost can come out: an end below which it falls with a stated probability at most."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from joulemark.metrics.picking.columns import Codes, Columns, Numbers
from joulemark.metrics.picking.workload import Workload

_SOURCES = 5  # of noise: coefficients, lengths, bend, gain, accuracy; the meter's bound has ends of its own


def lower_ends(
    columns: Columns,
    rows: Codes,
    workload: Workload,
    per_joule: Numbers,
    probability: float,
    *,
    graded: bool,
) -> Numbers:
    """Return an end for each of ``rows`` that a draw of its cost is below with at most ``probability``.

    ``per_joule`` is what a joule of each row costs. The probability is shared out evenly among the sources of
    noise, each held at its own end, so that the end is lower than need be and never higher.
    """
    z = NormalDist().inv_cdf(1 - probability / _SOURCES)
    coefficients = columns.coefficients[rows]
    at = np.array(workload.at)
    joules = coefficients @ at
    low = joules - t_ends(columns.degrees[rows], z) * _deviation(columns.covariance[rows], workload, z)
    if workload.n is not None:
        spread = np.array(workload.covariance) * workload.mean_factor
        slopes = coefficients[:, 1:]
        low = low - z * np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", slopes, spread, slopes), 0.0))
    bent = columns.has_bend[rows]
    if bent.any():
        low = low - z * np.where(bent, np.abs(columns.bend[rows] @ _context(workload) - joules), 0.0)
    # from 0 down all factors would have to be looked at: such a row has no end
    low = np.maximum(low, 0.0) * np.maximum(0.0, 1 - z * np.sqrt(columns.extra_variance[rows]))
    low = low * np.maximum(0.0, 1 - columns.gain_bound[rows]) * per_joule
    if graded:
        low = low / _upper_accuracy(columns, rows, probability / _SOURCES)
    return np.asarray(np.where(low > 0, low, -np.inf))


def t_ends(degrees: Numbers, z: float) -> Numbers:
    """Return Student's t where its tail is as light as the normal one at ``z``, a little too far out.

    Source: D. L. Wallace, Bounds on normal approximations to Student's and the chi-square distributions
    (1959): t is at most ``sqrt(v (exp(z² / (v - 1/2)) - 1))`` for v above a half.
    """
    v = np.maximum(degrees, 1.0)
    return np.asarray(np.sqrt(v * np.expm1(np.minimum(z * z / (v - 0.5), 600.0))))


def _deviation(covariance: Numbers, workload: Workload, z: float) -> Numbers:
    """Return the standard deviation of the mean by the coefficients; of sampled lengths the largest near."""
    (pp, _), (_, cc) = workload.covariance
    reach = z * np.sqrt(np.array([pp, cc]) * workload.mean_factor)
    _, prompt, output = workload.at
    found = np.zeros(len(covariance))
    for p in {-reach[0], reach[0]}:
        for c in {-reach[1], reach[1]}:  # the variance is convex in the lengths
            at = np.array([1.0, prompt + p, output + c])
            found = np.maximum(found, np.einsum("i,kij,j->k", at, covariance, at))
    return np.sqrt(found)


def _context(workload: Workload) -> Numbers:
    """Return what a bent plane's coefficients are multiplied with, as `Curvature.mean_j` does."""
    (_, pc), (_, cc) = workload.covariance
    prompt, output = workload.prompt_tokens, workload.completion_tokens
    return np.array([1.0, prompt, output, output * prompt + pc + (output * output + cc) / 2])


def _upper_accuracy(columns: Columns, rows: Codes, probability: float) -> Numbers:
    """Return where Beta draws of accuracies end: they are sub-Gaussian (O. Marchal and J. Arbel, 2017)."""
    accuracy, trials = columns.accuracy[rows], columns.trials[rows]
    mean = (accuracy * trials + 0.5) / (trials + 1)
    reach = np.sqrt(-math.log(probability) / (2 * (trials + 2)))
    return np.where(np.isnan(trials), accuracy, np.minimum(1.0, mean + reach))
