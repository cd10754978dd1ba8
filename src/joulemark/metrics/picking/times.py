"""How long a request of other lengths would take, by the requests of a run."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.cost_forecast import predict
from joulemark.metrics.cost_model import CostModel, fit
from joulemark.metrics.cost_points import CostPoint
from joulemark.metrics.latency import answered_items
from joulemark.metrics.picking.bounded_model import bounded_model
from joulemark.metrics.picking.workload import Workload
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason


@dataclass(frozen=True, slots=True)
class Times:
    """Seconds by lengths: a plane through a run's requests (its ``joules`` are seconds), and their mean.

    Where the plane is withheld the mean stands for workloads whose mean lengths lie between the shortest and
    the longest of the run's requests, ``n`` of them. ``mean_s`` is null where there are none.
    """

    plane: CostModel
    mean_s: float | None = None
    half_s: float | None = None
    n: int = 0
    prompt_range: tuple[float, float] = (0.0, 0.0)
    completion_range: tuple[float, float] = (0.0, 0.0)

    @property
    def bounded(self) -> CostModel:
        """The plane that times are told by: none falls with a length."""
        return bounded_model(self.plane)

    def of(self, workload: Workload) -> Value:
        """Return the mean seconds of a request of the workload, or why they are not known."""
        if self.mean_s is None:
            return withheld("s", Reason.NOT_REPORTED, detail="No request has both its times and its lengths.")
        if self.plane.reason is None:
            found = predict(self.bounded, workload.prompt_tokens, workload.completion_tokens).energy
            if found.value is not None and found.value > 0:
                return Value(found.value, "s", found.lo, found.hi, found.interval, n=found.n)
        within = (
            self.prompt_range[0] <= workload.prompt_tokens <= self.prompt_range[1]
            and self.completion_range[0] <= workload.completion_tokens <= self.completion_range[1]
        )
        if not within:
            told = "The run's requests do not tell how their time grows with their lengths, and had others."
            return withheld("s", Reason.NOT_IDENTIFIED, detail=told)
        if self.half_s is None:
            return Value(self.mean_s, "s", n=self.n)
        return Value(
            self.mean_s,
            "s",
            self.mean_s - self.half_s,
            self.mean_s + self.half_s,
            "ci95",
            n=self.n,
            interval_method="the mean of the run's own requests, whatever their lengths",
        )


def whole_times(items: Sequence[Item]) -> Times:
    """Return the times from the first sending to the end."""
    return _times([(item, (item.t_end - item.t_begin) / 1e9) for item in answered_items(items)])


def first_token_times(items: Sequence[Item]) -> Times:
    """Return the times from the first sending to the first generated token."""
    timed = [(item, item.t_first) for item in answered_items(items)]
    return _times([(item, (first - item.t_begin) / 1e9) for item, first in timed if first is not None])


def _times(timed: Sequence[tuple[Item, float]]) -> Times:
    points = []
    for item, seconds in timed:
        if len(item.attempts) > 1 or item.prompt_tokens is None or item.completion_tokens is None:
            continue
        fresh = item.prompt_tokens - (item.cached_tokens or 0)
        if fresh >= 0:
            points.append(CostPoint(item.item_id, item.repeat, fresh, item.completion_tokens, seconds))
    if not points:
        return Times(CostModel(reason=Reason.NOT_REPORTED))
    seconds_of = np.array([point.joules for point in points])
    n = len(points)
    # 1.96 standard errors; requests of one run are many, or the interval is none
    half = 1.96 * float(seconds_of.std(ddof=1)) / math.sqrt(n) if n >= 10 else None
    prompts, outputs = [p.prompt_tokens for p in points], [p.completion_tokens for p in points]
    return Times(
        fit(points),
        math.fsum(seconds_of.tolist()) / n,
        half,
        n,
        (min(prompts), max(prompts)),
        (min(outputs), max(outputs)),
    )
