"""From what the user says of prices and of the grid to rates with their sources."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.metrics.grid import GridIntensity, grid_intensity, near_zones
from joulemark.metrics.rate_steps import WallSpan, utc_ns, utc_text
from joulemark.rates.series import RateSeries, read_series
from joulemark.rates.time_of_use import read_tariff
from joulemark.rates.token_prices import token_prices
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates, RateStep

DECLARED = "declared by the user"
LISTED = "`joulemark grid` lists the zones; any other is given with --gco2e-per-kwh NUMBER"
_DAY_NS = 86_400_000_000_000
_BEFORE_DAYS, _AFTER_DAYS = 31, 7  # of now: a run that goes on may have begun so long ago, and last so long


@dataclass(frozen=True, slots=True)
class DeclaredRates:
    """The user's words, each as the option of that name.

    ``price``: "PROMPT,COMPLETION" in USD per million tokens, or "PROVIDER/MODEL". ``grid_series`` and
    ``tariff`` are files of rates that change with time. ``label`` is the source of what is a plain number.
    """

    usd_per_kwh: float | None = None
    price: str | None = None
    gco2e_per_kwh: float | None = None
    zone: str | None = None
    pue: float | None = None
    grid_series: Path | None = None
    tariff: Path | None = None
    embodied_kg: float | None = None
    lifetime_years: float | None = None
    label: str = DECLARED

    @property
    def given(self) -> bool:
        """Whether anything was said."""
        return self != DeclaredRates(label=self.label)


def rates_of(
    declared: DeclaredRates,
    before: Rates | None = None,
    spans: Sequence[WallSpan] | None = None,
    *,
    zone_fix: str = LISTED,
) -> Rates:
    """Return the rates with their sources; what is not said stays as it was ``before``.

    Of files only those steps are taken that hold at some moment of ``spans`` (UTC ns): when the run measured.
    Without them it is about to: the steps of 31 days before now and 7 after are taken, for
    `runs.effective_rates.rates_of_run` to choose from. Raises `InputError` for what is no price, no known
    zone (``zone_fix`` says how to mend that) and no file of rates, and where two words contradict each other.
    """
    _refuse_two("--gco2e-per-kwh", declared.gco2e_per_kwh, "--grid-series", declared.grid_series)
    _refuse_two("--usd-per-kwh", declared.usd_per_kwh, "--tariff", declared.tariff)
    rates = Rates() if before is None else before.model_copy()
    if declared.pue is not None:
        rates.pue = declared.pue
    around = _around_now() if spans is None else spans
    _grid(declared, rates, around, zone_fix)
    _electricity(declared, rates, around)
    if declared.price is not None:
        prompt, completion, source = token_prices(declared.price)
        rates.usd_per_million_prompt_tokens, rates.usd_per_million_completion_tokens = prompt, completion
        rates.token_price_source = source or declared.label
        if declared.usd_per_kwh is None and declared.tariff is None and before is not None:
            # asked anew what the tokens would cost: a tariff from before must not stand in the way
            rates.usd_per_kwh = rates.electricity_source = None
            rates.tariff = []
    if declared.embodied_kg is not None:
        rates.embodied_kgco2e = declared.embodied_kg
    if declared.lifetime_years is not None:
        rates.lifetime_years = declared.lifetime_years
    if declared.embodied_kg is not None or declared.lifetime_years is not None:
        rates.embodied_source = declared.label
    return rates


def resumed_rates(before: Rates, now: Rates) -> Rates:
    """Return the rates of a run that goes on: the latest ones that were named, if any were.

    A series or tariff replaces the one before, but does not lose the earlier segments' steps: those of before
    its first step, or after its last, stay.
    """
    if now == Rates():
        return before
    steps = {
        "grid_series": (now.gco2e_per_kwh, now.grid_source, before.grid_series, now.grid_series),
        "tariff": (now.usd_per_kwh, now.electricity_source, before.tariff, now.tariff),
    }
    kept = {
        name: _extended(old, new)
        for name, (single, source, old, new) in steps.items()
        if single is None and source is not None
    }
    return now.model_copy(update=kept)


def _extended(old: Sequence[RateStep], new: Sequence[RateStep]) -> list[RateStep]:
    if not new:
        return list(old)
    first, last = min(utc_ns(step.from_utc) for step in new), max(utc_ns(step.to_utc) for step in new)
    kept = list(new)
    for step in old:
        t0, t1 = utc_ns(step.from_utc), utc_ns(step.to_utc)
        if t0 < first:
            kept.append(step.model_copy(update={"to_utc": utc_text(min(t1, first))}))
        if t1 > last:
            kept.append(step.model_copy(update={"from_utc": utc_text(max(t0, last))}))
    return sorted(kept, key=lambda step: utc_ns(step.from_utc))


def _grid(declared: DeclaredRates, rates: Rates, spans: Sequence[WallSpan], zone_fix: str) -> None:
    if declared.grid_series is not None:
        series = read_series(declared.grid_series, "--grid-series", "grid", spans)
        rates.gco2e_per_kwh, rates.grid_zone = None, declared.zone
        rates.grid_series, rates.grid_source = list(series.steps), series.source
    elif declared.gco2e_per_kwh is not None:
        rates.gco2e_per_kwh, rates.grid_zone, rates.grid_source = (
            declared.gco2e_per_kwh,
            declared.zone,
            declared.label,
        )
        rates.grid_series = []
    elif declared.zone is not None:
        grid = zone_intensity(declared.zone, fix=zone_fix)
        rates.gco2e_per_kwh, rates.grid_zone, rates.grid_source = grid.gco2e_per_kwh, grid.zone, grid.credit
        rates.grid_series = []


def zone_intensity(zone: str, *, fix: str = LISTED) -> GridIntensity:
    """Return a zone's row of the table; raises `InputError` with the zones that may be meant, and ``fix``."""
    try:
        return grid_intensity(zone)
    except KeyError as error:
        near = ", ".join(f"{row.zone} ({row.name})" for row in near_zones(zone))
        raise InputError(
            f"the grid intensity of {zone!r} is not known here",
            why=f"did you mean {near}?" if near else "a zone is a code like FRA, FR, US-CA or WORLD",
            fix=fix,
        ) from error


def _electricity(declared: DeclaredRates, rates: Rates, spans: Sequence[WallSpan]) -> None:
    if declared.tariff is not None:
        tariff = _tariff(declared.tariff, spans)
        rates.usd_per_kwh = None
        rates.tariff, rates.electricity_source = list(tariff.steps), tariff.source
    elif declared.usd_per_kwh is not None:
        rates.usd_per_kwh, rates.electricity_source = declared.usd_per_kwh, declared.label
        rates.tariff = []


def _tariff(path: Path, spans: Sequence[WallSpan]) -> RateSeries:
    if path.suffix.lower() == ".toml":
        return read_tariff(path, spans)
    return read_series(path, "--tariff", "tariff", spans)


def _around_now() -> list[WallSpan]:
    now_ns = time.time_ns()
    return [(now_ns - _BEFORE_DAYS * _DAY_NS, now_ns + _AFTER_DAYS * _DAY_NS)]


def _refuse_two(one: str, first: object, other: str, second: object) -> None:
    if first is not None and second is not None:
        raise InputError(
            f"{one} and {other} were both given",
            why="one says what the rate always is, the other that it changes",
            fix=f"leave one of them out: {one} or {other}",
        )
