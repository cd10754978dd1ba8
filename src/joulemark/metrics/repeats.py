"""How far a figure moved from repeat to repeat of one run: mean ± sample standard deviation (n)."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from joulemark.metrics.accuracy import is_correct, is_scored, why_not_scored
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.energy_per import completion_tokens
from joulemark.metrics.item_costs import ItemCosts, item_costs, item_cpu_seconds, item_joules, item_seconds
from joulemark.metrics.run_view import RunView
from joulemark.metrics.score import GRADED, score_of, why_no_mean_score
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

# the figures that have a spread over repeats and over runs, and their units
POOLED_FIGURES: Mapping[str, str] = {
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
    """Return the spread of each of `POOLED_FIGURES` over the complete repeats of a run."""
    items = run.measured_items
    repeats, _ = complete_repeats(items)
    joules, seconds, busy_s = _joules(run), _cpu_seconds(run), _durations(run)
    real = run.real_valued
    ways: dict[str, Callable[[Sequence[Item]], Found]] = {
        "accuracy": lambda mine: _accuracy(mine, real_valued=real),
        "mean_score": lambda mine: _mean_score(mine, real_valued=real),
        "joules_per_correct_answer": lambda mine: _per_correct(_sum(joules, mine), mine, real_valued=real),
        "total_joules": lambda mine: _sum(joules, mine),
        "joules_per_request": lambda mine: _over(_sum(joules, mine), len(mine)),
        "mean_completion_tokens": lambda mine: _over(_tokens(mine), len(mine)),
        "tokens_per_second": lambda mine: _over(_tokens(mine), _sum(busy_s, mine)),
        "cpu_seconds_per_correct_answer": lambda mine: _per_correct(
            _sum(seconds, mine), mine, real_valued=real
        ),
    }
    names = [f"repeat {repeat + 1}" for repeat in repeats]
    found = {
        name: spread_of([ways[name](mine) for mine in repeats.values()], unit, names)
        for name, unit in POOLED_FIGURES.items()
    }
    if found["mean_score"].reason is Reason.NOT_APPLICABLE:
        found["mean_score"] = replace(found["mean_score"], detail=GRADED)
    return found


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


def _joules(run: RunView) -> ItemCosts | Reason:
    if isinstance(run.headline_energy, Withheld):
        return run.headline_energy.reason
    return item_costs(run.headline_energy.joules, run.measured_items, item_joules(run))


def _cpu_seconds(run: RunView) -> ItemCosts | Reason:
    if run.cpu_seconds is None:
        return run.cpu_reason or Reason.CPU_NOT_OBSERVED
    return item_costs(run.cpu_seconds, run.measured_items, item_cpu_seconds(run))


def _durations(run: RunView) -> ItemCosts | Reason:
    if run.duration_s is None:
        return Reason.OUTSIDE_TIMELINE
    return item_costs(run.duration_s, run.measured_items, item_seconds(run))


def _sum(costs: ItemCosts | Reason, mine: Sequence[Item]) -> Found:
    return costs if isinstance(costs, Reason) else math.fsum(costs.of(mine))


def _over(top: Found, bottom: Found) -> Found:
    if isinstance(top, Reason):
        return top
    if isinstance(bottom, Reason):
        return bottom
    return top / bottom if bottom > 0 else Reason.OUTSIDE_TIMELINE


def _per_correct(cost: Found, mine: Sequence[Item], *, real_valued: bool) -> Found:
    reason = why_not_scored(mine, real_valued=real_valued)
    n_correct = sum(map(is_correct, mine))
    return reason or (_over(cost, n_correct) if n_correct else Reason.NOTHING_CORRECT)


def _accuracy(mine: Sequence[Item], *, real_valued: bool) -> Found:
    return why_not_scored(mine, real_valued=real_valued) or sum(map(is_correct, mine)) / sum(
        map(is_scored, mine)
    )


def _mean_score(mine: Sequence[Item], *, real_valued: bool) -> Found:
    missing = why_no_mean_score(mine, real_valued=real_valued)
    if missing is not None:
        return missing[0]
    scores = [score for item in mine if (score := score_of(item)) is not None]
    return math.fsum(scores) / len(scores)


def _tokens(mine: Sequence[Item]) -> Found:
    tokens = completion_tokens(mine)
    if isinstance(tokens, Value):
        return tokens.reason or Reason.NOT_REPORTED
    return float(tokens)
