"""Grams of CO2-equivalent: metered energy times a declared factor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, scaled, withheld
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import Rates

JOULES_PER_KWH = 3.6e6

_INPUTS = ("rates.gco2e_per_kwh", "rates.pue")
_WHEN = "no grid intensity was given (`--gco2e-per-kwh` or `--zone`)"
_TOO_LARGE = "the rates make it larger than a number can be"
_SOURCE = (
    "metered energy of the headline scope times a declared factor: operational only, what making the machine "
    "emitted (embodied) is left out; the factor's zone, year and source stand in the run"
)

PER_CORRECT = MetricDefinition(
    "gco2e_per_correct_answer",
    "CO2e per correct answer",
    "gCO2e",
    r"E / n_\mathrm{correct} / 3.6 \cdot 10^6 \cdot g_\mathrm{grid} \cdot \mathrm{PUE}",
    ("joules_per_correct_answer", *_INPUTS),
    (_WHEN, "joules per correct answer are withheld", _TOO_LARGE),
    f"{_SOURCE}; interval: that of joules per correct answer, none of the factor",
)
PER_REQUEST = MetricDefinition(
    "gco2e_per_request",
    "CO2e per request",
    "gCO2e",
    r"E / n_\mathrm{requests} / 3.6 \cdot 10^6 \cdot g_\mathrm{grid} \cdot \mathrm{PUE}",
    ("joules_per_request", *_INPUTS),
    (_WHEN, "joules per request are withheld", _TOO_LARGE),
    f"{_SOURCE}; interval: the meter's bound",
)
DEFINITIONS = (PER_CORRECT, PER_REQUEST)


def gco2e(joules: Value, rates: Rates) -> Value:
    """Return joules (a figure with its interval) as grams of CO2e by the declared intensity and PUE."""
    if rates.gco2e_per_kwh is None:
        return withheld("gCO2e", Reason.NO_GRID_INTENSITY)
    return scaled(joules, rates.gco2e_per_kwh * rates.pue / JOULES_PER_KWH, "gCO2e")
