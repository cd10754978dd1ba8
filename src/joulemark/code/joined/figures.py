"""What the programs of a run are worth, and what a correct answer costs with the runs of its program."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.code.evaluation.figures import not_measured, summary_of_evaluation
from joulemark.code.evaluation.record import FILE, EvaluationRecord, read_record
from joulemark.code.evaluation.sound import read_rows
from joulemark.code.joined.generation import generate_per_correct, shares
from joulemark.code.joined.programs import problem_of
from joulemark.code.joined.source_kind import SourceKind, source_kind
from joulemark.metrics.attribution import items_overlap
from joulemark.metrics.code.break_even import (
    UNKNOWN,
    CostKind,
    ModelCost,
    cost_curve,
    model_cost,
    unknown_costs,
)
from joulemark.metrics.code.over_tasks import mean_of
from joulemark.metrics.code.run_time import mean_cpu_s
from joulemark.metrics.code.summary import CodeSummary
from joulemark.metrics.run_view import ItemKey, RunView
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason
from joulemark.runs.journal import read_items
from joulemark.runs.layout import RunLayout

_PROCESSORS = ("package", "soc")
NO_RATE = "No meter of this run saw what a CPU-second of this machine costs: its joules are those of a board."
_ONE_THREAD = (
    "At the engine's mean rate, idle power included; what one thread draws by itself may be several times as "
    "much a CPU-second, and nothing here bounds it."
)
NO_TIME = "The run has no measured window to multiply the declared watts with."
NO_CPU = "Neither joules nor CPU time of the engine are known."


@dataclass(frozen=True, slots=True)
class DeclaredWatts:
    """What a user declares: power of the machine while the engine answers, and while one program runs."""

    engine_w: float
    program_w: float


@dataclass(frozen=True, slots=True)
class ProgramFigures:
    """The programs of a run.

    ``generate``: what a correct answer took to generate, metered (J), or CPU time where no meter was;
    withheld while answers wait for their grades, and without those whose problems could not judge. What
    its runs take is CPU time (``run_cpu_s``); ``run_j`` are its joules, modelled: no meter was read while
    programs ran. The two are never added up. ``joules_per_cpu_second``: what converts CPU time, by the meter
    of the processors that the engine ran on.
    ``cost``: what answers cost by problem with both parts of one kind, modelled or CPU time; null where
    nothing is known of generation and runs in one unit. ``why_no_joules`` then, and where CPU-seconds stand
    in for joules, says why. ``curve``: the cost of a correct answer with N runs of its program.
    ``source``: what the cost of generating is, measured or not, and with it the rate.
    ``failures``: why problems could not judge; ``not_measured``: why some of what was wanted of one was not
    measured.
    """

    record: EvaluationRecord
    summary: CodeSummary
    cost: ModelCost | None
    curve: tuple[tuple[float, Value], ...]
    joules_per_cpu_second: Value
    generate: Value
    run_cpu_s: Value
    run_j: Value
    why_no_joules: str | None
    source: SourceKind
    failures: Mapping[str, str]
    not_measured: Mapping[str, str] = field(default_factory=dict)


def program_figures(
    root: Path, view: RunView, declared: DeclaredWatts | None = None
) -> ProgramFigures | None:
    """Return the figures of a run's programs, null where they were not run. Raises `InputError`.

    With ``declared`` watts both parts of the cost with runs are modelled from these, without any meter.
    """
    layout = RunLayout(root)
    if not (layout.programs / FILE).exists():
        return None
    record = read_record(layout.programs)
    recorded = read_rows(layout.programs, record)
    summary = summary_of_evaluation(record, recorded)
    rate, run_cpu_s = _joules_per_cpu_second(view), _mean_run(summary)
    problems = _problem_of_items(layout)
    cost, why = _cost(summary, problems, view, declared)
    unjudged = {key for key, problem in problems.items() if problem in recorded.unusable}
    return ProgramFigures(
        record,
        summary,
        cost,
        () if cost is None else cost_curve(cost),
        rate,
        generate_per_correct(view, unjudged),
        run_cpu_s,
        _run_j(run_cpu_s, rate),
        why,
        source_kind(view),
        recorded.unusable,
        not_measured(record, recorded),
    )


def _cost(
    summary: CodeSummary, problems: Mapping[ItemKey, str], view: RunView, declared: DeclaredWatts | None
) -> tuple[ModelCost | None, str | None]:
    """Return what answers cost in one unit and kind, and why that is not joules."""

    def made(costs: Mapping[ItemKey, float], kind: CostKind, per_cpu_second: float = 1.0) -> ModelCost:
        generate = _by_problem(costs, problems)
        band = summary.figures["aa_band"].value
        return model_cost(
            summary.samples, summary.paired, generate, kind, per_cpu_second=per_cpu_second, band=band
        )

    if declared is not None:
        time_s = _time(view)
        if time_s is None:
            return None, NO_TIME
        modelled = {key: declared.engine_w * seconds for key, seconds in time_s.items()}
        return made(modelled, CostKind.MODELLED, declared.program_w), None
    spent, rate = _cpu(view), _joules_per_cpu_second(view)
    if not isinstance(view.headline_energy, Withheld):
        if rate.value is None or spent is None:
            return None, NO_RATE
        # modelled by the same rate as the runs; over all answers it comes to what was metered
        modelled = {key: rate.value * seconds for key, seconds in spent.items()}
        return made(modelled, CostKind.AT_METERED_RATE, rate.value), None
    if spent is not None:
        return made(spent, CostKind.CPU), _why_no_energy(view)
    return None, f"{_why_no_energy(view)} {NO_CPU}"


def _cpu(view: RunView) -> dict[ItemKey, float] | None:
    if view.cpu_seconds is None:
        return None
    return shares(view.cpu_seconds, view.item_cpu_seconds, [item.key for item in view.measured_items])


def _time(view: RunView) -> dict[ItemKey, float] | None:
    """Return the seconds of each answer, those of a loaded run in equal parts; null where it has none."""
    items = view.measured_items
    if view.duration_s is None or not items:
        return None
    known = {} if items_overlap(items) else {item.key: (item.t_end - item.t_begin) / 1e9 for item in items}
    return shares(view.duration_s, known, [item.key for item in items])


def _joules_per_cpu_second(view: RunView) -> Value:
    """Return what a CPU-second took by the meter of the processors, as the engine's own work shows it."""
    total, scope = view.headline_energy, view.headline_scope
    if isinstance(total, Withheld):
        return withheld("J/s", total.reason, detail=total.detail)
    on_processors = scope is not None and all(part.startswith(_PROCESSORS) for part in scope.split("+"))
    if not on_processors or not view.cpu_seconds:
        return withheld("J/s", Reason.NOT_MEASURED, detail=NO_RATE)
    low, high = (bound / view.cpu_seconds for bound in (total.lo, total.hi))
    return Value(total.joules / view.cpu_seconds, "J/s", low, high, "bound")


