"""What ending a run early left unasked, and what that would have cost: estimated from what was asked.

The questions asked are the first of a random order, so a sample of the task: the mean cost of one estimates
what the others would have cost without bias. ``n`` questions asked of ``N`` predict the total of the ``U``
requests not asked as ``U r``, with the standard error ``U s(r) sqrt(N / (N - n))``: that of the mean and that
of what is predicted, which differ as two samples of one population do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from joulemark.metrics.carbon import gco2e
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.finite_ratio import BATCHES_OF, Units, estimate
from joulemark.metrics.item_costs import requests_overlap
from joulemark.metrics.metered_units import metered_units
from joulemark.metrics.money import by_tokens, electricity_cost, token_costs
from joulemark.metrics.plain import JsonValue, reason_json
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value, energy_value, withheld
from joulemark.record.item import Item
from joulemark.record.manifest import Manifest, StopFacts
from joulemark.record.reason import Reason

SAVED = MetricDefinition(
    "saved_by_stopping",
    "Saved by stopping early",
    "as the figure",
    r"U \bar c \pm t_{0.975}\, U \frac{s}{\sqrt{n}} \sqrt{N / (N - n)}",
    ("manifest.stop", "items", "attribution.joules"),
    (
        "the run was not ended early",
        "there are fewer than ten units of answers, or all are alike",
        "there are no joules",
    ),
    "estimated, never measured: the mean cost of the n questions asked, a random sample of the N that the "
    "run was to ask, times the U requests that were not asked; interval: 95 %, Student's t, with the meter's "
    "bound, of batches where requests overlapped",
)
DEFINITIONS = (SAVED,)
OVER_ITEMS = (
    "joules_per_correct_answer",
    "usd_per_correct_answer",
    "gco2e_per_correct_answer",
    "cpu_seconds_per_correct_answer",
    "mean_score",
)
"""Figures whose interval says how far other questions of the kind would move them."""
AGAINST = "decided against "
"""How a target begins that compares the run with another one."""


@dataclass(frozen=True, slots=True)
class SavedLine:
    """One kind of cost: ``asked`` as the run has it, ``saved`` and the ``whole`` task estimated."""

    name: str
    title: str
    asked: Value
    saved: Value
    whole: Value

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values; a null has its reason."""
        saved = self.saved
        return {
            "unit": saved.unit,
            "asked": self.asked.value,
            "saved_estimated": saved.value,
            "saved_lo": saved.lo,
            "saved_hi": saved.hi,
            "whole_task_estimated": self.whole.value,
            "reason": None if saved.reason is None else reason_json(saved.reason, saved.detail),
            "interval_reason": None if saved.interval_reason is None else reason_json(saved.interval_reason),
        }


@dataclass(frozen=True, slots=True)
class StoppedEarly:
    """A run that a rule of ``targets`` ended; all its targets were met ``at`` so many questions.

    ``asked`` of ``of`` questions were asked, those in flight at that moment included. They are a random part
    of ``population`` questions, more than ``of`` where a limit left some out, of which the intervals speak.
    ``is_listed``: these are those that a list named. ``binding`` are the targets met last, ``told`` what each
    had come to. Requests count every repeat.
    """

    targets: tuple[str, ...]
    at: int
    asked: int
    of: int
    population: int
    is_listed: bool
    binding: tuple[str, ...]
    told: tuple[str, ...]
    requests_asked: int
    requests_saved: int
    lines: tuple[SavedLine, ...]

    def to_json(self) -> dict[str, JsonValue]:
        """Return plain values."""
        return {
            "targets": list(self.targets),
            "at": self.at,
            "questions_asked": self.asked,
            "questions_saved": self.of - self.asked,
            "questions": self.of,
            "population": self.population,
            "requests_asked": self.requests_asked,
            "requests_saved": self.requests_saved,
            "binding": list(self.binding),
            "told": list(self.told),
            "ledger": {line.name: line.to_json() for line in self.lines},
        }


def earlier_json(rule: StopFacts) -> dict[str, JsonValue]:
    """Return what ended the run before it went on, as plain values."""
    ended = rule.stopped
    return {
        "targets": list(rule.targets),
        "at": None if ended is None else ended.at,
        "questions_asked": None if ended is None else ended.asked,
        "binding": [] if ended is None else list(ended.binding),
        "told": list(rule.told),
    }


def population(run: RunView) -> int | None:
    """Return how many questions a run that a rule ended is a sample of; null for any other run.

    With a limit these are all of the split, as far as the run knows of them. Null too where the answers are
    not those of the first questions of the order, all of them: no sample.
    """
    stop = run.manifest.stop
    if stop is None or stop.stopped is None or stop.stopped.asked >= stop.stopped.of:
        return None
    return run.manifest.task.n_drawn_from if _is_prefix(run, stop.stopped.asked) else None


def of_stop(run: RunView) -> Iterator[Caveat]:
    """Say that a run which a rule is said to have ended does not hold what the rule saw."""
    stop = run.manifest.stop
    if stop is not None and stop.stopped is not None and not _is_prefix(run, stop.stopped.asked):
        yield Caveat(
            "not_the_first",
            f"A rule is said to have ended this run after {stop.stopped.asked:,} questions, and its answers "
            "are not those of the first so many: they are no random sample of the task.",
            loud=True,
        )
    if stop is not None and was_decided(run.manifest):
        yield Caveat(
            "decided",
            "A decision ended this run at the moment when it was clear. What led to it is rather too large "
            "then, and the intervals of the accuracy and the score do not allow for that. What holds at any "
            f"look: {'; '.join(stop.told) or 'nothing was told'}.",
            loud=True,
        )


