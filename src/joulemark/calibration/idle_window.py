"""How long an idle is watched, so that its meter can say something of it, and whether it did."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.calibration.steady_power import Bounded
from joulemark.live.device import by_belief
from joulemark.live.patience import LONGEST_WAIT_S
from joulemark.record.errors import InputError
from joulemark.record.meter import QualifiedSource, SourceInfo
from joulemark.record.scope import WALL_KINDS
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.counter import CEILING_OVER_SLOPE
from joulemark.telemetry.gauge import FEW, HIDDEN_SHARE

LONGEST_S = 900.0  # longer only where the user asks for it
MOST_S = 3600.0  # the most that ``--duration`` takes
_SHARE = 0.5  # of the power: how wide the bound of a baseline is meant to be
_EDGES = 2  # of a window, each with the meter's error


@dataclass(frozen=True, slots=True)
class IdleWindow:
    """How long an idle is watched (s), and why longer than was asked for; empty where it is not."""

    duration_s: float
    why: str = ""


def idle_window(sources: Sequence[QualifiedSource], at_least_s: float) -> IdleWindow:
    """Return the window that the meters of the devices need; of meters outside only where they are alone.

    Raises `InputError` where that is more than a quarter of an hour and was not asked for.
    """
    inside = [source for source in sources if source.info.scope.kind not in WALL_KINDS]
    slowest = max(inside or sorted(sources, key=by_belief)[:1], key=needed_s)
    wanted_s = needed_s(slowest)
    if wanted_s <= at_least_s:
        return IdleWindow(at_least_s)
    why = f"what {slowest.info.name} shows may be {slowest.info.value_age_s:.3g} s old"
    if slowest.info.is_register:
        why += f", and its register counts in steps of {slowest.info.counter_quantum_j:,.4g} J"
    if wanted_s > LONGEST_S:
        raise InputError(
            f"{slowest.info.name} cannot tell an idle power in {spoken(LONGEST_S)}",
            why=why,
            fix=longer(wanted_s),
        )
    return IdleWindow(wanted_s, why)


def needed_s(source: QualifiedSource) -> float:
    """Return after how many seconds the bound of a steady power is about half as wide as the power.

    By the register or by the gauge, whichever is sooner (ADR 9): each edge of a window costs a register one
    step and three times the power while a value may be old, and a gauge a fifth of the largest power in that
    time. 0 for a meter whose values are fresh and fine: any window will do.
    """
    info, test = source.info, source.qualification
    if not info.value_age_s and not info.is_register:
        return 0.0
    power_w = test.mean_power_w
    ways: list[float] = []
    if test.counter_ok and Quantity.ENERGY_J in info.quantities:
        step_s = info.counter_quantum_j / power_w if power_w else 0.0
        ways.append(_EDGES * (step_s + CEILING_OVER_SLOPE * info.value_age_s) / _SHARE)
    if test.gauge_ok and info.power_quantity is not None and power_w:
        ways.append(_by_gauge_s(info, power_w))
    return min(ways, default=0.0)


def _by_gauge_s(info: SourceInfo, power_w: float) -> float:
    lag_s = info.value_age_s + (info.power_window_s or 0.0)
    if lag_s / 2 > LONGEST_WAIT_S:
        return math.inf  # what it will show of the end is not waited for
    swing = HIDDEN_SHARE * (info.power_max_w / power_w if info.power_max_w else 2.0)
    return max(FEW * info.value_age_s, _EDGES * lag_s * swing / _SHARE)


def says_nothing(power_w: Bounded) -> bool:
    """Tell whether a power's bound is wider than the power itself."""
    point, low, high = power_w
    return high - low > point


def longer(wanted_s: float) -> str:
    """Return what to do where an idle has to be watched for ``wanted_s``."""
    if wanted_s > MOST_S:
        return "use a meter that is renewed more often or counts in finer steps (docs/meters.md)"
    return f"give it that time: --duration {math.ceil(wanted_s / 10) * 10}"


def spoken(seconds: float) -> str:
    """Return a stretch of time in seconds, a longer one in minutes."""
    return f"{seconds / 60:.0f} min" if seconds >= 120 else f"{seconds:.0f} s"
