"""What is said of a load and of its steady state, the same in the terminal and on the page."""

from __future__ import annotations

from joulemark.metrics.catalogue import definition
from joulemark.metrics.engine_figures import DEFINITIONS as ENGINE_GAUGES
from joulemark.metrics.steady_state import Basis, SteadyWindow
from joulemark.metrics.summary import Summary
from joulemark.record.energy import Withheld
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason
from joulemark.report.wording import number, printable

ENGINE_NAMES = tuple(defined.name for defined in ENGINE_GAUGES)
PER_CORRECT, PER_REQUEST = "steady_joules_per_correct_answer", "steady_joules_per_request"
REFUSED = "no_steady_state"
"""The caveat that says why there is none: the part on the load has it, so the top need not."""

_BASES: dict[Basis, str] = {
    "running": "requests in the batch, by the engine's own gauge",
    "in_flight": "requests in flight, as the client saw them",
    "generating": "requests between first token and end, as the client saw them",
}
_PREFIXES = ("Loaded: ", "Engine: ")
_MORE = "Ask more requests (`--requests`), or let more lead ones come first (`--lead`)"
_HELP = {
    Reason.OVERLOADED: "Lower `--rate` or let the engine take a larger batch; `--concurrency` in place of it"
    " measures the most that the engine can do.",
    Reason.NOT_STEADY: f"{_MORE}, so that the load stays at one level for longer.",
    Reason.WINDOW_TOO_SHORT: f"{_MORE}, so that the load is steady for longer.",
    Reason.TOO_FEW_TOKENS: "Ask more requests (`--requests`), or let the answers be longer (`--max-tokens`).",
    Reason.NOT_REPORTED: "An engine that streams, and tells how many tokens it made, can be measured.",
}


def plain_title(name: str) -> str:
    """Return a figure's title for a place where it is plain that it is of a loaded server."""
    title = definition(name).title
    for prefix in _PREFIXES:
        if title.startswith(prefix):
            bare = title.removeprefix(prefix)
            return bare[0].upper() + bare[1:]
    return title


def leading_loaded(summary: Summary) -> str:
    """Return which figure of the steady state to lead with: per correct answer where there is such."""
    return PER_CORRECT if summary.figures[PER_CORRECT].value is not None else PER_REQUEST


def load_words(load: Load) -> str:
    """Say how it was asked, for instance ``closed loop, 24 in flight``."""
    told = [_how(load)]
    if load.concurrency is not None:
        most = "in flight" if load.mode == "closed" else "in flight at most"
        told.append(f"{load.concurrency:,} {most}")
    if load.ramp_s:
        told.append(f"risen over {load.ramp_s:g} s")
    if load.lead_requests:
        told.append(f"{load.lead_requests:,} lead requests")
    return ", ".join(told)


def _how(load: Load) -> str:
    if load.mode == "closed":
        return "closed loop"
    if load.mode == "trace":
        speed = f", {load.trace_speed:g} times as fast" if load.trace_speed not in (None, 1) else ""
        return f"replay of {printable(load.trace or 'a trace')}{speed}"
    if load.arrival == "at_once":
        return "all requests at once"
    rate = "" if load.rate is None else f", {load.rate:g} a second"
    if load.arrival == "gamma":
        burst = "" if load.burstiness is None else f" of burstiness {load.burstiness:g}"
        return f"gamma arrivals{burst}{rate}"
    return f"{(load.arrival or 'open').capitalize()} arrivals{rate}"


def window_words(window: SteadyWindow, summary: Summary) -> str:
    """Say how long the load was steady, at what, and what ended and was made in that time."""
    share = summary.figures["steady_share_of_run"].value
    part = f" ({100 * share:.0f} % of the measured time)" if share is not None else ""
    if window.held_share is None:  # an open load has no level of its own
        level = f"with {_count(window.mean_in_flight)} requests in flight on average"
    else:
        held = f", held for {100 * window.held_share:.0f} % of it"
        level = f"at {_count(window.level)} {_BASES[window.basis]}{held}"
    return (
        f"Steady for {window.duration_s:.1f} s{part} {level}: {window.requests:,} requests were answered, "
        f"{window.tokens:,.0f} output tokens were made."
    )


def _count(requests: float) -> str:
    return number(requests, 0 if float(requests).is_integer() or requests >= 100 else 1)


def refusal(summary: Summary) -> list[str]:
    """Return why there is no steady state and what would help; nothing where there is one."""
    window = summary.steady.window
    if not isinstance(window, Withheld):
        return []
    told = next((caveat.text for caveat in summary.caveats if caveat.code == REFUSED), window.reason.text)
    helps = "" if "Ask more requests" in window.detail else _HELP.get(window.reason, "")
    return [printable(told), *filter(None, [helps])]
