"""From what was said of a load to the load: when requests are sent, and those that are made up."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.load.arrivals import Arrivals
from joulemark.load.lengths import parse_lengths
from joulemark.load.made_up import MadeUp
from joulemark.load.options import EXAMPLE, LoadOptions
from joulemark.load.shape import LoadShape
from joulemark.load.trace import Trace, read_trace
from joulemark.record.errors import InputError

SLOTS = 4
"""How many requests the embedded engine works on at once, where requests come by themselves."""
_REQUESTS = 100


@dataclass(frozen=True, slots=True)
class ChosenLoad:
    """A load that can be. ``made_up`` are its requests, null where a task is asked.

    ``n_parallel``: how many requests an engine that is started for it is to work on at once.
    """

    shape: LoadShape
    made_up: MadeUp | None
    n_parallel: int


def choose_load(options: LoadOptions, *, example: str = EXAMPLE) -> ChosenLoad:
    """Return the load that was said; reads the trace. Raises `InputError` for what does not go together.

    ``example`` is a command of the kind that was typed, which says what is asked.
    """
    options.require_one_question(example)
    trace = _trace(options.trace, options) if options.trace is not None else None
    made_up = _made_up(trace, options)
    shape = _shape(options, trace, made_up)
    if made_up is not None and trace is not None:
        made_up = _leads_last(made_up, shape.lead_requests)
    return ChosenLoad(shape, made_up, options.slots or shape.concurrency or SLOTS)


def _trace(path: Path, options: LoadOptions) -> Trace:
    lead = options.lead_requests or 0
    wanted = None if options.n_requests is None else options.n_requests + lead
    trace = read_trace(path).window(n=wanted, seconds=options.trace_window_s)
    if len(trace.rows) <= lead:
        raise InputError(
            f"--lead {lead} leaves no request of the trace to count",
            why=f"there are {len(trace.rows)} in the window",
            fix="lower --lead, or widen the window",
        )
    return trace


def _made_up(trace: Trace | None, options: LoadOptions) -> MadeUp | None:
    seed = options.seed or 0
    if trace is not None:
        name = trace.name.split(".")[0].lower()[:40]
        source = f"trace:{trace.digest[:16]}"
        return MadeUp(f"trace-{name}", source, tuple(row.lengths for row in trace.rows), seed)
    if options.synthetic is None:
        return None
    lengths = parse_lengths(options.synthetic, options.lengths, options.longest)
    requests = tuple(lengths.draw(options.n_requests or _REQUESTS, seed))
    return MadeUp(f"synthetic-{lengths.name}", "made up", requests, seed)


def _leads_last(made_up: MadeUp, lead: int) -> MadeUp:
    """Put the rows that lead up to the others behind them: what leads up is taken from the end."""
    requests = made_up.requests
    return replace(made_up, requests=(*requests[lead:], *requests[:lead]))


def _shape(options: LoadOptions, trace: Trace | None, made_up: MadeUp | None) -> LoadShape:
    """Return when requests are sent."""
    concurrency, lead, n_requests = options.concurrency, options.lead_requests, options.n_requests
    if concurrency is not None and options.is_open:
        raise InputError(
            "--concurrency is a closed loop, and --rate an open one",
            fix="leave one of them out; --cap bounds what an open loop has in flight",
        )
    if trace is not None:
        n_requests = len(trace.rows) - (lead or 0)
    elif made_up is not None:
        n_requests = len(made_up.requests)
    if concurrency is not None:
        _refuse_of_an_open_loop(options)
        lead = (concurrency if concurrency > 1 and trace is None else 0) if lead is None else lead
        return LoadShape.closed(concurrency, n_requests=n_requests, lead_requests=lead, ramp_s=options.ramp_s)
    if options.is_open:
        return LoadShape.open(
            _arrivals(options), cap=options.cap, n_requests=n_requests, lead_requests=lead or 0
        )
    if trace is None:
        raise InputError(
            "how the engine is loaded was not said",
            fix="give --concurrency N (closed loop), --rate R (open loop) or --trace FILE",
        )
    _refuse_of_other_times(options)
    return LoadShape.replay(trace, speed=options.trace_speed, cap=options.cap, lead_requests=lead or 0)


def _arrivals(options: LoadOptions) -> Arrivals:
    burstiness = options.burstiness
    kind = options.arrival or ("poisson" if burstiness is None else "gamma")
    if burstiness is not None and kind != "gamma":
        raise InputError(
            f"--burstiness goes with --arrival gamma, not {kind}", fix="leave one of the two out"
        )
    shape = 1.0 if burstiness is None else burstiness
    return Arrivals(kind, options.rate, shape, options.seed or 0, options.ramp_s or 0.0)


def _refuse_of_an_open_loop(options: LoadOptions) -> None:
    given = {"--arrival": options.arrival, "--burstiness": options.burstiness, "--cap": options.cap}
    _refuse(given, "it belongs to an open loop", "leave it out, or give --rate")


def _refuse_of_other_times(options: LoadOptions) -> None:
    given = {"--ramp": options.ramp_s, "--arrival": options.arrival, "--burstiness": options.burstiness}
    _refuse(given, "a trace has its own times", "leave it out, or give --rate")


def _refuse(given: Mapping[str, object], why: str, fix: str) -> None:
    for flag, value in given.items():
        if value is not None:
            raise InputError(f"{flag} does not go with this load", why=why, fix=fix)
