"""The long-run energy of a set-up under a steady load: truth (a) of ADR 10."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.request import SimRequest
from joulemark.simulate.virtual import SimulatedRun, run_closed

_BATCHES = 20


@dataclass(frozen=True, slots=True)
class LongRun:
    """What a request costs when the load has gone on for long.

    ``request_j`` and ``token_j`` are joules of all devices for a finished request and for a generated
    token, ``…_error_j`` their standard errors. ``requests_per_s``, ``power_w`` of all devices, and
    ``mean_batch`` over time are of the same window, in which ``requests`` ended.
    """

    request_j: float
    request_error_j: float
    token_j: float
    token_error_j: float
    requests_per_s: float
    power_w: float
    mean_batch: float
    requests: int


def long_run(config: ServerConfig, requests: Sequence[SimRequest], concurrency: int) -> LongRun:
    """Return the long-run energy of ``requests``, asked in a closed loop.

    The window opens when twice the ``concurrency`` has ended (at most a quarter of all), and closes when
    the last request has been sent; it is cut into 20 batches of as many requests each, whose ratios give
    the standard errors (the method of batch means). Raises ``ValueError`` where fewer than 20 requests end
    in it.
    """
    return of_run(run_closed(config, requests, concurrency), concurrency)


def of_run(run: SimulatedRun, concurrency: int) -> LongRun:
    """Return the long-run energy that a closed loop's ``run`` shows."""
    ends = np.array([done.t_end_ns for done in run.finished], dtype=np.int64)
    lead = min(2 * concurrency, len(ends) // 4)
    last = len(ends) - concurrency
    if last - lead < _BATCHES:
        raise ValueError(f"{len(ends)} requests are too few for {concurrency} at once")
    marks = np.round(np.linspace(lead, last, _BATCHES + 1)).astype(np.int64)
    edges_ns = ends[marks]
    spent_j = sum(run.books.energy_j(device, edges_ns) for device in range(run.books.devices))
    stamps = np.sort(np.concatenate([done.token_ns for done in run.finished]))
    tokens = np.searchsorted(stamps, edges_ns, side="right")
    ended = np.searchsorted(ends, edges_ns, side="right")
    batch_j = np.diff(np.asarray(spent_j, dtype=np.float64))
    request_j, request_error_j = _ratio(batch_j, np.diff(ended))
    token_j, token_error_j = _ratio(batch_j, np.diff(tokens))
    t0, t1 = int(edges_ns[0]), int(edges_ns[-1])
    steps = run.steps
    inside_ns = np.maximum(0, np.minimum(steps.t1_ns, t1) - np.maximum(steps.t0_ns, t0))
    seconds = (t1 - t0) * 1e-9
    return LongRun(
        request_j=request_j,
        request_error_j=request_error_j,
        token_j=token_j,
        token_error_j=token_error_j,
        requests_per_s=float(ended[-1] - ended[0]) / seconds,
        power_w=float(batch_j.sum()) / seconds,
        mean_batch=float((inside_ns * steps.batch).sum()) * 1e-9 / seconds,
        requests=int(ended[-1] - ended[0]),
    )


def _ratio(above: NDArray[np.float64], below: NDArray[np.int64]) -> tuple[float, float]:
    """Return a ratio of sums and its standard error over batches."""
    ratio = float(above.sum() / below.sum())
    residuals = above - ratio * below
    error = sqrt(float((residuals**2).sum()) / (len(above) - 1) / len(above)) / float(below.mean())
    return ratio, error
