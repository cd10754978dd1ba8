"""A cost per correct answer over several tasks together: all that was spent over all that was right.

It is no mean of the tasks' own ratios: where little is right a ratio is large and weighs little. The estimate
``sum(w_i c_i) / sum(w_i p_i)`` of means c_i and shares p_i errs, by first order, as the weighted means of
``c - R y`` over P do (W. Cochran, Sampling Techniques, 1977, 6.11: the combined ratio estimate).
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.frugal.planning.known_task import COST_OF, KnownTask
from joulemark.frugal.sample_size import Moments
from joulemark.frugal.target import Quantity


def pooled_ratio(tasks: Sequence[KnownTask], quantity: Quantity) -> list[Moments] | None:
    """Return the pooled figure with each task's deviation for it, by task; null where one lacks its parts.

    ``quantity`` is one per correct answer, and every task has a known mean and deviation of its cost.
    """
    total = sum(task.n_items for task in tasks)
    parts = [_parts(task, quantity) for task in tasks]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    weights = [task.n_items / total for task in tasks]
    share = math.fsum(weight * part.share for weight, part in zip(weights, known, strict=True))
    cost = math.fsum(weight * part.cost for weight, part in zip(weights, known, strict=True))
    if not share > 0:
        return None
    ratio = cost / share
    return [Moments(ratio, part.deviation_from(ratio) / share, part.n) for part in known]


class _Parts:
    """Means of cost c and right answers y of a task, and what spreads of them are known."""

    def __init__(self, cost: Moments, right: Moments, ratio: Moments) -> None:
        self.cost, self.share, self.n = cost.mean, right.mean, ratio.n
        self._of_cost, self._of_right = cost.sd**2, right.sd**2
        own = ratio.mean
        of_errors = (ratio.sd * right.mean) ** 2  # of c - own·y
        self._together = (self._of_cost + own**2 * self._of_right - of_errors) / (2 * own) if own else 0.0

    def deviation_from(self, ratio: float) -> float:
        """Return the deviation of c - ratio·y."""
        variance = self._of_cost - 2 * ratio * self._together + ratio**2 * self._of_right
        return math.sqrt(max(variance, 0.0))


def _parts(task: KnownTask, quantity: Quantity) -> _Parts | None:
    cost = task.costs.get(COST_OF.get(quantity.column, ""))
    right, ratio = task.spreads.get("accuracy"), task.spreads.get(quantity.name)
    if cost is None or cost.sd is None or right is None or ratio is None or not math.isfinite(ratio.sd):
        return None
    return _Parts(Moments(cost.mean, cost.sd, cost.n or ratio.n), right, ratio)
