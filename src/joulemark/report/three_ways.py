"""The same energy, three ways: by the counter, by integrated power, and by a meter outside the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.metrics.attribution import scope_label
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value, energy_value
from joulemark.record.energy import MeasuredEnergy, Method
from joulemark.record.manifest import Meter
from joulemark.record.reason import Reason
from joulemark.record.scope import WALL_KINDS
from joulemark.record.telemetry import Quantity
from joulemark.report.wording import DASH, figure_texts, printable, why

COUNTER, INTEGRATED, OUTSIDE = "Device's counter", "Device's power, integrated", "Wall meter or analyzer"

_COVERS = {"wall": "the whole machine", "psu": "what the power supply gives"}
_NO_OUTSIDE = "No wall meter and no analyzer was read; `joulemark doctor` lists what can be."
_NO_DEVICE = "No meter of the part that runs the model was believed; the meter outside leads."


@dataclass(frozen=True, slots=True)
class Way:
    """One way to the energy of the measured windows; where it is missing ``text`` is a dash, with its reason.

    ``against`` compares it with the headline in per cent; ``leads`` marks the headline itself.
    """

    title: str
    text: str
    bound: str = ""
    source: str = ""
    scope: str = ""
    against: str = ""
    leads: bool = False
    why: str = ""


def three_ways(summary: Summary, run: RunView) -> list[Way]:
    """Return the counter's figure, the integrated one and each of a meter outside, missing ones included."""
    total = summary.figures["total_joules"]
    outside = [(n, v) for n, v in summary.other_energy.items() if is_outside(n)]
    if (summary.headline_scope or "").split(":")[0] in WALL_KINDS:
        leading = _way(OUTSIDE, total, _source(summary), summary.headline_scope, leads=True)
        others = [_other(name, value, total) for name, value in outside]
        return [_missing(COUNTER, _NO_DEVICE), _missing(INTEGRATED, _NO_DEVICE), leading, *others]
    beside = [_other(name, value, total) for name, value in outside]
    beside = beside or [_missing(OUTSIDE, _NO_OUTSIDE)]
    if total.value is None:
        # with nothing answered every figure has that one reason; the energy's own says more
        reason = why(energy_value(run.headline_energy))
        return [_missing(COUNTER, reason), _missing(INTEGRATED, reason), *beside]
    title = COUNTER if summary.energy_source == Method.COUNTER else INTEGRATED
    leading = _way(title, total, _source(summary), summary.headline_scope, leads=True)
    if title == INTEGRATED:
        return [_missing(COUNTER, _why_no_counter(summary, run.manifest.meters)), leading, *beside]
    return [leading, _integrated(summary, run), *beside]


def is_outside(name: str) -> bool:
    """Tell whether another source, named ``source · scope``, sees the machine from outside."""
    return name.rsplit(" · ", 1)[-1].split(":")[0] in WALL_KINDS


def _source(summary: Summary) -> str:
    return (summary.headline_source or "") + (" (replayed)" if summary.replayed else "")


def _missing(title: str, reason: str) -> Way:
    return Way(title, DASH, why=printable(reason))


def _way(
    title: str, value: Value, source: str, scope: str | None, against: str = "", *, leads: bool = False
) -> Way:
    text, bound = figure_texts("total_joules", value)
    return Way(
        title,
        text,
        bound.removeprefix("meter's bound "),
        printable(source),
        printable(scope or ""),
        against,
        leads,
        why(value),
    )


def _integrated(summary: Summary, run: RunView) -> Way:
    energy = run.integrated_energy
    value = energy_value(energy)
    if not isinstance(energy, MeasuredEnergy):
        no_gauge = value.reason is Reason.NOT_APPLICABLE and not value.detail
        return _missing(INTEGRATED, "The source has no power gauge." if no_gauge else why(value))
    drift = summary.figures["counter_vs_integration_pct_diff"]
    against = why(drift) if drift.value is None else f"{_signed(drift.value)} against the counter"
    replayed = " (replayed)" if summary.replayed else ""
    return _way(INTEGRATED, value, energy.source + replayed, scope_label(energy.scopes), against)


def _other(name: str, value: Value, total: Value) -> Way:
    source, _, scope = name.rpartition(" · ")
    against = ""
    if value.value is not None and total.value:
        apart = 100 * (value.value - total.value) / total.value
        covers = _COVERS.get(scope, scope)
        against = f"{_signed(apart)} against the headline; it sees {covers}, not the device alone"
    return _way(OUTSIDE, value, source, scope, printable(against))


def _signed(percent: float) -> str:
    return f"{percent:+.1f} %" if abs(percent) < 1000 else f"{percent:+,.0f} %"


def _why_no_counter(summary: Summary, meters: Sequence[Meter]) -> str:
    """Say what the headline's source lacks: a counter, or one that passed its self-test."""
    names = (summary.headline_source or "").split("+")
    for meter in meters:
        info, test = meter.source, meter.qualification
        if info.name not in names:
            continue
        if Quantity.ENERGY_J.value not in info.quantities:
            return f"{info.name} has no energy counter."
        if not test.counter_ok:
            return f"The counter of {info.name} is not believed: {test.reason or 'it failed its self-test'}."
    return "The counter was not believed in every window of the run."
