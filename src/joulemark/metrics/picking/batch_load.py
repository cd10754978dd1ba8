"""Whether a day of requests makes up the batch that a published row was measured with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joulemark.metrics.picking.day import DAY_S

if TYPE_CHECKING:
    from joulemark.metrics.picking.candidate import Candidate
    from joulemark.metrics.picking.workload import Workload

_AXES = ("concurrency", "max_concurrency", "max_batch", "max_num_seqs", "batch_size")
"""Settings that say how many requests shared the engine, at most; the first that a row has counts."""
_ENOUGH = 0.5  # of the batch, as of a measured load
_EVERY = "{label} was published with up to {k:,.0f} requests in a batch; {n:,.0f} a day are one in {gap}"
_BEFORE = ", each over before the next comes"
_JOULES = ". Its joules hold only if they come together."
_MEAN = ", {own:.2g} at a time"


def batch_of(candidate: Candidate) -> float | None:
    """Return how many requests shared the engine of a published row at most; null where it does not say."""
    for name in _AXES:
        value = candidate.point.settings.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool) and value > 0:
            return float(value)
    return None


def batch_not_full(candidate: Candidate, workload: Workload | None) -> str:
    """Return that a day does not make up the batch of a published row, or nothing.

    Requests under way at once are the requests a second times how long one takes (J. D. C. Little, 1961): the
    row's own time of an answer, or its time per token times your tokens. Where the row has neither, requests
    that come minutes apart are told, for no answer of a batch takes as long.
    """
    batch = batch_of(candidate)
    if workload is None or workload.requests_per_day is None or batch is None or batch <= 1:
        return ""
    gap_s = DAY_S / workload.requests_per_day
    seconds = _seconds(candidate, workload)
    own = None if seconds is None else seconds / gap_s
    if own is None:
        if gap_s < 60:
            return ""
        between = ""
    else:
        if own >= _ENOUGH * batch:
            return ""
        between = _MEAN.format(own=own) if own >= 1 else _BEFORE
    gap = f"{gap_s:,.0f} s" if gap_s >= 10 else f"{gap_s:.2g} s"
    said = _EVERY.format(label=candidate.point.label, k=batch, n=workload.requests_per_day, gap=gap)
    return said + between + _JOULES


def _seconds(candidate: Candidate, workload: Workload) -> float | None:
    latencies = candidate.point.latencies_s
    per_token = latencies.get("tpot_mean")
    if per_token is not None and per_token.value is not None:
        return per_token.value * workload.completion_tokens
    whole = latencies.get("e2el_mean")
    return None if whole is None else whole.value
