"""What a request, a token and a correct answer cost on a loaded server in its steady state (ADR 11)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from joulemark.metrics import loaded_definitions as defined
from joulemark.metrics.accuracy import is_correct, why_not_scored
from joulemark.metrics.batch_means import Scores, half_width
from joulemark.metrics.loaded_rates import (
    drifting,
    power_change_pct,
    power_w,
    requests_per_second,
    tokens_per_second,
    why_no_interval,
)
from joulemark.metrics.loaded_requests import counted_requests
from joulemark.metrics.run_view import RunView
from joulemark.metrics.steady_state import SteadyState, SteadyWindow
from joulemark.metrics.value import Value, energy_value, scaled, withheld
from joulemark.record.energy import Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason


def loaded_figures(run: RunView) -> dict[str, Value]:
    """Return all figures of the steady state by name; each withheld with the reason where there is none."""
    state = run.steady
    window = state.window
    if isinstance(window, Withheld):
        return {d.name: withheld(d.unit, window.reason, detail=window.detail) for d in defined.STEADY}
    share = (
        Value(window.duration_s / run.duration_s, "1")
        if run.duration_s
        else withheld("1", Reason.OUTSIDE_TIMELINE)
    )
    return {
        defined.PER_CORRECT.name: loaded_joules_per_correct(run, is_correct),
        **_per_request(run, state, window),
        defined.PER_TOKEN.name: _per_token(state, window),
        defined.ENERGY.name: energy_value(state.energy),
        defined.POWER.name: power_w(state, window),
        defined.POWER_CHANGE.name: power_change_pct(state),
        defined.REQUESTS_PER_S.name: requests_per_second(run, window),
        defined.TOKENS_PER_S.name: tokens_per_second(state, window),
        defined.MEAN_BATCH.name: Value(window.mean_batch, "requests"),
        defined.DURATION.name: Value(window.duration_s, "s"),
        defined.SHARE.name: share,
        defined.REQUESTS.name: Value(float(window.requests), "requests"),
        defined.TOKENS.name: Value(window.tokens, "tokens"),
    }


def loaded_joules_per_correct(run: RunView, counts: Callable[[Item], bool]) -> Value:
    """Return loaded joules over the answers that ``counts`` accepts among the counted requests.

    All counted requests of the window's segment pay. Withheld where there is no steady state.
    """
    state = run.steady
    window = state.window
    if isinstance(window, Withheld):
        return withheld("J", window.reason, detail=window.detail)
    per_token = _bound_per_token(state, window)
    if per_token.value is None:
        return per_token
    counted = counted_requests(run)
    if isinstance(counted, Withheld):
        return withheld("J", counted.reason, detail=counted.detail)
    reason = why_not_scored(counted.items, real_valued=run.real_valued)
    if reason is not None:
        return withheld("J", reason)
    right = np.array([counts(item) for item in counted.items], np.float64)
    if not right.any():
        return withheld("J", Reason.NOTHING_CORRECT, n=len(right))
    scores = counted.scores(per_token.value, right)
    return _figure(state, per_token.value, counted.tokens_for(right), scores, len(right))


def _per_request(run: RunView, state: SteadyState, window: SteadyWindow) -> dict[str, Value]:
    counted = counted_requests(run)
    if not isinstance(counted, Withheld) and not counted.completed.any():
        counted = Withheld(Reason.REQUEST_FAILED, f"So did all {len(counted.items)} that count.")
    if isinstance(counted, Withheld):
        three = (defined.PER_REQUEST, defined.PER_REQUEST_BOUND, defined.MEAN_TOKENS)
        return {d.name: withheld(d.unit, counted.reason, detail=counted.detail) for d in three}
    completed = counted.completed
    mean, n = counted.tokens_for(completed), int(completed.sum())
    per_token = _bound_per_token(state, window)
    found = per_token
    if per_token.value is not None:
        scores = counted.scores(per_token.value, completed)
        found = _figure(state, per_token.value, mean, scores, n)
    return {
        defined.PER_REQUEST.name: found,
        defined.PER_REQUEST_BOUND.name: scaled(per_token, mean, "J"),
        defined.MEAN_TOKENS.name: Value(mean, "tokens", n=n),
    }


def _per_token(state: SteadyState, window: SteadyWindow) -> Value:
    bound = _bound_per_token(state, window)
    return bound if bound.value is None else _figure(state, bound.value, 1.0, None, window.requests)


def _bound_per_token(state: SteadyState, window: SteadyWindow) -> Value:
    """Return E/T with the meter's bound."""
    drift = drifting(state)
    if drift is not None:
        return withheld("J", drift.reason, detail=drift.detail)
    return energy_value(state.energy, divisor=window.tokens)


def _figure(state: SteadyState, ratio: float, factor: float, scores: Scores | None, n: int) -> Value:
    """Return ``ratio`` (J/token) × ``factor`` in joules with its interval over blocks and requests."""
    point, joules, why = ratio * factor, state.joules, why_no_interval(state)
    if why is not None or isinstance(joules, Withheld):
        reason, detail = (Reason.TOO_FEW_ITEMS, "") if why is None else (why.reason, why.detail)
        return Value(point, "J", n=n, interval_reason=reason, detail=detail)
    blocks_j, tokens = np.array(joules), np.array(state.block_tokens)
    own = blocks_j.sum() / tokens.sum()  # the blocks' sum differs from one reading by the meter's noise
    half = half_width(factor * (blocks_j - own * tokens) / tokens.sum(), scores)
    return Value(point, "J", point - half, point + half, "ci95", n=n)
