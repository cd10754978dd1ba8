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

from joulemark.metrics.any_look import at_any_look
from joulemark.metrics.before_drain import joules_per_request, seconds_per_request
from joulemark.metrics.carbon import gco2e
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.ended_by import decision, ended_by_hand, named_late, passed_ends
from joulemark.metrics.finite_ratio import BATCHES_OF, Units, estimate
from joulemark.metrics.item_costs import requests_overlap
from joulemark.metrics.metered_units import metered_units
from joulemark.metrics.money import by_tokens, electricity_cost, token_costs
from joulemark.metrics.plain import JsonValue, reason_json
from joulemark.metrics.run_view import RunView
from joulemark.metrics.these_questions import is_prefix
from joulemark.metrics.unsettled import unsettled
from joulemark.metrics.value import Value, energy_value, withheld
from joulemark.record.item import Item
from joulemark.record.manifest import StopFacts
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
    "run was to ask, times the U requests that were not asked; where requests overlapped, of the time before "
    "the last of them began, since the end, when what is in flight is awaited, comes but once; interval: "
    "95 %, Student's t, with the meter's bound, of batches where requests overlapped; none where the time or "
    "the energy of a request changed while the run was asked",
)
DEFINITIONS = (SAVED,)
_NOT_ALLOWED_FOR = (
    "Questions that were not asked may cost otherwise still, so what stopping saved has no interval."
)
AS_RECORDED = "as the run noted it while it was asked; not computed anew"


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
    had come to. Requests count every repeat. ``named_at``: how many questions had been asked when the targets
    were named; ``by_hand``: that was long after the first of them, and no rule had ended the run there.
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
    named_at: int = 0
    by_hand: bool = False

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
            "told_is": AS_RECORDED,
            "targets_named_at": self.named_at,
            "ended_by_hand": self.by_hand,
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
    return run.manifest.task.n_drawn_from if is_prefix(run, stop.stopped.asked) else None


def of_stop(run: RunView) -> Iterator[Caveat]:
    """Say that a run which a rule is said to have ended does not hold what the rule saw."""
    stop = run.manifest.stop
    if stop is not None and stop.stopped is not None and not is_prefix(run, stop.stopped.asked):
        yield Caveat(
            "not_the_first",
            f"A rule is said to have ended this run after {stop.stopped.asked:,} questions, and its answers "
            "are not those of the first so many: they are no random sample of the task.",
            loud=True,
        )
    asked = len({item.item_id for item in run.measured_items})
    decided = decision(run.manifest, asked)
    if decided is not None:
        when = "at the moment when it was clear"
        if decided is not stop and decided.stopped is not None:
            when = f"before, after {decided.stopped.asked:,} questions, when it was clear"
        yield Caveat(
            "decided",
            f"A decision ended this run {when}. What led to it is rather too large then, and the intervals "
            "of the accuracy and the score do not allow for that. What holds at any look: "
            f"{'; '.join(decided.told) or 'nothing was told'}.",
            loud=True,
        )
    if population(run) is not None:
        yield from _unsettled(run)
    yield from _chosen_end(run, asked)


def _chosen_end(run: RunView, asked: int) -> Iterator[Caveat]:
    """Say that somebody who could see the answers had a choice of where the run was to end."""
    stop = run.manifest.stop
    if stop is None or stop.stopped is None:
        return
    known, by_hand, ends = named_late(stop), ended_by_hand(run.manifest), passed_ends(run.manifest, asked)
    if not known and not ends:
        return
    at = f"when {known:,} of {asked:,} questions had been asked" if known else "late"
    told = f"{' and '.join(stop.targets)} was named {at}, by somebody who could see the answers."
    if by_hand:
        why = "So the run was ended by hand, and its intervals do not allow for an end that was chosen."
    elif ends:
        before = ", ".join(f"{end:,}" for end in ends)
        why = (
            f"Rules had ended the run at {before} questions before, and it was asked on. That is a choice "
            "among ends, which its intervals do not allow for."
        )
    else:
        why = "A choice between two ends may favour one of them; no interval allows for that."
    loud = by_hand or bool(ends)
    if loud and (found := at_any_look(run)) is not None:
        name, lo, hi = found
        why += f" What holds wherever it is ended: the {name} lies within {lo:.3g} and {hi:.3g}."
    yield Caveat("ended_by_hand" if by_hand else "named_late", f"{told} {why}", loud=loud)


def _unsettled(run: RunView) -> Iterator[Caveat]:
    """Say that time or energy of a request changed while a run was asked that a rule ended."""
    changed = unsettled(run).values()
    drifts = [one.drift for one in changed if one.drift]
    told = [one.halves for one in changed if one.halves]
    if drifts:
        yield Caveat(
            "drifting",
            f"From the first answers to the last a request of one length changed {' and '.join(drifts)}, "
            f"little by little, which chance does in one run of a hundred. {_NOT_ALLOWED_FOR}",
            loud=True,
        )
    if told:
        yield Caveat(
            "not_settled",
            f"A request took {', and '.join(told)}, more than chance allows: what it costs changed while the "
            f"run was asked. {_NOT_ALLOWED_FOR}",
            loud=True,
        )


def was_decided(run: RunView) -> bool:
    """Tell whether a decision ended a run: then what led to it is rather too large."""
    return decision(run.manifest, len({item.item_id for item in run.measured_items})) is not None


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
        named_at=stop.named_at or 0,
        by_hand=ended_by_hand(run.manifest),
    )


def _ledger(run: RunView, questions: Sequence[Sequence[Item]], of: int) -> tuple[SavedLine, ...]:
    items, rates = run.measured_items, run.rates
    unasked = of * run.manifest.repeats - len(items)
    counts = [float(len(repeats)) for repeats in questions]

    def line(
        name: str, title: str, asked: Value, units: Units | Value, mean: float | None = None
    ) -> SavedLine:
        if mean is None:
            mean = (asked.value or 0.0) / max(len(items), 1)
        return SavedLine(name, title, asked, *_estimated(asked, units, len(items), unasked, of, mean))

    overlap = requests_overlap(run)
    batch = BATCHES_OF * (run.manifest.load.concurrency or 1) if overlap else 1
    each_s, each_j = (seconds_per_request(run), joules_per_request(run)) if overlap else (None, None)
    seconds = _seconds(run)
    taken = [math.fsum(item.t_end - item.t_begin for item in repeats) for repeats in questions]
    whole_ns = math.fsum(taken)
    of_time: Units | Value = Units(
        np.array(taken) * ((seconds.value or 0.0) / whole_ns if whole_ns else 0.0),
        np.array(counts),
        len(questions),
    ).batched(batch)
    changed = unsettled(run)
    joules = metered_units(run, questions, counts)
    if "seconds" in changed and seconds.value is not None:
        of_time = withheld("s", Reason.COST_CHANGED)
    if "joules" in changed:
        joules = withheld("J", Reason.COST_CHANGED)
    lines = [
        line("seconds", "Time", seconds, seconds if seconds.value is None else of_time, each_s),
        line("joules", "Energy", energy_value(run.headline_energy), joules, each_j),
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
    asked: Value, units: Units | Value, n_requests: int, unasked: int, of: int, mean: float
) -> tuple[Value, Value]:
    """Return what the requests that were not asked would have cost, ``mean`` each, and the whole task."""
    if asked.value is None or not n_requests:
        none = asked if asked.value is None else withheld(asked.unit, Reason.NOTHING_SCORED)
        return none, none
    saved = mean * unasked
    whole = saved + asked.value
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
