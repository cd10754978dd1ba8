"""The same load under several power limits: what a lower limit costs in speed and saves in joules."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from joulemark.calibration.document import CapPoint
from joulemark.calibration.load import EngineLoad
from joulemark.calibration.power_limits import NotPermitted, PowerLimit, power_limits, set_limit_w
from joulemark.calibration.restore import held_limits
from joulemark.calibration.under_load import measure_load
from joulemark.calibration.watch import power_of
from joulemark.live.meter_set import MeterSet
from joulemark.record.meter import QualifiedSource

FACTORY = 1.0  # the first point of every sweep
_SETTLE_S = 1.0  # for the device to follow its limit


def limits_of(device: Sequence[QualifiedSource]) -> tuple[list[PowerLimit], str]:
    """Return the limits of the device's parts, or none and why the sweep cannot be made."""
    known = {limit.scope: limit for limit in power_limits()}
    if not device:
        return [], "which device runs the engine is not known"
    found = [known[str(source.info.scope)] for source in device if str(source.info.scope) in known]
    if len(found) < len(device):
        return [], "the device has no power limit that can be read"
    if any(limit.is_shared for limit in found):
        return [], "the board is shared (MIG), and its limit holds for everybody on it"
    return found, ""


def planned_w(limits: Sequence[PowerLimit], shares: Sequence[float]) -> tuple[list[float], list[str]]:
    """Return the shares that every device allows, and a sentence for each that it does not."""
    wanted = list(dict.fromkeys((FACTORY, *sorted(shares, reverse=True))))
    allowed, refused = [], []
    for share in wanted:
        low = [one for one in limits if one.lowest_w is not None and share * one.base_w < one.lowest_w]
        high = [one for one in limits if one.highest_w is not None and share * one.base_w > one.highest_w]
        if low or high:
            one = (low or high)[0]
            refused.append(
                f"{share:g} of {one.base_w:g} W lies outside what the device allows "
                f"({one.lowest_w:g} to {one.highest_w:g} W)"
            )
        else:
            allowed.append(share)
    return allowed, refused


async def sweep(
    meters: MeterSet,
    load: EngineLoad,
    limits: Sequence[PowerLimit],
    shares: Sequence[float],
    *,
    concurrency: int,
    duration_s: float,
    device: Sequence[str],
    tell: Callable[[str], None],
) -> tuple[list[CapPoint], str]:
    """Measure a full load at each share of the factory's limits; returns the points, and why no more.

    Whatever happens the limits that were in force before are in force afterwards. Raises `InputError` where
    the engine fails or a limit cannot be put back.
    """
    points: list[CapPoint] = []
    values = [[share * limit.base_w for share in shares] for limit in limits]
    with held_limits(limits, values):
        for place, share in enumerate(shares):
            tell(f"power limit at {share:.0%}")
            try:
                for limit, planned in zip(limits, values, strict=True):
                    set_limit_w(limit.kind, limit.address, planned[place])
            except NotPermitted as error:
                return points, f"{error.what}: {error.why}; {error.fix}"
            await asyncio.sleep(_SETTLE_S)
            seen = await measure_load(meters, load, concurrency=concurrency, duty=1.0, duration_s=duration_s)
            point = CapPoint(
                **seen.model_dump(), share=share, limit_w=sum(planned[place] for planned in values)
            )
            points.append(_with_joules(point, device))
    return points, ""


def _with_joules(point: CapPoint, device: Sequence[str]) -> CapPoint:
    """Add joules per output token: power over tokens a second, with the meter's bound."""
    power = power_of(point.powers, device)
    if power is None or not point.tokens_per_s:
        return point
    mean, low, high = (w / point.tokens_per_s for w in power)
    return point.model_copy(update={"joules_per_token": mean, "joules_per_token_bound": (low, high)})
