"""What energy costs, in the few words that a line of code has for it."""

from __future__ import annotations

import math

from joulemark.metrics.grid import grid_intensity, near_zones
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates

_DECLARED = "declared in the code"


def rates_with(
    rates: Rates | None,
    *,
    usd_per_kwh: float | None,
    gco2e_per_kwh: float | None,
    zone: str | None,
    pue: float | None,
) -> Rates:
    """Return ``rates`` (null: none yet) with what is given beside them; an intensity goes before a zone.

    Raises `InputError` for a rate that is none and for an unknown zone.
    """
    found = Rates() if rates is None else rates.model_copy()
    for name, rate, least in (
        ("usd_per_kwh", usd_per_kwh, 0.0),
        ("gco2e_per_kwh", gco2e_per_kwh, 0.0),
        ("pue", pue, 1.0),
    ):
        if rate is not None and not (math.isfinite(rate) and rate >= least):
            raise InputError(f"{name}={rate} is no rate", why=f"it is a number of at least {least:g}")
    if pue is not None:
        found.pue = pue
    if usd_per_kwh is not None:
        found.usd_per_kwh, found.electricity_source, found.tariff = usd_per_kwh, _DECLARED, []
    if gco2e_per_kwh is not None:
        found.gco2e_per_kwh, found.grid_zone, found.grid_source = gco2e_per_kwh, zone, _DECLARED
        found.grid_series = []
    elif zone is not None:
        try:
            grid = grid_intensity(zone)
        except KeyError as error:
            near = ", ".join(f"{row.zone} ({row.name})" for row in near_zones(zone))
            raise InputError(
                f"the grid intensity of {zone!r} is not known here",
                why=f"did you mean {near}?" if near else "a zone is a code like FRA, FR, US-CA or WORLD",
                fix="give it: gco2e_per_kwh=NUMBER",
            ) from error
        found.gco2e_per_kwh, found.grid_zone = grid.gco2e_per_kwh, grid.zone
        found.grid_source, found.grid_series = grid.credit, []
    return found
