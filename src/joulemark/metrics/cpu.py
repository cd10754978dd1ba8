"""Processor seconds per correct answer: the cost that needs no meter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from joulemark.metrics.accuracy import is_correct, why_not_scored
from joulemark.metrics.cost_interval import cost_interval
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.item_costs import Cost
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

CPU_SECONDS = MetricDefinition(
    "cpu_seconds",
    "Processor time of the engine",
    "s",
    r"\sum_w t_{\mathrm{cpu},w}",
    ("telemetry.cpu_time_ns", "windows"),
    ("the engine's process could not be observed",),
    "user and system time of the engine's process tree in the measured windows",
)
PER_CORRECT = MetricDefinition(
    "cpu_seconds_per_correct_answer",
    "Processor time per correct answer",
    "s",
    r"t_\mathrm{cpu} / n_\mathrm{correct}",
    ("cpu_seconds", "items.correct"),
    ("the engine's process could not be observed", "no answer was correct", "the score is real-valued"),
    "comparable on the same processor only; says nothing of a GPU's work; interval: as of "
    "joules_per_correct_answer",
)
DEFINITIONS = (PER_CORRECT, CPU_SECONDS)


def cpu_seconds(seconds: float | None, reason: Reason | None) -> Value:
    """Return the engine's processor time, null with its reason where it could not be observed."""
    if seconds is None:
        return withheld("s", reason or Reason.CPU_NOT_OBSERVED)
    return Value(seconds, "s")


def cpu_seconds_per_correct_answer(
    seconds: Value,
    items: Sequence[Item],
    item_seconds: Mapping[tuple[str, int], Cost],
    *,
    real_valued: bool = False,
) -> Value:
    """Return processor time over correct answers, with its bootstrap interval.

    Failed requests' time is inside. ``item_seconds`` are single items' times by ``Item.key``; where one of
    them is not known there is no interval. ``real_valued`` as of `why_not_scored`.
    """
    if seconds.value is None:
        return withheld("s", seconds.reason or Reason.CPU_NOT_OBSERVED)
    reason = why_not_scored(items, real_valued=real_valued)
    n_correct = sum(map(is_correct, items))
    if reason is not None or not n_correct:
        return withheld("s", reason or Reason.NOTHING_CORRECT)
    figure = seconds.value / n_correct
    interval = cost_interval(seconds.value, items, item_seconds)
    if interval.lo is None or interval.hi is None:
        return Value(figure, "s", interval_reason=interval.reason, n=interval.n)
    return Value(figure, "s", interval.lo, interval.hi, "ci95", n=interval.n)
