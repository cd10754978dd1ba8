"""What energy costs, in the few words that a line of code has for it."""

from __future__ import annotations

import math

from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates

_LABEL = "declared in the code"
_ZONE_FIX = "`joulemark grid` lists the zones; any other is given with gco2e_per_kwh=NUMBER"


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
    for name, rate, least in (
        ("usd_per_kwh", usd_per_kwh, 0.0),
        ("gco2e_per_kwh", gco2e_per_kwh, 0.0),
        ("pue", pue, 1.0),
    ):
        if rate is not None and not (math.isfinite(rate) and rate >= least):
            raise InputError(f"{name}={rate} is no rate", why=f"it is a number of at least {least:g}")
    declared = DeclaredRates(
        usd_per_kwh=usd_per_kwh, gco2e_per_kwh=gco2e_per_kwh, zone=zone, pue=pue, label=_LABEL
    )
    return rates_of(declared, before=rates, zone_fix=_ZONE_FIX)
