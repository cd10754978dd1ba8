"""Grams of CO2-equivalent: metered energy times a declared factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, scaled, withheld
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import Rates

JOULES_PER_KWH = 3.6e6

_INPUTS = ("rates.gco2e_per_kwh", "rates.grid_series", "rates.pue")
_WHEN = "no grid intensity was given (`--gco2e-per-kwh`, `--zone` or `--grid-series`)"
_UNCOVERED = "the series of intensities does not cover all of the time measured"
_TOO_LARGE = "the rates make it larger than a number can be"
_SOURCE = (
    "metered energy of the headline scope times a declared factor: operational only and location-based, an "
    "average, no marginal intensity; what making the machine emitted (embodied) stands apart. The factor's "
    "zone, year, source and licence stand in the run. With a series it is the mean of its steps weighted by "
    "the energy metered within each, by time where the meter cannot tell the parts of a window"
)

PER_CORRECT = MetricDefinition(
    "gco2e_per_correct_answer",
    "CO2e per correct answer",
    "gCO2e",
    r"E / n_\mathrm{correct} / 3.6 \cdot 10^6 \cdot g_\mathrm{grid} \cdot \mathrm{PUE}",
    ("joules_per_correct_answer", *_INPUTS),
    (_WHEN, _UNCOVERED, "joules per correct answer are withheld", _TOO_LARGE),
    f"{_SOURCE}; interval: that of joules per correct answer, none of the factor",
)
PER_REQUEST = MetricDefinition(
    "gco2e_per_request",
    "CO2e per request",
    "gCO2e",
    r"E / n_\mathrm{requests} / 3.6 \cdot 10^6 \cdot g_\mathrm{grid} \cdot \mathrm{PUE}",
    ("joules_per_request", *_INPUTS),
    (_WHEN, _UNCOVERED, "joules per request are withheld", _TOO_LARGE),
    f"{_SOURCE}; interval: the meter's bound",
)
DEFINITIONS = (PER_CORRECT, PER_REQUEST)


def gco2e(joules: Value, rates: Rates) -> Value:
    """Return joules (a figure with its interval) as grams of CO2e by the declared intensity and PUE.

    ``rates`` with a series hold the mean over the time of the joules, see `rate_steps.rates_between`.
    """
    if rates.gco2e_per_kwh is None:
        if intensity_given(rates):
            return withheld("gCO2e", Reason.RATES_DO_NOT_COVER, detail=uncovered(rates.grid_source))
        return withheld("gCO2e", Reason.NO_GRID_INTENSITY)
    return scaled(joules, rates.gco2e_per_kwh * rates.pue / JOULES_PER_KWH, "gCO2e")


def intensity_given(rates: Rates) -> bool:
    """Tell whether an intensity was given, be it a series that does not cover the run."""
    return rates.gco2e_per_kwh is not None or bool(rates.grid_series) or rates.grid_source is not None


def uncovered(source: str | None) -> str:
    """Say that a series of rates leaves out some of the time that was measured; no neighbour stands in."""
    return f"The series ({source or 'source not told'}) does not cover all of the time."
