"""From a run to an operating point: the steady state of a loaded run, all of a sequential one."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from joulemark.metrics import loaded_definitions as loaded
from joulemark.metrics.carbon import gco2e
from joulemark.metrics.drift import DRIFT, DRIFT_LIMIT_PCT
from joulemark.metrics.energy_per import PER_CORRECT_BOUND
from joulemark.metrics.foreign_load import foreign_in
from joulemark.metrics.late_client import why_not_ranked
from joulemark.metrics.latency import E2EL, PERCENTILES, Latency
from joulemark.metrics.media import RATE, batch_latencies, medium_of, unit_energy
from joulemark.metrics.money import usd_per_request
from joulemark.metrics.operands import numbers_of, withheld_like
from joulemark.metrics.operating_point import Kind, OperatingPoint
from joulemark.metrics.point_device import UNKNOWN_DEVICE, point_devices
from joulemark.metrics.point_label import point_label
from joulemark.metrics.point_settings import point_flags, point_settings, point_task, questions_digest
from joulemark.metrics.tdp import tdp_energy
from joulemark.metrics.value import Value, scaled, withheld
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.reason import Reason
from joulemark.record.simulated import is_simulated_kind

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView
    from joulemark.metrics.summary import Summary
    from joulemark.record.manifest import Manifest
    from joulemark.record.published import Unit

MOST_FAILED = 0.01
"""The share of requests that may fail before a mean latency is withheld."""
_WIDER = "the confidence interval together with the meter's bound"
_UNITS: Mapping[str, Unit] = {"image": "image", "video": "video"}
_SEQUENTIAL = {
    "energy": "joules_per_request",
    "correct": "joules_per_correct_answer",
    "power": "mean_power_w",
    "tokens": "tokens_per_second",
}
_LOADED = {
    "energy": loaded.PER_REQUEST.name,
    "correct": loaded.PER_CORRECT.name,
    "power": loaded.POWER.name,
    "tokens": loaded.TOKENS_PER_S.name,
}


def run_point(run: RunView, summary: Summary, origin: str) -> OperatingPoint:
    """Return the operating point of a run; ``origin`` names its directory.

    Of a loaded run energy, power, rates and latencies are those of its steady state, and withheld where it
    has none; accuracy is graded from all counted requests. Percentiles count failed requests as infinitely
    late, means leave them out: where more than `MOST_FAILED` of the requests failed there is no mean. Of a
    run whose own client did not keep up times and rates are withheld, and it enters no ranking: its joules
    are of the load that the engine got. Nothing is believed of one beside which others used the engine.
    """
    manifest = run.manifest
    is_loaded = manifest.load.mode != "sequential"
    names = _LOADED if is_loaded else _SEQUENTIAL
    found = {key: _figure(summary, name) for key, name in names.items()}
    found = _with_bounds(found, summary, is_loaded=is_loaded)
    timed = summary.steady.latency if is_loaded else summary.latency
    per_second = _figure(summary, loaded.REQUESTS_PER_S.name) if is_loaded else _sequential_rate(summary)
    failing = _too_many_failed(timed)
    seconds = {name: value for one in timed.values() for name, value in _statistics(one, failing).items()}
    window = run.steady.window
    if is_loaded and isinstance(window, Withheld):
        refused = withheld("s", window.reason, detail=window.detail)
        seconds = {name: refused for one in summary.latency.values() for name in _statistics(one, None)}
    medium = medium_of(run)
    if medium is not None:
        found["energy"], per_second = unit_energy(summary.figures, medium), _figure(summary, RATE.name)
        seconds = {**seconds, **batch_latencies(run, summary.figures)}
    drift = _figure(summary, DRIFT.name).value
    if drift is not None and abs(drift) > DRIFT_LIMIT_PCT:
        told = f"Its counter and its integrated power differ by {drift:+.0f} %, so one of them is wrong."
        found = {k: v if k == "tokens" else _doubted(v, told) for k, v in found.items()}
    foreign = foreign_in(run)
    if foreign is not None:
        found = {key: _beside_others(value, foreign) for key, value in found.items()}
        seconds = {name: _beside_others(value, foreign) for name, value in seconds.items()}
        per_second = _beside_others(per_second, foreign)
    if summary.invalid:
        found["tokens"] = _invalid(found["tokens"], summary)
        seconds = {name: _invalid(value, summary) for name, value in seconds.items()}
        per_second = _invalid(per_second, summary)
    device, n_devices = point_devices(run)
    settings = point_settings(manifest)
    return OperatingPoint(
        label=point_label(device, n_devices, settings),
        kind=_kind(run, summary),
        model=manifest.engine.model,
        task=point_task(manifest.task),
        unit=_UNITS[medium] if medium else "request",
        energy_j=found["energy"],
        latencies_s=seconds,
        accuracy=_figure(summary, "accuracy"),
        joules_per_correct=found["correct"],
        throughput=per_second,
        tokens_per_second=found["tokens"],
        mean_power_w=found["power"],
        tdp_energy_j=_tdp(run, device, n_devices, per_second),
        usd=usd_per_request(found["energy"], run.measured_items, run.rates, local=manifest.engine.local),
        gco2e=gco2e(found["energy"], run.rates),
        origin=origin,
        device=device,
        n_devices=n_devices,
        tier=summary.measurement_tier,
        scope=_scope_class(run),
        config_hash=manifest.config_hash,
        settings=settings,
        flags=point_flags(manifest),
        questions=questions_digest(manifest.task, in_batches=medium is not None),
        notes=_notes(manifest, timed, device),
        late=why_not_ranked(summary.invalid),
    )


def _figure(summary: Summary, name: str) -> Value:
    return summary.figures[name]


def _with_bounds(found: Mapping[str, Value], summary: Summary, *, is_loaded: bool) -> dict[str, Value]:
    """Return the figures with intervals that hold what the meter may have missed too."""
    energy, correct = found["energy"], found["correct"]
    if not is_loaded:
        return {**found, "correct": _with_bound(correct, _figure(summary, PER_CORRECT_BOUND.name))}
    bound = _figure(summary, loaded.PER_REQUEST_BOUND.name)
    if energy.value and correct.value:  # one energy over the window stands in both
        correct = _with_bound(correct, scaled(bound, correct.value / energy.value, "J"))
    return {**found, "energy": _with_bound(energy, bound), "correct": correct}


def _with_bound(value: Value, bound: Value) -> Value:
    """Return a figure whose interval holds the meter's bound too, where it is the wider."""
    if value.value is None or bound.lo is None or bound.hi is None:
        return value
    if value.lo is None or value.hi is None:
        return replace(value, lo=bound.lo, hi=bound.hi, interval="bound", interval_reason=None)
    lo, hi = min(value.lo, bound.lo), max(value.hi, bound.hi)
    return value if (lo, hi) == (value.lo, value.hi) else replace(value, lo=lo, hi=hi, interval_method=_WIDER)


