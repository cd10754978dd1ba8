"""From the options of ``load`` to a load: what is asked, when it is sent, and what is said of it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joulemark.cli.engine_choice import EMBEDDED
from joulemark.cli.jobs import Job
from joulemark.cli.measuring import carry_out
from joulemark.engines.engine import Engine
from joulemark.load.arrivals import ArrivalKind, Arrivals
from joulemark.load.lengths import parse_lengths
from joulemark.load.made_up import MadeUp
from joulemark.load.shape import LoadShape
from joulemark.load.token_rate import TokenRate, token_rate
from joulemark.load.trace import Trace, read_trace
from joulemark.record.errors import InputError
from joulemark.runs.standing import Standing, standing_of_task
from joulemark.tasks.registry import find_task
from joulemark.tasks.task import TaskSet

_EXAMPLE = "joulemark load --synthetic 512:128 --concurrency 8"
_NOT_RANKED = Standing(False, "not ranked: asked under load")
_MADE_UP = Standing(False, "not ranked: made-up requests without right answers")
_SLOTS, _REQUESTS = 4, 100
_NOT_OF_A_TRACE = {"ramp": "--ramp", "arrival": "--arrival", "burstiness": "--burstiness"}
_OPEN_ONLY = {"arrival": "--arrival", "burstiness": "--burstiness", "cap": "--cap"}


@dataclass(frozen=True, slots=True)
class LoadJob:
    """A task that is asked under load. ``made_up`` null: ``job`` says what is asked."""

    name: str
    options: Mapping[str, Any]
    shape: LoadShape
    standing: Standing
    job: Job | None = None
    made_up: MadeUp | None = None
    suite: None = None

    @property
    def prepare(self) -> Callable[[Engine], Awaitable[TaskSet]] | None:
        """Made-up prompts are written when it is known how the engine counts tokens."""
        made_up = self.made_up
        if made_up is None:
            return None

        async def written(engine: Engine) -> TaskSet:
            return made_up.task_set(await token_rate(engine))

        return written

    def load(self, *, several: bool) -> TaskSet:
        """Return the task; raises `InputError`."""
        if self.made_up is not None:
            return self.made_up.task_set(TokenRate())
        assert self.job is not None
        return self.job.load(several=several)


def measure_load(task: str | None, options: Mapping[str, Any]) -> int:
    """Measure one load and report it; returns the exit code. Raises `InputError`."""
    job = load_job(task, options)
    return carry_out([job], [job.name], job.options)


def load_job(task: str | None, options: Mapping[str, Any], *, example: str = _EXAMPLE) -> LoadJob:
    """Return what the options of the command say; raises `InputError` for what does not go together.

    ``example`` is a command of the kind that was typed, which says what is asked.
    """
    given = [
        name
        for name, value in (
            ("TASK", task),
            ("--synthetic", options["synthetic"]),
            ("--trace", options["trace"]),
        )
        if value is not None
    ]
    if len(given) != 1:
        raise InputError(
            "one of TASK, --synthetic and --trace says what is asked",
            why=f"given: {' and '.join(given) or 'none'}",
            fix=example,
        )
    options = {**options, "repeat": None}
    trace = _trace(options["trace"], options) if options["trace"] is not None else None
    made_up = _made_up(trace, options)
    shape = _shape(options, trace, made_up)
    if made_up is not None and trace is not None:
        made_up = _leads_last(made_up, shape.lead_requests)
    options["concurrency"] = options["slots"] or shape.concurrency or _SLOTS
    if options["slots"] is not None and options["engine_url"] != EMBEDDED:
        raise InputError(
            "--slots is for the embedded engine",
            why=f"the engine at {options['engine_url']} was started by somebody else",
            fix="set it where that engine is started",
        )
    if made_up is not None:
        return LoadJob(made_up.name, options, shape, _MADE_UP, made_up=made_up)
    assert task is not None
    definition = find_task(task)
    standing = standing_of_task(definition, {**options, "concurrency": 1})  # a load's is no way of asking
    job = Job(definition, options, None, _NOT_RANKED if standing.may_rank else standing)
    return LoadJob(definition.name, options, shape, job.standing, job=job)


def _trace(path: Path, options: Mapping[str, Any]) -> Trace:
    lead = options["lead"] or 0
    wanted = None if options["n_requests"] is None else options["n_requests"] + lead
    trace = read_trace(path).window(n=wanted, seconds=options["trace_seconds"])
    if len(trace.rows) <= lead:
        raise InputError(
            f"--lead {lead} leaves no request of the trace to count",
            why=f"there are {len(trace.rows)} in the window",
            fix="lower --lead, or widen the window",
        )
    return trace


def _made_up(trace: Trace | None, options: Mapping[str, Any]) -> MadeUp | None:
    seed = options["seed"] or 0
    if trace is not None:
        name = trace.name.split(".")[0].lower()[:40]
        source = f"trace:{trace.digest[:16]}"
        return MadeUp(f"trace-{name}", source, tuple(row.lengths for row in trace.rows), seed)
    if options["synthetic"] is None:
        return None
    lengths = parse_lengths(options["synthetic"], options["lengths"], options["longest"])
    requests = tuple(lengths.draw(options["n_requests"] or _REQUESTS, seed))
    return MadeUp(f"synthetic-{lengths.name}", "made up", requests, seed)


def _leads_last(made_up: MadeUp, lead: int) -> MadeUp:
    """Put the rows that lead up to the others behind them: what leads up is taken from the end."""
    requests = made_up.requests
    return MadeUp(made_up.name, made_up.source, (*requests[lead:], *requests[:lead]), made_up.seed)


def _shape(options: Mapping[str, Any], trace: Trace | None, made_up: MadeUp | None) -> LoadShape:
    """Return when requests are sent."""
    concurrency, rate = options["concurrency"], options["rate"]
    lead, n_requests = options["lead"], options["n_requests"]
    opened = rate is not None or options["arrival"] == "at_once"
    if concurrency is not None and opened:
        raise InputError(
            "--concurrency is a closed loop, and --rate an open one",
            fix="leave one of them out; --cap bounds what an open loop has in flight",
        )
    if trace is not None:
        n_requests = len(trace.rows) - (lead or 0)
    elif made_up is not None:
        n_requests = len(made_up.requests)
    if concurrency is not None:
        _refuse(options, _OPEN_ONLY, "it belongs to an open loop", "leave it out, or give --rate")
        lead = (concurrency if concurrency > 1 and trace is None else 0) if lead is None else lead
        return LoadShape.closed(
            concurrency, n_requests=n_requests, lead_requests=lead, ramp_s=options["ramp"]
        )
    if opened:
        return LoadShape.open(
            _arrivals(options), cap=options["cap"], n_requests=n_requests, lead_requests=lead or 0
        )
    if trace is None:
        raise InputError(
            "how the engine is loaded was not said",
            fix="give --concurrency N (closed loop), --rate R (open loop) or --trace FILE",
        )
    _refuse(options, _NOT_OF_A_TRACE, "a trace has its own times", "leave it out, or give --rate")
    return LoadShape.replay(trace, speed=options["trace_speed"], cap=options["cap"], lead_requests=lead or 0)


def _arrivals(options: Mapping[str, Any]) -> Arrivals:
    burstiness = options["burstiness"]
    kind: ArrivalKind = options["arrival"] or ("poisson" if burstiness is None else "gamma")
    if burstiness is not None and kind != "gamma":
        raise InputError(
            f"--burstiness goes with --arrival gamma, not {kind}", fix="leave one of the two out"
        )
    shape = 1.0 if burstiness is None else burstiness
    return Arrivals(kind, options["rate"], shape, options["seed"] or 0, options["ramp"] or 0.0)


def _refuse(options: Mapping[str, Any], names: Mapping[str, str], why: str, fix: str) -> None:
    for name, flag in names.items():
        if options[name] is not None:
            raise InputError(f"{flag} does not go with this load", why=why, fix=fix)
