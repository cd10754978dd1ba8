"""Whether rates are such as there can be, wherever they come from: code, a manifest, an option."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from joulemark.metrics.rate_steps import utc_ns
from joulemark.record import ranges
from joulemark.record.manifest import Rates, RateStep

_RANGES = {
    "usd_per_kwh": ranges.USD_PER_KWH,
    "gco2e_per_kwh": ranges.GCO2E_PER_KWH,
    "usd_per_million_prompt_tokens": ranges.USD_PER_MILLION_TOKENS,
    "usd_per_million_completion_tokens": ranges.USD_PER_MILLION_TOKENS,
    "pue": ranges.PUE,
    "embodied_kgco2e": ranges.EMBODIED_KGCO2E,
    "lifetime_years": ranges.LIFETIME_YEARS,
}


def impossible_in(rates: Rates) -> Iterator[str]:
    """Yield what no rates can be, in words: a number out of its range, a step that ends before it begins."""
    for name, (low, high) in _RANGES.items():
        value = getattr(rates, name)
        if value is not None and not low <= value <= high:
            yield f"{name} is {value:g}, and {low:,.0f} to {high:,.0f} is possible"
    if rates.lifetime_years == 0:
        yield "lifetime_years is 0"
    for steps, (low, high) in (
        (rates.grid_series, ranges.GCO2E_PER_KWH),
        (rates.tariff, (-ranges.USD_PER_KWH[1], ranges.USD_PER_KWH[1])),
    ):
        if not all(low <= step.rate <= high for step in steps):
            yield f"a rate that changes with time is not within {low:,.0f} to {high:,.0f}"
        if not _follow_each_other(steps):
            yield "the steps of a rate that changes with time do not follow each other"


def _follow_each_other(steps: Sequence[RateStep]) -> bool:
    """Tell whether each step has its length and none begins before the one before it ends."""
    last_ns = None
    for step in steps:
        try:
            begin_ns, end_ns = utc_ns(step.from_utc), utc_ns(step.to_utc)
        except (ValueError, OverflowError):
            return False
        if end_ns < begin_ns or (last_ns is not None and begin_ns < last_ns):
            return False
        last_ns = end_ns
    return True
