"""What may be compared between two runs, what may not, and what a reader must know of the rest."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from joulemark.metrics.attribution import scope_label
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.compare_settings import Difference, one_task
from joulemark.metrics.late_client import JOULES_HOLD
from joulemark.metrics.other_load import is_quiet
from joulemark.metrics.run_view import RunView
from joulemark.metrics.tier import is_replayed, tier_of
from joulemark.record.energy import MeasuredEnergy
from joulemark.record.reason import Reason
from joulemark.record.simulated import is_simulated_kind

ENERGY_FIGURES = (
    "joules_per_correct_answer_ratio",
    "joules_per_correct_answer_ratio_bound",
    "joules_per_request_ratio",
    "joules_per_token_ratio",
)
TIMING_FIGURES = ("tokens_per_second_ratio", "ttft_p50_ratio")
CPU_FIGURES = ("cpu_seconds_per_correct_answer_ratio",)
SAME_TASK_FIGURES = ("joules_per_token_ratio", "completion_tokens_ratio")
Names = tuple[str, str]
_BOARDS = ("machine.host", "machine.board_ids")
_BUDGETS = ("sampling.max_tokens", "task.budget_hash")
_LOAD = (
    "load.mode",
    "load.concurrency",
    "load.arrival",
    "load.rate",
    "load.burstiness",
    "load.trace",
    "load.trace_speed",
    "load.ramp_s",
)
BUSY_MACHINE = "busy_machine"


@dataclass(frozen=True, slots=True)
class Refusal:
    """A comparison that is not made: a stable code, the sentence why, and the figures it withholds."""

    code: str
    text: str
    figures: tuple[str, ...]
    reason: Reason = Reason.NOT_APPLICABLE


def refusals(a: RunView, b: RunView, found: tuple[Difference, ...], names: Names) -> tuple[Refusal, ...]:
    """Return what is not compared; the first refusal of a figure is its reason. ``names`` are letters."""
    return (*_energy_refusals(a, b, names), *_other_refusals(a, b, found, names))


def _energy_refusals(a: RunView, b: RunView, names: Names) -> Iterator[Refusal]:
    of_a, of_b = a.headline_energy, b.headline_energy
    if not isinstance(of_a, MeasuredEnergy) or not isinstance(of_b, MeasuredEnergy):
        return
    simulated = [is_simulated_kind(run.manifest.engine.kind) for run in (a, b)]
    if simulated[0] != simulated[1]:
        which = names[0] if simulated[0] else names[1]
        text = f"The joules of {which} were simulated, those of the other were not: not compared."
        yield Refusal("simulated_against_measured", text, ENERGY_FIGURES)
    replayed = [is_replayed(run.sources, run.headline_energy) for run in (a, b)]
    if replayed[0] != replayed[1]:
        which = names[0] if replayed[0] else names[1]
        text = (
            f"The joules of {which} come from a replayed trace, those of the other run from a live meter: "
            "a trace is no measurement of a run, so the two are not compared."
        )
        yield Refusal("replayed_against_live", text, ENERGY_FIGURES)
    classes = [sorted({scope.kind for scope in energy.scopes}) for energy in (of_a, of_b)]
    if classes[0] != classes[1]:
        parts = " against ".join(" + ".join(kinds) for kinds in classes)
        text = f"The energies cover different kinds of parts ({parts}), so they are not compared."
        yield Refusal("scope_classes_differ", text, ENERGY_FIGURES)
    tiers = [tier_of(run)[0] for run in (a, b)]
    if tiers[0] != tiers[1] and replayed[0] == replayed[1]:
        named = " and ".join(f"tier {one}" if one else "no tier" for one in tiers)
        text = f"The energies were measured in two tiers ({named}), which are never ranked together."
        yield Refusal("tiers_differ", text, ENERGY_FIGURES)


def _other_refusals(a: RunView, b: RunView, found: tuple[Difference, ...], names: Names) -> Iterator[Refusal]:
    if not one_task(a, b):
        text = "Energy per token and tokens per request are compared on the same task only."
        yield Refusal("tasks_differ", text, SAME_TASK_FIGURES)
    processor = [pair for pair in found if pair.name == "machine.cpu_model"]
    if processor:
        text = "Processor seconds are compared on the same processor only."
        yield Refusal("processors_differ", text, CPU_FIGURES)
    invalid = [
        name for name, run in zip(names, (a, b), strict=True) if any(p.invalid for p in run.manifest.client)
    ]
    if invalid:
        text = (
            f"The measuring client of {' and '.join(invalid)} did not keep up, so its times are not compared."
        )
        yield Refusal("client_invalid", text, TIMING_FIGURES, Reason.CLIENT_INVALID)
    if busy := _busy(a, b, names):
        text = f"{busy}, so times and processor seconds are not compared."
        yield Refusal(BUSY_MACHINE, text, (*TIMING_FIGURES, *CPU_FIGURES))


def _busy(a: RunView, b: RunView, names: Names) -> str:
    """Return who took how much of a run's processor, or nothing where both machines were quiet."""
    told = [
        f"{who} {100 * share:.0f} % of {name}'s processor"
        for name, run in zip(names, (a, b), strict=True)
        for who, share in (
            ("other processes used", run.foreign_cpu_share),
            ("the hypervisor took", run.stolen_cpu_share),
        )
        if share is not None and not is_quiet(share)
    ]
    sentence = " and ".join(told)
    return sentence[:1].upper() + sentence[1:]


