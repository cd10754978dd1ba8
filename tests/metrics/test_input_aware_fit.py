"""When tokens of context get a coefficient of their own (ADR 11)."""

from __future__ import annotations

import numpy as np
import pytest

from doubles.made_up_loads import at
from doubles.run_views import measured
from joulemark.metrics.input_aware_fit import InputAwareFit, fit_blocks
from joulemark.metrics.least_squares import least_squares
from joulemark.metrics.work_slices import CONTEXT, OUTPUT, PROMPT, STEPS, TIME, WorkSlices
from joulemark.record.span import Span

N, IDLE_W = 60, 90.0
WITHOUT = [STEPS, PROMPT, OUTPUT]
WITH = [*WITHOUT, CONTEXT]


def fitted(left: float) -> tuple[InputAwareFit, float]:
    """Return the fit of blocks in which context leaves so much of the squares, and its standard errors.

    The noise has nothing of any column, so that the squares are what they are made to be.
    """
    rng = np.random.default_rng(4)
    work = np.column_stack([np.ones(N), *rng.uniform(100, 300, (4, N))])
    work[:, CONTEXT] *= 100
    noise = rng.normal(size=N)
    noise -= work[:, WITH] @ np.linalg.lstsq(work[:, WITH], noise, rcond=None)[0]
    noise *= 20 / np.linalg.norm(noise)
    column = work[:, CONTEXT]
    own = column - work[:, WITHOUT] @ np.linalg.lstsq(work[:, WITHOUT], column, rcond=None)[0]
    # |noise|² = left (|noise|² + c² |own|²)
    context_j = np.sqrt(1 / left - 1) * 20 / np.linalg.norm(own)
    joules = work @ np.array([IDLE_W, 1.4, 0.5, 0.3, context_j]) + noise
    parts = tuple(Span(0, at(k), at(k + 1)) for k in range(N))
    slices = WorkSlices(parts, np.zeros(N, np.bool_), np.arange(N))
    fit = fit_blocks(slices, work, [measured(float(j)) for j in joules], (IDLE_W, "baseline"))
    plain = least_squares(work[:, WITH], joules - IDLE_W * work[:, TIME], list(range(N)))
    assert plain.covariance is not None
    assert (plain.coefficients > 0).all()
    return fit, float(plain.coefficients[-1] / np.sqrt(plain.covariance[-1, -1]))


@pytest.mark.parametrize(("left", "taken"), [(0.45, True), (0.55, False), (0.7, False)])
def test_context_is_taken_in_where_it_halves_the_squares_left(left: float, taken: bool) -> None:
    """In each case it exceeds three standard errors and turns no other coefficient negative."""
    fit, errors = fitted(left)
    assert errors > 3.5
    assert fit.weights is not None
    assert (fit.weights[CONTEXT] > 0) is taken
    assert fit.n - fit.degrees == (4 if taken else 3)