def _by_problem(costs: Mapping[ItemKey, float], problems: Mapping[ItemKey, str]) -> dict[str, float]:
    found: dict[str, list[float]] = {}
    for key, cost in costs.items():
        if key in problems:
            found.setdefault(problems[key], []).append(cost)
    return {problem: math.fsum(mine) for problem, mine in found.items()}


def _problem_of_items(layout: RunLayout) -> dict[ItemKey, str]:
    rows, _ = read_items(layout.items_journal)
    named = {row.item.key: problem_of(row) for row in rows}
    return {key: problem for key, problem in named.items() if problem is not None}


def _why_no_energy(view: RunView) -> str:
    total = view.headline_energy
    if not isinstance(total, Withheld):
        return ""
    return f"{total.reason.text} {total.detail}".strip()


def _run_j(run_cpu_s: Value, rate: Value) -> Value:
    """Return the modelled joules of one run, without an interval.

    The rate has idle and uncore power in it, shared out over all processors that the engine kept busy; one
    thread alone draws another, which no meter of this run saw.
    """
    if run_cpu_s.value is None:
        return withheld("J", Reason.NOT_MEASURED, detail=run_cpu_s.detail, n=run_cpu_s.n)
    if rate.value is None:
        return withheld("J", rate.reason or Reason.NOT_MEASURED, detail=rate.detail, n=run_cpu_s.n)
    joules = run_cpu_s.value * rate.value
    why = Reason.NOT_MEASURED
    return Value(joules, "J", interval_reason=why, n=run_cpu_s.n, detail=_ONE_THREAD)


def _mean_run(summary: CodeSummary) -> Value:
    """Return the CPU time of one run of a right program on the scaled input, mean over problems."""
    if unknown := unknown_costs(summary.samples, summary.paired).total():
        return withheld("s", Reason.NOT_MEASURED, detail=UNKNOWN.format(unknown), n=len(summary.paired))
    means = mean_cpu_s(summary.paired)
    if not means:
        return withheld("s", Reason.NOT_MEASURED, detail="No right program was timed.", n=0)
    return mean_of(means, "s")
