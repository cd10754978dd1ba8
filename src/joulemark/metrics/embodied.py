"""What making the machine emitted, shared out by time: a line of its own, apart from its electricity's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from joulemark.metrics.accuracy import is_correct, why_not_scored
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, scaled, withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import Rates

SECONDS_PER_YEAR = 31_557_600  # 365.25 days

_INPUTS = ("rates.embodied_kgco2e", "rates.lifetime_years", "windows")
_WHEN = "it was not said what making the machine emitted and how long it is in use"
_SOURCE = (
    "a share by time as in the Software Carbon Intensity specification (ISO/IEC 21031:2024), with the whole "
    "machine reserved: a run takes of the machine's emissions what it takes of its lifetime. The lifetime is "
    "the time in use, so hours without work carry their own share. Both numbers are declared by the user; "
    "PUE does not apply; never added to what the electricity emits"
)
PER_CORRECT = MetricDefinition(
    "embodied_gco2e_per_correct_answer",
    "Embodied CO2e per correct answer",
    "gCO2e",
    r"m_\mathrm{embodied} \cdot 1000 \cdot t / (L \cdot 31557600) / n_\mathrm{correct}",
    (*_INPUTS, "items.correct"),
    (_WHEN, "no answer was correct", "the score is real-valued"),
    _SOURCE,
)
PER_REQUEST = MetricDefinition(
    "embodied_gco2e_per_request",
    "Embodied CO2e per request",
    "gCO2e",
    r"m_\mathrm{embodied} \cdot 1000 \cdot t / (L \cdot 31557600) / n_\mathrm{requests}",
    (*_INPUTS, "items"),
    (_WHEN, "there are no requests"),
    _SOURCE,
)
DEFINITIONS = (PER_CORRECT, PER_REQUEST)


def embodied_gco2e(rates: Rates, duration_s: float | None) -> Value:
    """Return the grams that ``duration_s`` of the machine's lifetime carry."""
    if rates.embodied_kgco2e is None or rates.lifetime_years is None:
        half = rates.embodied_kgco2e is not None or rates.lifetime_years is not None
        lacking = "--embodied-kg" if rates.embodied_kgco2e is None else "--lifetime-years"
        return withheld("gCO2e", Reason.NO_EMBODIED, detail=f"{lacking} is missing." if half else "")
    if not duration_s or not rates.lifetime_years > 0:
        return withheld(
            "gCO2e", Reason.NOT_APPLICABLE, detail="The time measured, or the lifetime, is nothing."
        )
    return scaled(
        Value(duration_s / (rates.lifetime_years * SECONDS_PER_YEAR), "1"),
        rates.embodied_kgco2e * 1000,
        "gCO2e",
    )


def embodied_figures(
    rates: Rates, duration_s: float | None, items: Sequence[Item], *, real_valued: bool
) -> dict[str, Value]:
    """Return both figures by name; ``real_valued`` as of `why_not_scored`."""
    total = embodied_gco2e(rates, duration_s)
    unscored = why_not_scored(items, real_valued=real_valued)
    n_correct = sum(map(is_correct, items))
    lacking = None if n_correct and unscored is None else unscored or Reason.NOTHING_CORRECT
    return {
        PER_CORRECT.name: _shared(total, n_correct, lacking),
        PER_REQUEST.name: _shared(total, len(items), None if items else Reason.NOTHING_SCORED),
    }


def _shared(total: Value, among: int, lacking: Reason | None) -> Value:
    if total.value is None:
        return total
    if lacking is not None:
        return withheld("gCO2e", lacking)
    return scaled(total, 1 / among, "gCO2e")
