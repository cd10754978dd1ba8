"""Rates that change with time: what one was over a stretch of it, weighted by the energy that flowed."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from joulemark.record.manifest import Rates, RateStep

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)

WallSpan = tuple[int, int]
"""From and to (UTC ns)."""

Part = tuple[int, int, float]
"""From and to (UTC ns), and the joules that flowed between them."""


def utc_ns(text: str) -> int:
    """Return an ISO 8601 stamp as UTC nanoseconds; raises ``ValueError`` for one without an offset."""
    stamp = datetime.fromisoformat(text)
    if stamp.tzinfo is None:
        raise ValueError(f"{text} has no offset from UTC")
    return (stamp - _EPOCH) // _MICROSECOND * 1000


def utc_text(t_ns: int) -> str:
    """Return UTC nanoseconds as ISO 8601, to the microsecond; without seconds where they are zero."""
    stamp = _EPOCH + timedelta(microseconds=t_ns // 1000)
    whole = stamp.second == stamp.microsecond == 0
    return stamp.replace(tzinfo=None).isoformat(timespec="minutes" if whole else "auto") + "Z"


def has_steps(rates: Rates) -> bool:
    """Tell whether a rate changes with time."""
    return bool(rates.grid_series or rates.tariff)


def step_edges_ns(rates: Rates) -> list[int]:
    """Return where a rate changes, begins or ends, in order (UTC ns)."""
    return sorted(
        {
            edge
            for steps in (rates.grid_series, rates.tariff)
            for t0, t1, _ in _held(steps)
            for edge in (t0, t1)
        }
    )


def split_at(edges: Sequence[int], t0_ns: int, t1_ns: int) -> list[WallSpan]:
    """Return ``t0_ns`` to ``t1_ns`` in parts, cut at those of ``edges`` (in order) that lie inside."""
    inside = edges[bisect_right(edges, t0_ns) : bisect_left(edges, t1_ns)]
    return list(pairwise([t0_ns, *inside, t1_ns]))


def rates_between(
    rates: Rates, wall_t0_ns: int, wall_t1_ns: int, weights: Sequence[Part] | None = None
) -> Rates:
    """Return ``rates`` with single numbers: the means from ``wall_t0_ns`` to ``wall_t1_ns`` (UTC).

    A rate that does not change stays as it is. ``weights`` are the joules of parts of that time: of time
    outside them no energy is known, so it weighs nothing; without them every moment weighs the same. Within
    a part energy is taken to flow evenly, so split parts at `step_edges_ns`. A number is null where the steps
    do not cover all of the time: no value is taken from a neighbour.
    """
    parts = [(wall_t0_ns, wall_t1_ns, 0.0)] if weights is None else weights
    means = {
        name: mean_rate(steps, parts)
        for name, steps in (("gco2e_per_kwh", rates.grid_series), ("usd_per_kwh", rates.tariff))
        if steps
    }
    return rates.model_copy(update=means) if means else rates


def mean_rate(steps: Sequence[RateStep], parts: Sequence[Part]) -> float | None:
    """Return the mean rate over ``parts``, weighted by their joules; null where the steps leave time out.

    Where no joule flowed at all, or only one instant was asked for, time weighs.
    """
    held = list(_held(steps))
    begins = [t0 for t0, _, _ in held]
    pieces: list[tuple[float, float, float]] = []  # rate, joules, ns
    for t0, asked_t1, joules in parts:
        t1 = max(asked_t1, t0 + 1)
        at = t0
        place = bisect_right(begins, t0) - 1
        while at < t1:
            if not 0 <= place < len(held) or not held[place][0] <= at < held[place][1]:
                return None
            end = min(t1, held[place][1])
            pieces.append((held[place][2], joules * ((end - at) / (t1 - t0)), float(end - at)))
            at, place = end, place + 1
    for weights in ([joules for _, joules, _ in pieces], [ns for _, _, ns in pieces]):
        total = math.fsum(weights)
        if total > 0:
            shares = zip(pieces, weights, strict=True)
            return math.fsum(rate * (weight / total) for (rate, _, _), weight in shares)
    return None


def _held(steps: Sequence[RateStep]) -> Iterator[tuple[int, int, float]]:
    """Yield the stretches in which each step holds, in order: a step ends where the next one begins."""
    spans = sorted((utc_ns(step.from_utc), utc_ns(step.to_utc), step.rate) for step in steps)
    for (t0, t1, rate), (next_t0, _, _) in pairwise([*spans, *spans[-1:]]):
        yield t0, min(t1, next_t0) if next_t0 > t0 else t1, rate