def was_decided(manifest: Manifest) -> bool:
    """Tell whether a decision ended a run: then what led to it is rather too large."""
    stop = manifest.stop
    return stop is not None and stop.stopped is not None and any(map(_decides, stop.targets))


def _decides(target: str) -> bool:
    """Tell whether a target, as the manifest has it, asks on which side of something the figure lies."""
    return " > " in target or " < " in target or target.startswith(AGAINST)


def _is_prefix(run: RunView, asked: int) -> bool:
    return {item.index for item in run.measured_items} == set(range(asked))


def of_the_task(value: Value, run: RunView) -> Value:
    """Return a figure of a run that was ended early with the interval of the whole task's figure.

    An interval over items shrinks by ``sqrt(1 - n / N)``: what was asked is known. Any other run's is left.
    """
    of = population(run)
    if of is None or value.interval != "ci95" or value.value is None or value.lo is None or value.hi is None:
        return value
    asked = len({item.item_id for item in run.measured_items})
    left = math.sqrt(max(1 - asked / of, 0.0))
    lo, hi = value.value - (value.value - value.lo) * left, value.value + (value.hi - value.value) * left
    told = f"of all {of:,} questions, of which {asked:,} were asked"
    return replace(
        value, lo=lo, hi=hi, interval_method="; ".join(filter(None, (value.interval_method, told)))
    )


def stopped_early(run: RunView) -> StoppedEarly | None:
    """Return what a rule left unasked; null where none ended the run."""
    stop = run.manifest.stop
    drawn_from = population(run)
    if stop is None or stop.stopped is None or drawn_from is None:
        return None
    items = run.measured_items
    questions: dict[str, list[Item]] = {}
    for item in items:
        questions.setdefault(item.item_id, []).append(item)
    of, ended = run.manifest.task.n_items, stop.stopped
    return StoppedEarly(
        targets=tuple(stop.targets),
        at=ended.at,
        asked=len(questions),
        of=of,
        population=drawn_from,
        is_listed=run.manifest.task.is_listed,
        binding=tuple(ended.binding),
        told=tuple(stop.told),
        requests_asked=len(items),
        requests_saved=of * run.manifest.repeats - len(items),
        lines=_ledger(run, list(questions.values()), of),
    )


def _ledger(run: RunView, questions: Sequence[Sequence[Item]], of: int) -> tuple[SavedLine, ...]:
    items, rates = run.measured_items, run.rates
    unasked = of * run.manifest.repeats - len(items)
    counts = [float(len(repeats)) for repeats in questions]

    def line(name: str, title: str, asked: Value, units: Units | Value) -> SavedLine:
        return SavedLine(name, title, asked, *_estimated(asked, units, len(items), unasked, of))

    batch = BATCHES_OF * (run.manifest.load.concurrency or 1) if requests_overlap(run) else 1
    seconds = _seconds(run)
    taken = [math.fsum(item.t_end - item.t_begin for item in repeats) for repeats in questions]
    whole_ns = math.fsum(taken)
    of_time = Units(
        np.array(taken) * ((seconds.value or 0.0) / whole_ns if whole_ns else 0.0),
        np.array(counts),
        len(questions),
    ).batched(batch)
    joules = metered_units(run, questions, counts)
    lines = [
        line("seconds", "Time", seconds, seconds if seconds.value is None else of_time),
        line("joules", "Energy", energy_value(run.headline_energy), joules),
    ]
    energy = lines[-1]
    if by_tokens(rates, local=run.manifest.engine.local):
        costs = token_costs(items, rates)
        if isinstance(costs, Value):
            lines.append(SavedLine("usd", "Cost", costs, costs, costs))
        else:
            cost_of = {item.key: cost for item, cost in zip(items, costs, strict=True)}
            each = [math.fsum(cost_of[item.key] for item in repeats) for repeats in questions]
            units = Units(np.array(each), np.array(counts), len(questions))
            lines.append(line("usd", "Cost", Value(math.fsum(costs), "USD"), units))
    else:
        parts = (electricity_cost(one, rates) for one in (energy.asked, energy.saved, energy.whole))
        lines.append(SavedLine("usd", "Cost", *parts))
    grams = (gco2e(one, rates) for one in (energy.asked, energy.saved, energy.whole))
    lines.append(SavedLine("gco2e", "CO2e", *grams))
    return tuple(lines)


def _seconds(run: RunView) -> Value:
    if not run.duration_s:
        return withheld("s", Reason.OUTSIDE_TIMELINE)
    return Value(run.duration_s, "s")


def _estimated(
    asked: Value, units: Units | Value, n_requests: int, unasked: int, of: int
) -> tuple[Value, Value]:
    """Return what the requests that were not asked would have cost, and the whole task."""
    if asked.value is None or not n_requests:
        none = asked if asked.value is None else withheld(asked.unit, Reason.NOTHING_SCORED)
        return none, none
    mean = asked.value / n_requests
    saved, whole = mean * unasked, mean * (unasked + n_requests)
    estimated_whole = Value(whole, asked.unit)
    if isinstance(units, Value):
        why = replace(units, unit=asked.unit)
        return Value(saved, asked.unit, interval_reason=why.reason), estimated_whole
    found = estimate(units, None)
    if isinstance(found, Reason):
        return Value(saved, asked.unit, interval_reason=found), estimated_whole
    left = max(of - units.n_items, 1)
    half = unasked * found.half_width * math.sqrt(of / left)
    lo, hi = max(saved - half, 0.0), saved + half
    if asked.lo is not None and asked.hi is not None and asked.value > 0:
        # what the meter may have missed, it may have missed of each answer alike
        lo, hi = lo * asked.lo / asked.value, hi * asked.hi / asked.value
    return Value(saved, asked.unit, lo, hi, "ci95", n=units.n_items), estimated_whole
