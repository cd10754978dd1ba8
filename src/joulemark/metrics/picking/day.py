"""What a day of a workload costs: its requests, and the engine standing ready between them."""

from __future__ import annotations

import math

from joulemark.metrics.carbon import JOULES_PER_KWH
from joulemark.metrics.money import by_tokens
from joulemark.metrics.operands import numbers_of, withheld_like
from joulemark.metrics.picking import definitions as told
from joulemark.metrics.picking.candidate import Candidate
from joulemark.metrics.picking.workload import Workload
from joulemark.metrics.student import t_95
from joulemark.metrics.value import Value, scaled, withheld
from joulemark.record.reason import Reason

DAY_S = 86_400.0
_NO_DAY = "No requests a day were given (`--requests-per-day`)."
_BY_CHANCE = "The run's requests came when they were due, so how many the engine takes at once is not known."
_FULL = "The requests of a day take longer than a day."


def day_figures(
    candidate: Candidate,
    workload: Workload,
    joules: Value,
    single_variance: float,
    seconds: Value,
    usd: Value,
) -> dict[str, Value]:
    """Return the figures of a day; ``single_variance`` (J²) is that of single requests about their mean."""
    requests = workload.requests_per_day
    if requests is None:
        return {
            name: withheld(told.UNITS[name], Reason.NOT_APPLICABLE, detail=_NO_DAY)
            for name in (
                told.BUSY.name,
                told.REQUESTS_KWH.name,
                told.STANDBY_KWH.name,
                told.KWH.name,
                told.USD_DAY.name,
                told.GCO2E_DAY.name,
            )
        }
    busy = _busy(candidate, requests, seconds)
    asked = _requests_kwh(candidate, requests, joules, single_variance)
    ready = _standby_kwh(candidate, busy)
    day = _sum(asked, ready, "kWh/day")
    rates = candidate.rates
    if by_tokens(rates, local=candidate.local):
        money = scaled(usd, requests, "USD/day")
    elif rates.usd_per_kwh is None:
        money = withheld_like(usd, "USD/day")
    else:
        money = scaled(day, rates.usd_per_kwh * rates.pue, "USD/day")
    if rates.gco2e_per_kwh is None:
        carbon = withheld("gCO2e/day", Reason.NO_GRID_INTENSITY)
    else:
        carbon = scaled(day, rates.gco2e_per_kwh * rates.pue, "gCO2e/day")
    return {
        told.BUSY.name: busy,
        told.REQUESTS_KWH.name: asked,
        told.STANDBY_KWH.name: ready,
        told.KWH.name: day,
        told.USD_DAY.name: money,
        told.GCO2E_DAY.name: carbon,
    }


def _busy(candidate: Candidate, requests: float, seconds: Value) -> Value:
    if candidate.in_flight is None:
        reason = Reason.NOT_PUBLISHED if candidate.point.kind == "published" else Reason.NOT_APPLICABLE
        detail = "" if candidate.point.kind == "published" else _BY_CHANCE
        return withheld("1", reason, detail=detail)
    return scaled(seconds, requests / DAY_S / candidate.in_flight, "1")


def _requests_kwh(candidate: Candidate, requests: float, joules: Value, single_variance: float) -> Value:
    if joules.value is None or joules.lo is None or joules.hi is None:
        return scaled(joules, requests / JOULES_PER_KWH, "kWh/day")
    mean = joules.value
    bound = candidate.gain_bound * mean
    t = t_95(candidate.model.degrees)
    of_mean = max(0.0, joules.hi - mean - bound)
    half = requests * bound + math.hypot(requests * of_mean, t * math.sqrt(requests * single_variance))
    total = requests * mean
    return scaled(
        Value(total, "J", max(0.0, total - half), total + half, "ci95", n=joules.n),
        1 / JOULES_PER_KWH,
        "kWh/day",
    )


def _standby_kwh(candidate: Candidate, busy: Value) -> Value:
    found = numbers_of(candidate.idle_w, busy)
    if isinstance(found, Value):
        return withheld_like(found, "kWh/day")
    idle_w, share = found
    if share > 1:
        return withheld("kWh/day", Reason.NOT_APPLICABLE, detail=_FULL)
    kwh = 24 / 1000 * idle_w * (1 - share)
    idle, at_work = candidate.idle_w, busy
    if idle.lo is None or idle.hi is None or at_work.lo is None or at_work.hi is None:
        lacking = idle if idle.lo is None else at_work
        return Value(kwh, "kWh/day", interval_reason=lacking.interval_reason or Reason.NOT_MEASURED)
    least, most = max(0.0, 1 - at_work.hi), min(1.0, 1 - at_work.lo)
    return Value(kwh, "kWh/day", 0.024 * idle.lo * least, 0.024 * idle.hi * most, "ci95")


def _sum(a: Value, b: Value, unit: str) -> Value:
    """Return a + b, intervals added in full; without one where either has none."""
    found = numbers_of(a, b)
    if isinstance(found, Value):
        return withheld_like(found, unit)
    total = found[0] + found[1]
    if a.lo is None or a.hi is None or b.lo is None or b.hi is None:
        lacking = a if a.lo is None else b
        return Value(total, unit, interval_reason=lacking.interval_reason or Reason.NOT_MEASURED)
    return Value(total, unit, a.lo + b.lo, a.hi + b.hi, "ci95")
