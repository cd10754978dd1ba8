"""The steady states of the published rules, from the same requests, beside ours.

Both belong to one benchmark. Its paper measures until no request waits; its third generation from the B-th
first token until N − B − 1 requests have ended, B being the batch that the engine is set up for.
Energy per request is in both J/token × output tokens over completed requests, of the whole run.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise, takewhile

import numpy as np

from joulemark.metrics.latency import answered_items
from joulemark.metrics.occupancy import Occupancy
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.metrics.steady_state import SteadyState
from joulemark.metrics.token_course import tokens_made
from joulemark.metrics.value import Value, energy_value, withheld
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.item import Phase
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.record.telemetry import Quantity

EVENTS = "events"
QUEUE_EMPTY = "queue_empty"
OURS = "joulemark"
TITLES: Mapping[str, str] = {
    OURS: "batch at its level, first cohort ended (ADR 11)",
    EVENTS: "B-th first token to N − B − 1 ended (published, v3)",
    QUEUE_EMPTY: "start to empty queue (published, v2)",
}


@dataclass(frozen=True, slots=True)
class RuleFigures:
    """What a rule for the steady state makes of a run; each figure null with its reason.

    ``t0_s`` and ``t1_s`` are seconds since the first request was sent, ``share_of_run`` the window's part
    (0..1) of the time from the first sending to the last end.
    """

    rule: str
    title: str
    t0_s: Value
    t1_s: Value
    duration_s: Value
    share_of_run: Value
    tokens: Value
    joules_per_token: Value
    joules_per_request: Value


def published_windows(segment: SegmentLoad, max_batch: int | None) -> dict[str, Span | Withheld]:
    """Return the windows of the published rules; ``max_batch`` is the batch that the engine is set up for."""
    segment = _without_warm_ups(segment)
    if not segment.items:
        nothing = Withheld(Reason.NOT_STEADY, "No request was sent.")
        return {EVENTS: nothing, QUEUE_EMPTY: nothing}
    return {EVENTS: _events(segment, max_batch), QUEUE_EMPTY: _queue_empty(segment)}


def _without_warm_ups(segment: SegmentLoad) -> SegmentLoad:
    """Leave out what was asked before the load, one request at a time; lead requests overlap and stay."""
    items = segment.items
    alone = takewhile(
        lambda pair: pair[0].phase == Phase.WARMUP and pair[0].t_end <= pair[1].t_begin, pairwise(items)
    )
    return replace(segment, items=items[sum(1 for _ in alone) :])


def _events(segment: SegmentLoad, max_batch: int | None) -> Span | Withheld:
    if max_batch is None:
        return Withheld(Reason.NOT_REPORTED, "The batch that the engine is set up for is not known.")
    n, b = len(segment.items), max_batch
    firsts = sorted(item.t_first for item in segment.items if item.t_first is not None)
    ends = sorted(item.t_end for item in segment.items)
    told = f"N = {n} requests, B = {b}:"
    if len(firsts) < b:
        return Withheld(
            Reason.NOT_STEADY, f"{told} only {len(firsts)} first tokens came, so it never begins."
        )
    wanted = n - b - 1
    if wanted < 1:
        return Withheld(Reason.NOT_STEADY, f"{told} it ends when {wanted} requests have ended, at the start.")
    t0, t1 = firsts[b - 1], ends[wanted - 1]
    if t1 <= t0:
        return Withheld(Reason.NOT_STEADY, f"{told} {wanted} had ended before the {b}-th first token came.")
    return Span(segment.segment, t0, t1)


def _queue_empty(segment: SegmentLoad) -> Span | Withheld:
    """Find the first instant after the start at which no request waits, by the engine's gauge if any."""
    t0 = segment.items[0].t_begin
    last = max(item.t_end for item in segment.items)
    waiting = segment.gauge(Quantity.REQUESTS_WAITING.value, t0, last)
    if waiting is None:
        # without a gauge a request waits until its first token
        waiting = Occupancy.of_intervals(
            (item.t_begin for item in segment.items),
            (item.t_end if item.t_first is None else item.t_first for item in segment.items),
        )
    busy = np.flatnonzero((waiting.value > 0) & (waiting.t_ns >= t0))
    if not len(busy):
        return Withheld(Reason.NOT_STEADY, "No request ever waited.")
    empty = np.flatnonzero((waiting.value <= 0) & (waiting.t_ns > waiting.t_ns[busy[0]]))
    if not len(empty):
        return Withheld(Reason.NOT_STEADY, "The queue was never empty.")
    return Span(segment.segment, t0, int(waiting.t_ns[empty[0]]))


