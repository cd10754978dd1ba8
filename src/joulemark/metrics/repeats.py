"""How far a figure moved from repeat to repeat of one run: mean ± sample standard deviation (n)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from joulemark.metrics.accuracy import is_correct, is_scored, why_not_scored
from joulemark.metrics.attribution import items_overlap
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.energy_per import completion_tokens
from joulemark.metrics.run_view import ItemKey, RunView
from joulemark.metrics.value import Value
from joulemark.record.energy import Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

if TYPE_CHECKING:
    from joulemark.record.manifest import Manifest

SPREAD = MetricDefinition(
    "spread_over_repeats",
    "Spread over repeats",
    "as the figure",
    r"\bar x \pm \sqrt{\sum_r (x_r - \bar x)^2 / (n - 1)}",
    ("items.repeat", "attribution.joules"),
    (
        "there is one repeat (then the mean stands alone)",
        "the figure of any repeat is withheld",
    ),
    "sample standard deviation over complete repeats, never from one; what belongs to no request (idle and "
    "residual) is spread evenly over the run's requests",
)
DEFINITIONS = (SPREAD,)

UNITS: Mapping[str, str] = {
    "accuracy": "1",
    "mean_score": "1",
    "joules_per_correct_answer": "J",
    "total_joules": "J",
    "joules_per_request": "J",
    "mean_completion_tokens": "tokens",
    "tokens_per_second": "tokens/s",
    "cpu_seconds_per_correct_answer": "s",
}

Found = float | Reason


@dataclass(frozen=True, slots=True)
class Spread:
    """Mean and sample standard deviation of ``n`` values in ``unit``; ``reason`` says what is null and why.

    Fewer than two values have a mean without a ``sigma`` (reason ``single_run``); where one value is not
    known both are null. ``detail`` completes the reason.
    """

    mean: float | None
    sigma: float | None
    n: int
    unit: str
    values: tuple[float, ...] = ()
    reason: Reason | None = None
    detail: str = ""


def spread_of(found: Sequence[Found], unit: str, names: Sequence[str]) -> Spread:
    """Return the spread of values; ``names`` say whose they are, for the reason of one that is not known."""
    for value, name in zip(found, names, strict=True):
        if isinstance(value, Reason):
            alone = any(value != other for other in found)
            return Spread(None, None, len(found), unit, (), value, f"So it is for {name}." if alone else "")
    values = tuple(value for value in found if not isinstance(value, Reason))
    if not values:
        return Spread(None, None, 0, unit, (), Reason.NOTHING_SCORED, "No request was completed.")
    # of equal values the rounded mean may differ from each
    mean = min(max(math.fsum(values) / len(values), min(values)), max(values))
    if len(values) < 2:
        return Spread(mean, None, 1, unit, values, Reason.SINGLE_RUN)
    return Spread(mean, statistics.stdev(values), len(values), unit, values)


def complete_repeats(items: Sequence[Item]) -> tuple[dict[int, list[Item]], tuple[int, ...]]:
    """Return the items by repeat, and the repeats left out because they lack items that another one has."""
    by_repeat: dict[int, list[Item]] = {}
    for item in items:
        by_repeat.setdefault(item.repeat, []).append(item)
    most = max(map(len, by_repeat.values()), default=0)
    complete = {repeat: mine for repeat, mine in sorted(by_repeat.items()) if len(mine) == most}
    return complete, tuple(sorted(set(by_repeat) - set(complete)))


def repeat_figures(run: RunView) -> dict[str, Spread]:
    """Return the spread of each figure of `UNITS` over the complete repeats of a run."""
    items = run.measured_items
    repeats, _ = complete_repeats(items)
    joules, seconds, busy_s = _joules(run), _cpu_seconds(run), _durations(run)
    ways: dict[str, Callable[[Sequence[Item]], Found]] = {
        "accuracy": _accuracy,
        "mean_score": _mean_score,
        "joules_per_correct_answer": lambda mine: _per_correct(_sum(joules, mine), mine),
        "total_joules": lambda mine: _sum(joules, mine),
        "joules_per_request": lambda mine: _over(_sum(joules, mine), len(mine)),
        "mean_completion_tokens": lambda mine: _over(_tokens(mine), len(mine)),
        "tokens_per_second": lambda mine: _over(_tokens(mine), _sum(busy_s, mine)),
        "cpu_seconds_per_correct_answer": lambda mine: _per_correct(_sum(seconds, mine), mine),
    }
    names = [f"repeat {repeat + 1}" for repeat in repeats]
    return {
        name: spread_of([ways[name](mine) for mine in repeats.values()], unit, names)
        for name, unit in UNITS.items()
    }


def repeat_policy(manifest: Manifest) -> str:
    """Say in words what differs between repeats, and so what their spread means."""
    sampling = manifest.sampling
    if sampling.temperature == 0:
        return (
            "Temperature 0: every repeat is asked alike, so the spread is the machine's alone, and that of "
            "an engine which does not answer alike twice."
        )
    if sampling.seed is None:
        return (
            f"Temperature {sampling.temperature:g} without a seed: answers are drawn anew in every repeat "
            "and cannot be drawn again. The spread is that of sampling and machine together."
        )
    return (
        f"Temperature {sampling.temperature:g}, seed {sampling.seed}: repeat r, counted from 0, is asked "
        f"with seed {sampling.seed} + r. The spread is that of sampling and machine together."
    )


def _joules(run: RunView) -> dict[ItemKey, Found] | Reason:
    if isinstance(run.headline_energy, Withheld):
        return run.headline_energy.reason
    rows = run.headline_attributions()
    costs: dict[ItemKey, Found] = {
        key: row.reason or Reason.NO_SAMPLES if row.joules is None else row.joules
        for key, row in rows.items()
    }
    return _with_rest(costs, run.headline_energy.joules, run.measured_items)


def _cpu_seconds(run: RunView) -> dict[ItemKey, Found] | Reason:
    if run.cpu_seconds is None:
        return run.cpu_reason or Reason.CPU_NOT_OBSERVED
    costs: dict[ItemKey, Found] = dict(run.item_cpu_seconds)
    # item times are absent where requests overlapped
    absent = Reason.ALLOCATED if items_overlap(run.measured_items) else Reason.CPU_NOT_OBSERVED
    return _with_rest(costs, run.cpu_seconds, run.measured_items, absent)


def _durations(run: RunView) -> dict[ItemKey, Found] | Reason:
    if run.duration_s is None:
        return Reason.OUTSIDE_TIMELINE
    if items_overlap(run.measured_items):
        return Reason.ALLOCATED
    spans: dict[ItemKey, Found] = {item.key: (item.t_end - item.t_begin) / 1e9 for item in run.measured_items}
    return _with_rest(spans, run.duration_s, run.measured_items)


def _with_rest(
    costs: Mapping[ItemKey, Found], total: float, items: Sequence[Item], absent: Reason = Reason.NO_SAMPLES
) -> dict[ItemKey, Found]:
    """Add to each item an even share of what the total holds beyond the items; all must be known for that."""
    found = {item.key: costs.get(item.key, absent) for item in items}
    known = [cost for cost in found.values() if not isinstance(cost, Reason)]
    if len(known) < len(found):
        # the rest would hold the cost of those that are not known
        first = next(cost for cost in found.values() if isinstance(cost, Reason))
        return dict.fromkeys(found, first)
    share = (total - math.fsum(known)) / len(items) if items else 0.0
    return {key: cost + share for key, cost in found.items() if not isinstance(cost, Reason)}


def _sum(costs: Mapping[ItemKey, Found] | Reason, mine: Sequence[Item]) -> Found:
    if isinstance(costs, Reason):
        return costs
    found = [costs[item.key] for item in mine]
    first = next((cost for cost in found if isinstance(cost, Reason)), None)
    return first or math.fsum(cost for cost in found if not isinstance(cost, Reason))


def _over(top: Found, bottom: Found) -> Found:
    if isinstance(top, Reason):
        return top
    if isinstance(bottom, Reason):
        return bottom
    return top / bottom if bottom > 0 else Reason.OUTSIDE_TIMELINE


def _per_correct(cost: Found, mine: Sequence[Item]) -> Found:
    reason = why_not_scored(mine)
    n_correct = sum(map(is_correct, mine))
    return reason or (_over(cost, n_correct) if n_correct else Reason.NOTHING_CORRECT)


def _accuracy(mine: Sequence[Item]) -> Found:
    return why_not_scored(mine) or sum(map(is_correct, mine)) / sum(map(is_scored, mine))


def _mean_score(mine: Sequence[Item]) -> Found:
    scores = [item.score for item in mine if item.score is not None]
    return math.fsum(scores) / len(scores) if scores else Reason.NOTHING_SCORED


def _tokens(mine: Sequence[Item]) -> Found:
    tokens = completion_tokens(mine)
    if isinstance(tokens, Value):
        return tokens.reason or Reason.NOT_REPORTED
    return float(tokens)
