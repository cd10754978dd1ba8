"""Power and throughput of the steady window, and whether its power held."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.answer_blocks import RENEWALS
from joulemark.metrics.batch_means import MIN_BLOCK_S, MIN_BLOCKS, half_width
from joulemark.metrics.loaded_requests import ended_by_block
from joulemark.metrics.run_view import RunView
from joulemark.metrics.steady_state import SteadyState, SteadyWindow
from joulemark.metrics.trend import trend_of
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason

Floats = NDArray[np.float64]

MAX_POWER_CHANGE = 0.1
BEYOND_SE = 4.0
_FEW_BLOCKS = Withheld(
    Reason.TOO_FEW_ITEMS,
    f"The steady window holds fewer than {MIN_BLOCKS} blocks as long as a request is in the batch.",
)


def few_blocks(state: SteadyState) -> Withheld:
    """Return why a window has too few blocks: its requests are long, or its meter is slow."""
    least_s = RENEWALS * state.renewal_s
    window = state.window
    if isinstance(window, Withheld) or least_s <= max(MIN_BLOCK_S, window.mean_in_batch_s):
        return _FEW_BLOCKS
    told = (
        f"The meter tells something new every {state.renewal_s:.3g} s, so a block lasts {least_s:.3g} s or "
        f"more, and the steady window of {window.duration_s:.3g} s holds fewer than {MIN_BLOCKS}."
    )
    return Withheld(Reason.TOO_FEW_ITEMS, told)


def power_w(state: SteadyState, window: SteadyWindow) -> Value:
    """Return the mean power over the window."""
    energy, joules = state.energy, state.joules
    if isinstance(energy, Withheld):
        return withheld("W", energy.reason, detail=energy.detail)
    by_block = np.array([] if isinstance(joules, Withheld) else joules)
    why = (
        joules
        if isinstance(joules, Withheld) and joules.reason is not Reason.NOT_LOADED
        else few_blocks(state)
    )
    return _rate(window, by_block, energy.joules, "W", why)


def requests_per_second(run: RunView, window: SteadyWindow) -> Value:
    """Return how many requests were answered in the window a second."""
    return _rate(window, ended_by_block(run), window.requests, "1/s", few_blocks(run.steady))


def tokens_per_second(state: SteadyState, window: SteadyWindow) -> Value:
    """Return how many output tokens were made in the window a second."""
    return _rate(window, np.array(state.block_tokens), window.tokens, "tokens/s", few_blocks(state))


def power_change_pct(state: SteadyState) -> Value:
    """Return the change of power over the window by a line through its blocks, in per cent of the mean."""
    joules = state.joules
    if not state.blocks:
        joules = few_blocks(state)
    if isinstance(joules, Withheld):
        return withheld("%", joules.reason, detail=joules.detail)
    line = trend_of(np.array(joules))
    if line.mean <= 0:
        return withheld("%", Reason.NO_SAMPLES, detail="The metered energy is 0 J.")
    return Value(100 * line.change / line.mean, "%", n=len(joules))


def drifting(state: SteadyState) -> Withheld | None:
    """Return why power is not steady in the window; null where it is, or cannot be told."""
    joules = state.joules
    if isinstance(joules, Withheld):
        return None
    line = trend_of(np.array(joules))
    if abs(line.change) <= MAX_POWER_CHANGE * line.mean or abs(line.z) <= BEYOND_SE:
        return None
    told = f"The power changed by {100 * line.change / line.mean:+.0f} % from the window's begin to its end."
    return Withheld(Reason.NOT_STEADY, told)


def why_no_interval(state: SteadyState) -> Withheld | None:
    """Return why the energies of the window have no interval; null where they have one."""
    if not state.blocks:
        return few_blocks(state)
    return state.joules if isinstance(state.joules, Withheld) else None


def _rate(window: SteadyWindow, by_block: Floats, total: float, unit: str, why: Withheld) -> Value:
    """Return a total over the window's length, with its interval from the same sums by block.

    ``why`` there is none where there are too few.
    """
    rate = total / window.duration_s
    if len(by_block) < MIN_BLOCKS:
        return Value(rate, unit, n=window.requests, interval_reason=why.reason, detail=why.detail)
    half = half_width((by_block - by_block.mean()) / window.duration_s)
    return Value(rate, unit, rate - half, rate + half, "ci95", n=window.requests)
