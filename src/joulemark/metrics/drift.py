"""How far the counter and the integrated power of the same windows are apart."""

from __future__ import annotations

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Method, Withheld
from joulemark.record.reason import Reason

DRIFT_LIMIT_PCT = 10.0  # beyond it one of the two is wrong
DRIFT = MetricDefinition(
    "counter_vs_integration_pct_diff",
    "Integrated power against the counter",
    "%",
    r"100\,(E_\mathrm{integrated} - E_\mathrm{counter}) / E_\mathrm{counter}",
    ("total_joules", "telemetry.power_w"),
    ("the headline is not a counter's", "the source has no power gauge", "the counter counted nothing"),
    "the published async-energy methodology; sign: positive when integration gives more",
)
DEFINITIONS = (DRIFT,)


def contradiction(counter: MeasuredOrWithheld, integrated: MeasuredOrWithheld) -> Withheld | None:
    """Return why a counter is not believed: its gauge cannot have seen the same, bounds included.

    Within `DRIFT_LIMIT_PCT` it is calibration that differs.
    """
    drift = counter_vs_integration_pct_diff(counter, integrated).value
    if drift is None or abs(drift) <= DRIFT_LIMIT_PCT:
        return None
    assert isinstance(counter, MeasuredEnergy)
    assert isinstance(integrated, MeasuredEnergy)
    if counter.lo <= integrated.hi and integrated.lo <= counter.hi:
        return None
    told = (
        f"The counter says {counter.lo:,.4g} to {counter.hi:,.4g} J, its power {integrated.lo:,.4g} to "
        f"{integrated.hi:,.4g} J ({drift:+.0f} %)."
    )
    return Withheld(Reason.METER_CONTRADICTED, told)


def counter_vs_integration_pct_diff(counter: MeasuredOrWithheld, integrated: MeasuredOrWithheld) -> Value:
    """Return 100 × (integrated − counter) / counter in per cent; both of the same scopes and windows."""
    for energy in (counter, integrated):
        if isinstance(energy, Withheld):
            return withheld("%", energy.reason, detail=energy.detail)
    assert isinstance(counter, MeasuredEnergy)
    assert isinstance(integrated, MeasuredEnergy)
    if counter.method is not Method.COUNTER or integrated.method is not Method.INTEGRATED:
        return withheld("%", Reason.NOT_APPLICABLE, detail="The headline energy is not from a counter.")
    if set(counter.scopes) != set(integrated.scopes):
        return withheld("%", Reason.NOT_APPLICABLE, detail="The power gauge covers another scope.")
    if counter.joules <= 0:
        return withheld("%", Reason.NO_SAMPLES, detail="The counter counted 0 J.")
    return Value(100 * (integrated.joules - counter.joules) / counter.joules, "%")
