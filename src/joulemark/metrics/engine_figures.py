"""What the engine itself said of its batch: how full it was, what waited, and what was preempted."""

from __future__ import annotations

from collections.abc import Callable

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.gauge_course import Course, course_of, rise_of
from joulemark.metrics.page_doubt import doubt_in
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.record.telemetry import Quantity
from joulemark.record.window_name import WindowName

_WINDOW = "over the steady window, or over the measured windows where there is none"
_READ = (
    f"the engine's own gauge, read twice a second, reading k standing for the time until the next; {_WINDOW}"
)
_COUNTED = f"the engine's own counter; {_WINDOW}, between the readings nearest to their ends"
_LOADED = "requests were asked one at a time"
_SHOWN = "the engine does not show it, or its page tells of less than was asked of it"
_DOUBTED = "The engine's page tells of less than was asked of it"
_GAUGE = (_LOADED, _SHOWN, "its page was read for less than 95 % of the time, or fewer than three times")
_COUNTER = (_LOADED, _SHOWN, "its page was not read within 2 s of the window's ends", "the counter fell")


def _defined(
    name: str, title: str, unit: str, latex: str, inputs: tuple[str, ...], cases: tuple[str, ...], source: str
) -> MetricDefinition:
    return MetricDefinition(name, title, unit, latex, (*inputs, "windows"), cases, source)


RUNNING = _defined(
    "mean_running_requests",
    "Engine: mean requests in its batch",
    "requests",
    r"\frac{\sum_k n_k\, t_k}{\sum_k t_k}",
    ("telemetry.requests_running",),
    _GAUGE,
    _READ,
)
WAITING = _defined(
    "mean_waiting_requests",
    "Engine: mean requests waiting",
    "requests",
    r"\frac{\sum_k n_k\, t_k}{\sum_k t_k}",
    ("telemetry.requests_waiting",),
    _GAUGE,
    _READ,
)
KV_MEAN = _defined(
    "kv_used_share_mean",
    "Engine: mean share of the KV cache in use",
    "1",
    r"\frac{\sum_k u_k\, t_k}{\sum_k t_k}",
    ("telemetry.kv_used_share",),
    _GAUGE,
    f"{_READ}; what counts as used is the engine's affair",
)
KV_MAX = _defined(
    "kv_used_share_max",
    "Engine: largest share of the KV cache in use",
    "1",
    r"\mathrm{max}_k\, u_k",
    ("telemetry.kv_used_share",),
    _GAUGE,
    f"{_READ}; a peak between two readings is not seen",
)
PREEMPTIONS = _defined(
    "preemptions",
    "Engine: preemptions",
    "preemptions",
    r"c(t_1) - c(t_0)",
    ("telemetry.preemptions",),
    _COUNTER,
    f"requests put back into the queue for want of KV cache; {_COUNTED}",
)
DECODE_SHARE = _defined(
    "decode_token_share",
    "Engine: share of generated tokens",
    "1",
    r"g / (p + g)",
    ("telemetry.prompt_tokens", "telemetry.generation_tokens"),
    (*_COUNTER, "neither counter moved"),
    f"generated over prompt and generated tokens; {_COUNTED}; llama.cpp, SGLang and TGI count the tokens of "
    "an answer when it ends, and of prompts llama.cpp leaves out what came from a cache",
)
DEFINITIONS = (RUNNING, WAITING, KV_MEAN, KV_MAX, PREEMPTIONS, DECODE_SHARE)


def engine_figures(run: RunView) -> dict[str, Value]:
    """Return all figures by name; each withheld with the reason where there is none."""
    if run.manifest.load.mode == "sequential":
        return {defined.name: withheld(defined.unit, Reason.NOT_LOADED) for defined in DEFINITIONS}
    doubt = doubt_in(run)
    if doubt:
        why = f"{_DOUBTED}: {doubt}"
        return {one.name: withheld(one.unit, Reason.NOT_REPORTED, detail=why) for one in DEFINITIONS}
    parts = _parts(run)

    def course(quantity: Quantity) -> Course | Withheld:
        return course_of(run.engine_gauges, quantity.value, parts)

    def rise(quantity: Quantity) -> float | Withheld:
        return rise_of(run.engine_gauges, quantity.value, parts)

    kv = course(Quantity.KV_USED_SHARE)
    return {
        RUNNING.name: _gauge(RUNNING, course(Quantity.REQUESTS_RUNNING), lambda found: found.mean),
        WAITING.name: _gauge(WAITING, course(Quantity.REQUESTS_WAITING), lambda found: found.mean),
        KV_MEAN.name: _gauge(KV_MEAN, kv, lambda found: found.mean),
        KV_MAX.name: _gauge(KV_MAX, kv, lambda found: found.largest),
        PREEMPTIONS.name: _value(PREEMPTIONS, rise(Quantity.PREEMPTIONS)),
        DECODE_SHARE.name: _value(
            DECODE_SHARE, _decode_share(rise(Quantity.PROMPT_TOKENS), rise(Quantity.GENERATION_TOKENS))
        ),
    }


def _parts(run: RunView) -> tuple[Span, ...]:
    """Return the steady window, or the measured windows where there is none."""
    window = run.steady.window
    if not isinstance(window, Withheld):
        return (window.part,)
    return tuple(
        Span(one.segment, one.t0, one.t1)
        for one in run.manifest.windows
        if one.name == WindowName.MEASURE and one.t1 is not None and one.t1 > one.t0
    )


def _decode_share(prompt: float | Withheld, generated: float | Withheld) -> float | Withheld:
    if isinstance(prompt, Withheld):
        return prompt
    if isinstance(generated, Withheld):
        return generated
    if not prompt + generated:
        return Withheld(Reason.NOT_APPLICABLE, "The engine counted no token in the window.")
    return generated / (prompt + generated)


def _gauge(defined: MetricDefinition, found: Course | Withheld, of: Callable[[Course], float]) -> Value:
    if isinstance(found, Withheld):
        return _value(defined, found)
    return Value(of(found), defined.unit, n=len(found.value))


def _value(defined: MetricDefinition, found: float | Withheld) -> Value:
    if isinstance(found, Withheld):
        return withheld(defined.unit, found.reason, detail=found.detail)
    return Value(found, defined.unit)