def notes(a: RunView, b: RunView, found: tuple[Difference, ...], names: Names) -> tuple[Caveat, ...]:
    """Return what is compared all the same, but not without a word."""
    told = [
        *_run_notes(a, b, names),
        *_energy_notes(a, b, names),
        *_setting_notes(a, b, found, names),
        *_term_notes(found, names),
    ]
    return tuple(sorted(told, key=lambda caveat: not caveat.loud))


def _run_notes(a: RunView, b: RunView, names: Names) -> Iterator[Caveat]:
    if a.manifest.run_id == b.manifest.run_id:
        yield Caveat("same_run", f"{names[0]} and {names[1]} are the same run.", loud=True)
    for name, run in zip(names, (a, b), strict=True):
        if run.manifest.state != "complete":
            far = "" if run.wanted is None else f": {len(run.measured_items)} of {run.wanted} answers"
            yield Caveat("partial", f"{name} is not complete{far}.", loud=True)
        if any(proof.invalid for proof in run.manifest.client):
            text = f"The measuring client of {name} did not keep up: its times hold its own delay"
            text += f"; {JOULES_HOLD}." if isinstance(run.headline_energy, MeasuredEnergy) else "."
            yield Caveat("client_invalid", text, loud=True)
    listed = [name for name, run in zip(names, (a, b), strict=True) if run.manifest.task.is_listed]
    if listed:
        yield Caveat(
            "items_listed",
            f"The questions of {' and '.join(listed)} were named by a list (`--items`), not drawn: what is "
            "compared holds on these questions, and no interval says anything of the task. A list can be "
            "picked for one of the two.",
            loud=True,
        )
    if a.manifest.repeats == b.manifest.repeats == 1 and a.manifest.run_id != b.manifest.run_id:
        yield Caveat(
            "single_runs",
            "One run each: the intervals say how the figures would move with other questions of this kind, "
            "not how they would move with another boot, room temperature or board.",
        )