def rule_figures(segment: SegmentLoad, state: SteadyState, per_request: Value) -> tuple[RuleFigures, ...]:
    """Return what each rule makes of the same segment, ours first with its figure ``per_request``."""
    segment = _without_warm_ups(segment)
    ours = state.window if isinstance(state.window, Withheld) else state.window.part
    foreign = ours if isinstance(ours, Withheld) and ours.reason is Reason.FOREIGN_LOAD else None
    windows: dict[str, tuple[Span | Withheld, MeasuredOrWithheld]] = {OURS: (ours, state.energy)}
    for rule, window in state.published.items():
        energy = window if isinstance(window, Withheld) else foreign or state.published_energy[rule]
        windows[rule] = (window, energy)
    rules = [_figures(rule, segment, *found) for rule, found in windows.items()]
    return (replace(rules[0], joules_per_request=per_request), *rules[1:])


def _figures(
    rule: str, segment: SegmentLoad, window: Span | Withheld, energy: MeasuredOrWithheld
) -> RuleFigures:
    if isinstance(window, Withheld):
        none = {u: withheld(u, window.reason, detail=window.detail) for u in ("s", "1", "tokens", "J")}
        s, share, tokens, joules = none["s"], none["1"], none["tokens"], none["J"]
        return RuleFigures(rule, TITLES[rule], s, s, s, share, tokens, joules, joules)
    first = segment.items[0].t_begin
    whole_s = (max(item.t_end for item in segment.items) - first) * 1e-9
    duration_s = (window.t1 - window.t0) * 1e-9
    tokens = _tokens(segment, window)
    per_token = _per(energy, tokens)
    return RuleFigures(
        rule,
        TITLES[rule],
        Value((window.t0 - first) * 1e-9, "s"),
        Value((window.t1 - first) * 1e-9, "s"),
        Value(duration_s, "s"),
        Value(duration_s / whole_s, "1")
        if whole_s > 0
        else withheld("1", Reason.NOT_REPORTED, detail="The whole load began and ended in one instant."),
        tokens,
        per_token,
        _per_request(segment, per_token),
    )


def _tokens(segment: SegmentLoad, window: Span) -> Value:
    course = segment.tokens
    if isinstance(course, Withheld):
        return withheld("tokens", course.reason, detail=course.detail)
    return Value(float(course.between(np.array([window.t0, window.t1], np.int64))[0]), "tokens")


def _per(energy: MeasuredOrWithheld, tokens: Value) -> Value:
    if tokens.value is None or tokens.reason is not None:
        return withheld("J", tokens.reason or Reason.NOT_REPORTED, detail=tokens.detail)
    if tokens.value < 1:
        return withheld("J", Reason.TOO_FEW_TOKENS, detail="Not one token was made in it.")
    return energy_value(energy, divisor=tokens.value)


def _per_request(segment: SegmentLoad, per_token: Value) -> Value:
    """Return J/token × output tokens over completed requests, as published."""
    if per_token.value is None or per_token.lo is None or per_token.hi is None:
        return per_token
    completed = answered_items(segment.items)
    counts = [tokens_made(item, segment.chunks.get(item.key, ())) for item in completed]
    known = [count for count in counts if count is not None]
    if not known or len(known) < len(counts):
        return withheld("J", Reason.NOT_REPORTED)
    mean = sum(known) / len(known)
    return Value(per_token.value * mean, "J", per_token.lo * mean, per_token.hi * mean, "bound")
