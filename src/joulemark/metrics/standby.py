"""What it costs to keep a model ready for a day: loaded idle power, by a baseline on file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, scaled, withheld
from joulemark.record.energy import MeasuredOrWithheld, Withheld
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import Baselines, Rates

_WHEN = (
    "no loaded idle of this machine, engine, model and power limit is on file (`joulemark calibrate`)",
    "there are no joules: the baseline is that of the headline's scope",
)
_SOURCE = (
    "24 hours at the loaded idle that `joulemark calibrate` measured: the model resident, nothing asked; "
    "interval: the meter's bound"
)

KWH = MetricDefinition(
    "standby_kwh_per_day",
    "Standby energy per day",
    "kWh/day",
    r"24\, P_\mathrm{loaded\,idle} / 1000",
    ("baselines.loaded_idle_w", "total_joules"),
    _WHEN,
    _SOURCE,
)
ABOVE_EMPTY = MetricDefinition(
    "standby_above_empty_kwh_per_day",
    "Standby energy per day above the empty idle",
    "kWh/day",
    r"24\, (P_\mathrm{loaded\,idle} - P_\mathrm{empty\,idle}) / 1000",
    ("baselines.loaded_idle_w", "baselines.empty_idle_w", "total_joules"),
    (*_WHEN, "no empty idle of this machine is on file"),
    f"{_SOURCE}; may be negative",
)
USD = MetricDefinition(
    "standby_usd_per_day",
    "Standby cost per day",
    "USD/day",
    r"24\, P_\mathrm{loaded\,idle} / 1000 \cdot p_\mathrm{kWh} \cdot \mathrm{PUE}",
    ("standby_kwh_per_day", "rates.usd_per_kwh", "rates.pue"),
    ("no price of electricity was given (`--usd-per-kwh`), or it changes with the time of day", *_WHEN),
    f"{_SOURCE}, none of the price",
)
GCO2E = MetricDefinition(
    "standby_gco2e_per_day",
    "Standby CO2e per day",
    "gCO2e/day",
    r"24\, P_\mathrm{loaded\,idle} / 1000 \cdot g_\mathrm{grid} \cdot \mathrm{PUE}",
    ("standby_kwh_per_day", "rates.gco2e_per_kwh", "rates.pue"),
    (
        "no grid intensity was given (`--gco2e-per-kwh` or `--zone`), or it changes with the time of day",
        *_WHEN,
    ),
    f"{_SOURCE}, none of the factor; operational only",
)
DEFINITIONS = (KWH, ABOVE_EMPTY, USD, GCO2E)

_KWH_PER_DAY = 24 / 1000  # of one watt
_CHANGES = "It changes with the time of day, and a day at standby needs one rate."


def idle_power_w(baselines: Baselines, kind: str, scope: str | None) -> Value:
    """Return the idle power that is on file for the scope of the joules, with the meter's bound.

    ``kind``: ``empty`` or ``loaded``; ``scope``: the short name of the headline's scopes. Withheld with
    ``no_baseline`` where none is on file, with what the record says about why.
    """
    loaded = kind == "loaded"
    power_w = baselines.loaded_idle_w if loaded else baselines.empty_idle_w
    bound_w = baselines.loaded_idle_bound_w if loaded else baselines.empty_idle_bound_w
    if power_w is None:
        # The record's word is ``no_baseline: why``; an older one says ``not_measured`` and no more.
        detail = baselines.reasons.get(f"{kind}_idle_w", "").partition(": ")[2]
        return withheld("W", Reason.NO_BASELINE, detail=detail)
    if baselines.scope is not None and baselines.scope != scope:
        detail = f"It is that of {baselines.scope}, the joules are those of {scope}."
        return withheld("W", Reason.NO_BASELINE, detail=detail)
    if bound_w is None:
        return Value(power_w, "W")
    return Value(power_w, "W", bound_w[0], bound_w[1], "bound")


def standby(
    baselines: Baselines, total: MeasuredOrWithheld, scope: str | None, rates: Rates
) -> dict[str, Value]:
    """Return the figures of a day at standby; ``total`` and ``scope`` are the headline's energy and scope."""
    if isinstance(total, Withheld):
        loaded = withheld("W", total.reason, detail=total.detail)
        empty = loaded
    else:
        loaded = idle_power_w(baselines, "loaded", scope)
        empty = idle_power_w(baselines, "empty", scope)
    return standby_of(loaded, empty, rates)


def standby_of(loaded: Value, empty: Value, rates: Rates) -> dict[str, Value]:
    """Return the figures of a day at standby from two idle powers (W), known or withheld."""
    kwh = scaled(loaded, _KWH_PER_DAY, KWH.unit)
    return {
        KWH.name: kwh,
        ABOVE_EMPTY.name: scaled(above(loaded, empty), _KWH_PER_DAY, ABOVE_EMPTY.unit),
        USD.name: _rated(kwh, rates.usd_per_kwh, rates.pue, USD.unit, Reason.NO_PRICE, bool(rates.tariff)),
        GCO2E.name: _rated(
            kwh,
            rates.gco2e_per_kwh,
            rates.pue,
            GCO2E.unit,
            Reason.NO_GRID_INTENSITY,
            bool(rates.grid_series),
        ),
    }


def above(loaded: Value, empty: Value) -> Value:
    """Return what the loaded idle is above the empty one; its bound is that of both."""
    if loaded.value is None or empty.value is None:
        return loaded if loaded.value is None else empty
    difference = loaded.value - empty.value
    if loaded.lo is None or loaded.hi is None or empty.lo is None or empty.hi is None:
        return Value(difference, "W")
    return Value(difference, "W", loaded.lo - empty.hi, loaded.hi - empty.lo, "bound")


def _rated(kwh: Value, rate: float | None, pue: float, unit: str, missing: Reason, changes: bool) -> Value:
    if rate is None:
        return withheld(unit, missing, detail=_CHANGES if changes else "")
    return scaled(kwh, rate * pue, unit)
