"""The mean of a real-valued score, for tasks that know no correct and wrong."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from joulemark.metrics.accuracy import (
    UNSCORED,
    has_real_values,
    is_graded_later,
    is_scored,
    is_ungraded,
    verdict_of,
)
from joulemark.metrics.bootstrap import ratio_interval
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.item import Item, Verdict
from joulemark.record.reason import Reason

MEAN_SCORE = MetricDefinition(
    "mean_score",
    "Mean score",
    "1",
    r"\sum_i s_i / n",
    ("items.score",),
    ("no answer has a score", "answers were graded correct or not: the accuracy is their mean score"),
    "interval: bootstrap over items, 10,000 resamples, 95 %; failed requests and answers that could not be "
    "scored are left out, and told where they are more than 5 %",
)
DEFINITIONS = (MEAN_SCORE,)
LOUD_UNSCORED_SHARE = 0.05  # of the answers: whoever leaves out the hard ones has the better mean
GRADED = "Answers were graded correct or not; see accuracy."


def score_of(item: Item) -> float | None:
    """Return the score of an answer; a failed request has none, whatever its row says."""
    return None if item.verdict is Verdict.FAILED else item.score


def unscored(items: Sequence[Item]) -> tuple[int, str]:
    """Return how many requests have no score, and that as words with what became of them."""
    lost = Counter(verdict_of(item) for item in items if score_of(item) is None)
    n = lost.total()
    causes = ", ".join(f"{name} {count}" for name, count in lost.most_common() if name != UNSCORED)
    return n, f"{n} of {len(items)} answers have no score" + (f" ({causes})" if causes else "")


def why_no_mean_score(items: Iterable[Item], *, real_valued: bool = False) -> tuple[Reason, str] | None:
    """Return why a set of items has no mean score (reason, detail), or null when it has one.

    ``real_valued``: the task says so, whatever its answers look like (`RunView.real_valued`).
    """
    answered = [item for item in items if item.verdict is not Verdict.FAILED]
    if any(map(is_graded_later, answered)):
        return Reason.GRADED_LATER, ""
    if not real_valued and not has_real_values(answered) and any(map(is_scored, answered)):
        return Reason.NOT_APPLICABLE, GRADED
    if all(item.score is None for item in answered):
        return Reason.NOT_GRADED if any(map(is_ungraded, answered)) else Reason.NOTHING_SCORED, ""
    return None


def mean_score(items: Sequence[Item], *, real_valued: bool = False) -> Value:
    """Return the mean of the items' scores with its bootstrap interval; repeats are drawn together.

    ``real_valued`` as of `why_no_mean_score`.
    """
    missing = why_no_mean_score(items, real_valued=real_valued)
    if missing is not None:
        return withheld("1", missing[0], detail=missing[1])
    scored = [(item.item_id, score) for item in items if (score := score_of(item)) is not None]
    ids, scores = [i for i, _ in scored], [s for _, s in scored]
    mean = math.fsum(scores) / len(scores)
    interval = ratio_interval(scores, [1.0] * len(scores), ids)
    if interval.lo is None or interval.hi is None:
        return Value(mean, "1", n=interval.n, interval_reason=interval.reason)
    return Value(mean, "1", interval.lo, interval.hi, "ci95", n=interval.n)
