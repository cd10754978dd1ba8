"""How an engine was while a point was measured, by its own account and the client's."""

from __future__ import annotations

from dataclasses import dataclass, fields

from joulemark.metrics.loaded_definitions import MEAN_BATCH
from joulemark.metrics.occupancy import Occupancy
from joulemark.metrics.plain import JsonValue, intervals_json, reasons_json
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import Summary
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Quantity
from joulemark.record.window_name import WindowName

_NO_GAUGE = "The engine published no such gauge, or it was not read."


@dataclass(frozen=True, slots=True)
class EngineState:
    """The load of an engine over the steady window, of a run without one over its measured windows.

    ``mean_batch``: requests worked on together. ``decode_share``: output tokens of all tokens that were
    processed, prompts found in a cache left out (0..1). ``preemptions`` were made in the window;
    ``kv_used_share`` is the mean share of the memory for contexts in use (0..1).
    """

    mean_batch: Value
    decode_share: Value
    preemptions: Value
    kv_used_share: Value

    @property
    def figures(self) -> dict[str, Value]:
        """The figures by name."""
        return {one.name: getattr(self, one.name) for one in fields(self)}

    def to_json(self) -> JsonValue:
        """Return the figures as plain JSON values, nulls with their reasons."""
        found = self.figures
        return {
            **{name: value.value for name, value in found.items()},
            "intervals": intervals_json(found),
            "reasons": reasons_json(found),
        }


def engine_state(run: RunView, summary: Summary) -> EngineState:
    """Return how the engine was; what it does not publish is withheld."""
    windows = _windows(run)
    return EngineState(
        mean_batch=_mean_batch(run, summary),
        decode_share=_decode_share(run, windows),
        preemptions=_risen(run, Quantity.PREEMPTIONS, windows, "preemptions"),
        kv_used_share=_mean(run, Quantity.KV_USED_SHARE, windows, "1"),
    )


_Windows = list[tuple[int, int, int]]


def _windows(run: RunView) -> _Windows:
    """Return (segment, t0, t1) of what counts."""
    steady = run.steady.window
    if not isinstance(steady, Withheld):
        return [(steady.part.segment, steady.part.t0, steady.part.t1)]
    return [
        (window.segment, window.t0, window.t1)
        for window in run.manifest.windows
        if window.name == WindowName.MEASURE and window.t1 is not None
    ]


def _mean_batch(run: RunView, summary: Summary) -> Value:
    if run.manifest.load.mode == "sequential":
        return Value(1.0, "requests")
    return summary.figures[MEAN_BATCH.name]


def _decode_share(run: RunView, windows: _Windows) -> Value:
    prompts = _risen(run, Quantity.PROMPT_TOKENS, windows, "tokens").value
    outputs = _risen(run, Quantity.GENERATION_TOKENS, windows, "tokens").value
    if prompts is None or outputs is None:
        inside = [
            item
            for item in run.measured_items
            if any(s == item.segment and t0 <= item.t_end <= t1 for s, t0, t1 in windows)
        ]
        counted = [
            (item.prompt_tokens - (item.cached_tokens or 0), item.completion_tokens)
            for item in inside
            if item.prompt_tokens is not None and item.completion_tokens is not None
        ]
        if not counted or len(counted) < len(inside):
            return withheld("1", Reason.NOT_REPORTED, detail="Not every request has its token counts.")
        prompts = float(sum(prompt for prompt, _ in counted))
        outputs = float(sum(output for _, output in counted))
    total = prompts + outputs
    return Value(outputs / total, "1") if total > 0 else withheld("1", Reason.TOO_FEW_TOKENS)


def _gauge(run: RunView, quantity: Quantity, segment: int) -> Occupancy | None:
    for gauge in run.engine_gauges:
        if gauge.quantity == quantity.value and gauge.segment == segment and len(gauge.t_ns):
            return Occupancy(gauge.t_ns, gauge.value)
    return None


def _risen(run: RunView, quantity: Quantity, windows: _Windows, unit: str) -> Value:
    """Return by how much a counter rose, from the last reading before a window to the last one in it."""
    total = 0.0
    for segment, t0, t1 in windows:
        counter = _gauge(run, quantity, segment)
        if counter is None or counter.t_ns[0] > t1:
            return withheld(unit, Reason.NOT_REPORTED, detail=_NO_GAUGE)
        inside = counter.value[(counter.t_ns <= t1)]
        before = counter.value[(counter.t_ns <= t0)]
        risen = float(inside[-1] - (before[-1] if len(before) else inside[0]))
        if risen < 0:
            return withheld(unit, Reason.COUNTER_RESET)
        total += risen
    return Value(total, unit) if windows else withheld(unit, Reason.NOT_MEASURED)


def _mean(run: RunView, quantity: Quantity, windows: _Windows, unit: str) -> Value:
    """Return the mean of a gauge over the time for which it was read."""
    area = time_s = 0.0
    for segment, t0, t1 in windows:
        gauge = _gauge(run, quantity, segment)
        if gauge is None or gauge.t_ns[0] >= t1:
            return withheld(unit, Reason.NOT_REPORTED, detail=_NO_GAUGE)
        values, held_s = gauge.within(max(t0, int(gauge.t_ns[0])), t1)
        area += float((values * held_s).sum())
        time_s += float(held_s.sum())
    return Value(area / time_s, unit) if time_s > 0 else withheld(unit, Reason.NOT_MEASURED)
