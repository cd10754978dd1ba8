"""What a reader must know before believing a figure, in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from joulemark.metrics.answer_caveats import of_answers
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.doubts import doubts
from joulemark.metrics.drift import DRIFT_LIMIT_PCT
from joulemark.metrics.ended_by import ended_by_hand
from joulemark.metrics.late_client import JOULES_HOLD, NOT_RANKED
from joulemark.metrics.latency import answered_items, streaming_used
from joulemark.metrics.loaded_caveats import of_load
from joulemark.metrics.other_load import is_quiet
from joulemark.metrics.run_view import RunView
from joulemark.metrics.stopped_early import of_stop
from joulemark.metrics.term_caveats import of_terms
from joulemark.metrics.tier import is_replayed, is_trace
from joulemark.metrics.value import NOTHING_COMPLETED, Value
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.meter import AGE_STATED, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.simulated import is_simulated_kind

if TYPE_CHECKING:
    from joulemark.record.manifest import Device

# the codes of a source's notes (``code: sentence``) which say that its joules are not those of one GPU alone
SHARED_BOARDS, WHOLE_MODULE = ("mig_shared_board", "vgpu_shared_board"), "module_scope"
_OFF_THE_BOARDS = frozenset({Reason.ENGINE_NOT_ON_DEVICE, Reason.ENGINE_NOT_VISIBLE})
_WAYS_TO_JOULES = {
    Reason.ENGINE_REMOTE: "run joulemark on the machine that runs the engine.",
    Reason.ENGINE_NOT_ON_DEVICE: "let the engine use the measured device; `joulemark doctor` lists them.",
    Reason.ENGINE_NOT_VISIBLE: "name the engine's process: `--engine-pid PID`.",
    Reason.NO_METER: "run `joulemark doctor`: for each missing meter it prints the exact fix.",
    Reason.NO_METER_ASKED_FOR: "leave `--meter none` out; `joulemark doctor` lists the meters there are.",
    Reason.METER_SILENT: "run `joulemark doctor`: it prints the exact fix, and the command that takes the "
    "meter off the file.",
    Reason.METER_CONTRADICTED: "run `joulemark doctor`: it tests the meter.",
    Reason.METER_NOT_QUALIFIED: "run `joulemark doctor`: it tests each meter and says what is wrong.",
}


def caveats(run: RunView, figures: Mapping[str, Value]) -> tuple[Caveat, ...]:
    """Return the warnings of a run, the loud ones first; each is said once, whatever segments it holds in."""
    found = [
        *_energy(run, figures),
        *_devices(run),
        *_sources(run),
        *_client(run),
        *of_load(run),
        *doubts(run, figures),
        *of_answers(run),
        *of_stop(run),
        *of_terms(run, figures),
        *_course(run),
    ]
    return tuple(sorted(dict.fromkeys(found), key=lambda caveat: not caveat.loud))


def _energy(run: RunView, figures: Mapping[str, Value]) -> Iterator[Caveat]:
    energy = run.headline_energy
    completed = bool(answered_items(run.measured_items))
    if not completed:
        yield Caveat("nothing_completed", f"{NOTHING_COMPLETED} No figure of an answer is known.", loud=True)
    if is_simulated_kind(run.manifest.engine.kind):
        yield Caveat("simulated", _SIMULATED, loud=True)
    if any(map(is_trace, run.sources)):
        yield Caveat("replayed_meter", _replayed(run), loud=True)
    if isinstance(energy, Withheld):
        if energy.reason is Reason.FOREIGN_LOAD:
            return  # told of the load
        # without an answer the lack of joules is told only where it would last
        if completed or energy.reason in _WAYS_TO_JOULES:
            told = (
                energy.reason.text,
                energy.detail,
                _still_valid(run, figures),
                _way_to_joules(energy.reason),
            )
            yield Caveat("no_joules", f"No joules: {' '.join(filter(None, told))}", loud=True)
        return
    if energy.method is Method.INTEGRATED:
        yield Caveat(
            "integrated",
            "The device has no believed energy counter: joules are integrated from power samples.",
        )
    drift = figures["counter_vs_integration_pct_diff"].value
    if drift is not None and abs(drift) > DRIFT_LIMIT_PCT:
        yield Caveat(
            "drift",
            f"Counter and integrated power differ by {drift:+.1f} %, more than {DRIFT_LIMIT_PCT:.0f} %: one "
            "of them is wrong. `joulemark doctor` tests the meter.",
            loud=True,
        )
    if AGE_STATED in energy.flags:
        yield Caveat("age_stated", _age_stated(run, energy))
    if flags := [flag for flag in energy.flags if flag != AGE_STATED]:
        yield Caveat("energy_flags", f"The meter was flagged: {', '.join(flags)}.")
    if any(row.reason is Reason.ALLOCATED for row in run.headline_attributions().values()):
        yield Caveat(
            "allocated",
            "Requests overlapped: the run's total is metered, but an item's energy is a share by rule and "
            "the interval of joules per correct answer rests on such shares.",
        )


def _age_stated(run: RunView, energy: MeasuredEnergy) -> str:
    chosen = [source.info for source in run.sources if source.info.name in energy.source.split("+")]
    ages_s = {f"{info.name}: {info.value_age_s:g} s" for info in chosen if info.value_age_s}
    return (
        f"How old the power may be when it is read ({', '.join(sorted(ages_s))}) is only as stated, and "
        "the bound rests on it: there is no counter beside it, and it hardly changed, which tells nothing."
    )


_SIMULATED = (
    "The engine is a SIMULATION: times, joules and answers were computed, nothing was measured. Never "
    "compare or rank them with measurements."
)


def _replayed(run: RunView) -> str:
    never = "They are not what this run used: never compare, rank or quote them."
    if isinstance(run.headline_energy, MeasuredEnergy):
        if is_replayed(run.sources, run.headline_energy):
            return f"The joules were REPLAYED from a recorded trace. {never}"
        return f"Beside the live meter, joules were REPLAYED from a recorded trace. {never}"
    return f"A recorded trace was REPLAYED in place of a meter; joules of it may stand below. {never}"


def _still_valid(run: RunView, figures: Mapping[str, Value]) -> str:
    """Name what holds without joules; what the client or a busy machine spoilt is not named."""
    if not answered_items(run.measured_items):
        return ""
    quiet = is_quiet(run.foreign_cpu_share, run.stolen_cpu_share)
    on_time = not any(proof.invalid for proof in run.manifest.client)
    found = {
        "accuracy": figures["accuracy"].value is not None,
        "tokens": figures["mean_completion_tokens"].value is not None,
        "latencies": bool(streaming_used(run.measured_items)) and on_time and quiet,
        "processor seconds": figures["cpu_seconds"].value is not None and quiet,
    }
    names = [name for name, holds in found.items() if holds]
    if not names:
        return ""
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return f"Measured and valid all the same: {listed}."


def _way_to_joules(reason: Reason) -> str:
    return f"To get joules, {_WAYS_TO_JOULES.get(reason, 'run again; `joulemark doctor` tests the meters.')}"


def _devices(run: RunView) -> Iterator[Caveat]:
    """Speak of the boards whose joules are told, or of all where the engine was not found on any."""
    energy = run.headline_energy
    if isinstance(energy, Withheld):
        if energy.reason in _OFF_THE_BOARDS:
            for device in run.manifest.devices:
                yield from _placement(device)
        return
    if is_replayed(run.sources, energy):
        return
    measured = {scope.path for scope in energy.scopes}
    others: dict[str, list[str]] = {}
    for device in run.manifest.devices:
        if device.scope in measured:
            if device.engine_on_device is False:
                yield from _placement(device)
            others.setdefault(_name(device), []).extend(device.other_processes)
    for name, processes in others.items():
        if processes:
            yield Caveat(
                "shared_device",
                f"Other processes used {name} ({', '.join(dict.fromkeys(processes))}): their energy is "
                "inside the joules. Stop them and run again.",
                loud=True,
            )


def _placement(device: Device) -> Iterator[Caveat]:
    why = f": {device.why.rstrip('.')}" if device.why else ""
    if device.engine_on_device is False:
        yield Caveat("engine_not_on_device", f"The engine was not seen on {_name(device)}{why}.", loud=True)
    elif device.engine_on_device is None:
        text = f"Whether the engine runs on {_name(device)} could not be seen{why}."
        yield Caveat("engine_not_visible", text, loud=True)


def _name(device: Device) -> str:
    label = Scope(device.scope).label
    return f"{device.name} ({label})" if device.name else label


def _sources(run: RunView) -> Iterator[Caveat]:
    energy = run.headline_energy
    if not (isinstance(energy, Withheld) and energy.reason is Reason.METER_SILENT):
        for one in run.manifest.silent_meters:
            text = f"The meter {one.name}, which is on file or was named, was not read: {one.why}."
            yield Caveat("silent_meter", text)
    headline = energy.source.split("+") if isinstance(energy, MeasuredEnergy) else []
    for source in run.sources:
        if source.qualification.trust is Trust.SUSPECT:
            why = source.qualification.reason or "its self-test failed"
            yield Caveat("suspect_meter", f"The meter {source.info.name} is suspect: {why}.")
        if source.info.name in headline:
            for note in source.info.notes:
                code, _, sentence = note.partition(": ")
                if code in (*SHARED_BOARDS, WHOLE_MODULE):
                    text = f"{source.info.name}: {sentence}."
                    yield Caveat(code, text, loud=code in SHARED_BOARDS)


def _client(run: RunView) -> Iterator[Caveat]:
    codes = sorted({code for proof in run.manifest.client for code in proof.invalid})
    metered = isinstance(run.headline_energy, MeasuredEnergy)
    joules = f"; {JOULES_HOLD}, {NOT_RANKED}" if metered else ""
    if codes:
        yield Caveat(
            "client_invalid",
            f"INVALID timing: the measuring client itself did not keep up ({', '.join(codes)}). Latencies "
            f"and rates hold the client's own delay{joules}. Free the processor, or measure from another "
            "machine.",
            loud=True,
        )


def _course(run: RunView) -> Iterator[Caveat]:
    manifest = run.manifest
    if manifest.state != "complete":
        yield Caveat(
            "partial",
            f"The run is not complete{_how_far(run)}; the figures are those of the items that were measured. "
            f"The same command{' without --stop' if ended_by_hand(manifest) else ''} resumes it.",
        )
    if len(manifest.segments) > 1:
        yield Caveat("resumed", f"The run was made in {len(manifest.segments)} segments.")
    if manifest.engine.prefix_cache is not False:
        state = "on" if manifest.engine.prefix_cache else "in an unknown state"
        yield Caveat("prefix_cache", f"The engine's prompt cache was {state}: shared prompts may be cheaper.")
    thermal = sum(run.throttle_s.get(cause, 0.0) for cause in ("sw_thermal", "hw_thermal"))
    if thermal > 0:
        yield Caveat("thermal_throttle", f"The device slowed down because of heat for {thermal:.1f} s.")
    for note in manifest.notes:
        yield Caveat("note", note)


def _how_far(run: RunView) -> str:
    return "" if run.wanted is None else f": {len(run.measured_items)} of {run.wanted} answers"