def _energy_notes(a: RunView, b: RunView, names: Names) -> Iterator[Caveat]:
    of_a, of_b = a.headline_energy, b.headline_energy
    if not isinstance(of_a, MeasuredEnergy) or not isinstance(of_b, MeasuredEnergy):
        return
    if busy := _busy(a, b, names):
        text = (
            f"{busy}: the joules hold that work too, so their ratio is not of the models or settings alone."
        )
        yield Caveat("energy_on_busy_machine", text, loud=True)
    if of_a.method is not of_b.method:
        how = f"{names[0]} are from {_method(of_a)}, those of {names[1]} from {_method(of_b)}"
        text = f"The joules of {how}: the two can differ by several per cent on the same work."
        yield Caveat("methods_differ", text, loud=True)
    if len(of_a.scopes) != len(of_b.scopes):
        where = f"{scope_label(of_a.scopes)}, {names[1]} on {scope_label(of_b.scopes)}"
        text = f"{names[0]} was measured on {where}."
        yield Caveat("device_counts_differ", text, loud=True)
    if all(is_replayed(run.sources, run.headline_energy) for run in (a, b)):
        text = "The joules of both come from replayed traces: they say nothing of a machine."
        yield Caveat("both_replayed", text, loud=True)


def _method(energy: MeasuredEnergy) -> str:
    how = {"counter": "an energy counter", "integrated": "integrated power samples"}
    return how.get(energy.method.value, "a meter")


def _setting_notes(a: RunView, b: RunView, found: tuple[Difference, ...], names: Names) -> Iterator[Caveat]:
    differing = {pair.name for pair in found}
    if differing.intersection(_BOARDS):
        yield Caveat(
            "machines_differ",
            "The runs were measured on two machines or boards: boards of one model differ too, so the ratio "
            "is not of the models or settings alone.",
            loud=True,
        )
    of_a, of_b = a.manifest.sampling.temperature, b.manifest.sampling.temperature
    if of_a != of_b:
        text = f"The sampling temperatures differ: {of_a:g} in {names[0]}, {of_b:g} in {names[1]}."
        yield Caveat("temperatures_differ", text, loud=True)
    elif of_a > 0:
        text = f"Answers were drawn at temperature {of_a:g}: asked again, the same questions cost otherwise."
        yield Caveat("answers_drawn", text)
    if differing.intersection(_LOAD):
        text = (
            "The runs were asked under different loads: energy of a request is shared with those beside it, "
            "and latencies hold the waiting."
        )
        yield Caveat("loads_differ", text, loud=True)
    if "machine.power_limit_w" in differing:
        yield Caveat("power_limits_differ", "The boards ran under different power limits.")


def _term_notes(found: tuple[Difference, ...], names: Names) -> Iterator[Caveat]:
    """Yield what bears on grading or cost: who counted, the token limits, the cache, and how it was asked."""
    by_name = {pair.name: pair for pair in found}

    def told(name: str) -> str:
        pair = by_name[name]
        one, other = ("unknown" if value is None else str(value) for value in (pair.a, pair.b))
        return f"{one} in {names[0]}, {other} in {names[1]}"

    if "joulemark_version" in by_name:
        text = (
            f"The runs were made by two versions of joulemark ({told('joulemark_version')}): what differs "
            "may be how answers are graded or energy is counted."
        )
        yield Caveat("versions_differ", text, loud=True)
    if by_name.keys() & set(_BUDGETS):
        limits = f" ({told('sampling.max_tokens')})" if "sampling.max_tokens" in by_name else ""
        text = f"The answers had different token limits{limits}: a higher one may change accuracy and energy."
        yield Caveat("budgets_differ", text, loud=True)
    if "engine.prefix_cache" in by_name:
        pair = by_name["engine.prefix_cache"]
        one, other = (
            "in an unknown state" if value is None else "on" if value else "off" for value in (pair.a, pair.b)
        )
        states = f"{one} in {names[0]} and {other} in {names[1]}"
        text = f"The prompt cache was {states}: prompts from a cache cost less."
        yield Caveat("prefix_caches_differ", text, loud=True)
    drawn = [
        f"{name.removeprefix('sampling.')} ({told(name)})"
        for name in ("sampling.top_p", "sampling.seed")
        if name in by_name
    ]
    if drawn:
        yield Caveat("sampling_differs", f"The answers were drawn with another {' and '.join(drawn)}.")
    if "task.preset" in by_name:
        text = f"The questions were put by two presets ({told('task.preset')})."
        yield Caveat("presets_differ", text)
