"""The mean of a real-valued score, for tasks that know no correct and wrong."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.metrics.bootstrap import ratio_interval
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

MEAN_SCORE = MetricDefinition(
    "mean_score",
    "Mean score",
    "1",
    r"\sum_i s_i / n",
    ("items.score",),
    ("no answer has a score",),
    "interval: bootstrap over items, 10,000 resamples, 95 %; failed requests have no score and are left out",
)
DEFINITIONS = (MEAN_SCORE,)


def mean_score(items: Sequence[Item]) -> Value:
    """Return the mean of the items' scores with its bootstrap interval; repeats are drawn together."""
    scored = [(item.item_id, item.score) for item in items if item.score is not None]
    if not scored:
        return withheld("1", Reason.NOTHING_SCORED)
    ids, scores = [i for i, _ in scored], [s for _, s in scored]
    mean = sum(scores) / len(scores)
    interval = ratio_interval(scores, [1.0] * len(scores), ids)
    if interval.lo is None or interval.hi is None:
        return Value(mean, "1", n=interval.n, interval_reason=interval.reason)
    return Value(mean, "1", interval.lo, interval.hi, "ci95", n=interval.n)
