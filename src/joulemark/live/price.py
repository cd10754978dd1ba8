"""What energy costs, in the few words that a line of code has for it."""

from __future__ import annotations

from pydantic import ValidationError

from joulemark.rates.declared import DeclaredRates, rates_of
from joulemark.rates.possible import impossible_in
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates
from joulemark.record.ranges import GCO2E_PER_KWH, PUE, USD_PER_KWH

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

    Raises `InputError` for a rate that is none, also among ``rates``, and for an unknown zone.
    """
    if rates is not None:
        _require_possible(rates)
    for name, rate, (least, most) in (
        ("usd_per_kwh", usd_per_kwh, USD_PER_KWH),
        ("gco2e_per_kwh", gco2e_per_kwh, GCO2E_PER_KWH),
        ("pue", pue, PUE),
    ):
        if rate is not None and not least <= rate <= most:
            why = f"it is a number from {least:g} to {most:,g}"
            raise InputError(f"{name}={rate} is no rate", why=why)
    declared = DeclaredRates(
        usd_per_kwh=usd_per_kwh, gco2e_per_kwh=gco2e_per_kwh, zone=zone, pue=pue, label=_LABEL
    )
    return rates_of(declared, before=rates, zone_fix=_ZONE_FIX)


def _require_possible(rates: Rates) -> None:
    """Raise `InputError` for rates that none can be. They may have been changed since they were made."""
    try:
        checked = Rates.model_validate(rates.model_dump(warnings=False))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        why = f"{'.'.join(map(str, first['loc']))}: {first['msg']}"
    else:
        why = next(impossible_in(checked), "")
    if why:
        raise InputError("rates= holds what is no rate", why=why)