def _doubted(value: Value, told: str) -> Value:
    return value if value.value is None else withheld(value.unit, Reason.METER_NOT_QUALIFIED, detail=told)


def _sequential_rate(summary: Summary) -> Value:
    if not summary.duration_s or not summary.n_requests:
        return withheld("1/s", Reason.NOTHING_SCORED)
    return Value(summary.n_requests / summary.duration_s, "1/s", n=summary.n_requests)


def _beside_others(value: Value, foreign: Withheld) -> Value:
    return withheld(value.unit, foreign.reason, detail=foreign.detail)


def _invalid(value: Value, summary: Summary) -> Value:
    return withheld(value.unit, Reason.CLIENT_INVALID, detail=f"({', '.join(summary.invalid)})")


def _too_many_failed(timed: Mapping[str, Latency]) -> Value | None:
    """Return the withheld mean where too many requests failed for one to be believed."""
    failed = max((one.n_failed for one in timed.values()), default=0)
    answered = len(timed[E2EL.name].samples_s) if E2EL.name in timed else 0
    if not answered or failed <= MOST_FAILED * (failed + answered):
        return None
    told = f"{failed} of {failed + answered} failed, and a mean would leave them out."
    return withheld("s", Reason.REQUEST_FAILED, detail=told)


def _statistics(one: Latency, failing: Value | None) -> dict[str, Value]:
    """Return the mean and the percentiles of a latency by the names of `OperatingPoint.latencies_s`."""
    some = one.answered[PERCENTILES[0]]
    found = {f"{one.name}_p{percent}": one.with_failures[percent] for percent in PERCENTILES}
    if failing is not None and one.samples_s:
        found[f"{one.name}_mean"] = failing
    elif one.samples_s:
        mean = math.fsum(one.samples_s) / len(one.samples_s)
        found[f"{one.name}_mean"] = Value(mean, "s", n=len(one.samples_s))
    else:
        found[f"{one.name}_mean"] = withheld_like(some, "s")
    return found


def _kind(run: RunView, summary: Summary) -> Kind:
    """Return whether meters saw it, or a simulation or a recorded trace made it."""
    simulated = is_simulated_kind(run.manifest.engine.kind)
    return "simulated" if simulated or summary.replayed else "measured"


def _scope_class(run: RunView) -> str | None:
    energy = run.headline_energy
    if not isinstance(energy, MeasuredEnergy):
        return None
    return "+".join(sorted({scope.kind for scope in energy.scopes}))


def _tdp(run: RunView, device: str | None, n_devices: int | None, per_second: Value) -> Value:
    """Return the estimate by rated power, of boards alone: a processor's rating leaves out the machine."""
    if not any(board.engine_on_device for board in run.manifest.devices):
        return withheld("J", Reason.NOT_APPLICABLE, detail="The model does not run on a board.")
    found = numbers_of(per_second)
    if isinstance(found, Value):
        return withheld_like(found, "J")
    return tdp_energy(device, n_devices, 1 / found[0] if found[0] > 0 else None)


def _notes(manifest: Manifest, timed: Mapping[str, Latency], device: str | None) -> tuple[str, ...]:
    notes = [] if device is not None else [UNKNOWN_DEVICE]
    if manifest.state != "complete":
        notes.append("The run is not complete.")
    failed = max((one.n_failed for one in timed.values()), default=0)
    if failed:
        notes.append(f"{failed} requests failed: percentiles count them as infinitely late, means do not.")
    return tuple(notes)
