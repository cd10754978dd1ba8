"""The mean scores of two runs against each other: over what both have a score of, where they are paired."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.bootstrap import MAX_EMPTY_SHARE, MIN_SCORED_ITEMS, resampled_sums
from joulemark.metrics.caveat import Caveat
from joulemark.metrics.compare_figures import missing
from joulemark.metrics.paired_sides import SCORE, SCORED, Resamples, Side
from joulemark.metrics.score import LOUD_UNSCORED_SHARE, unscored
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

_NOT_SHARED = "No item has a score in both runs."


def mean_score_difference(a: Side, b: Side, drawn: Resamples, *, paired: bool) -> Value:
    """Return the mean score of B minus that of A.

    Paired, over the items that both runs have a score of (``n``), each with its mean over repeats: an answer
    that one run refused would leave its mean alone, and the easier items with it. Otherwise requests without
    a score are left out of each run's own mean.
    """
    causes = [
        (one.name, one.columns[SCORE].reason or Reason.NOTHING_SCORED, one.columns[SCORE].detail)
        for one in (a, b)
        if not one.columns[SCORED].total or one.columns[SCORE].total is None
    ]
    if causes:
        return missing("1", causes)
    return _paired(a, b) if paired else _independent(a, b, drawn)


def score_notes(a: Side, b: Side, difference: Value, *, paired: bool) -> Iterator[Caveat]:
    """Yield what the difference of mean scores leaves out; ``difference`` as of `mean_score_difference`."""
    if difference.value is None:
        return
    if paired:
        left_out = len(a.ids) - len(_both(a, b))
        if left_out:
            text = (
                f"The mean scores are compared over the {len(a.ids) - left_out} of {len(a.ids)} items that "
                f"have a score in both {a.name} and {b.name}; {left_out} without are left out."
            )
            yield Caveat("unscored_items", text, loud=left_out > LOUD_UNSCORED_SHARE * len(a.ids))
        return
    for one in (a, b):
        n, told = unscored(one.items)
        if n > LOUD_UNSCORED_SHARE * len(one.items):
            text = f"In {one.name}, {told}: its mean score is that of the others."
            yield Caveat("unscored_answers", text, loud=True)


def _both(a: Side, b: Side) -> NDArray[np.intp]:
    """Return the places of the items that have a score in both of two paired runs."""
    of_a, of_b = a.columns[SCORED].rows, b.columns[SCORED].rows
    assert of_a is not None
    assert of_b is not None
    return np.flatnonzero((of_a > 0) & (of_b > 0))


def _paired(a: Side, b: Side) -> Value:
    places = _both(a, b)
    n = len(places)
    if not n:
        return withheld("1", Reason.NOTHING_SCORED, detail=_NOT_SHARED)
    means = []
    for one in (a, b):
        scores, scored = one.columns[SCORE].rows, one.columns[SCORED].rows
        assert scores is not None
        assert scored is not None
        means.append(scores[places] / scored[places])
    point = float(means[1].mean() - means[0].mean())
    if n < MIN_SCORED_ITEMS:
        return Value(point, "1", interval_reason=Reason.TOO_FEW_ITEMS, n=n)
    sums = resampled_sums(means)
    lo, hi = np.quantile((sums[1] - sums[0]) / n, (0.025, 0.975))
    return Value(point, "1", float(lo), float(hi), "ci95", n=n)


def _independent(a: Side, b: Side, drawn: Resamples) -> Value:
    of_a, of_b = ((one.columns[SCORE].total or 0.0) / (one.columns[SCORED].total or 1.0) for one in (a, b))
    scores, scored = drawn.of(SCORE), drawn.of(SCORED)
    if drawn.n < MIN_SCORED_ITEMS or scores is None or scored is None:
        return Value(of_b - of_a, "1", interval_reason=Reason.TOO_FEW_ITEMS, n=drawn.n)
    filled = (scored[0] > 0) & (scored[1] > 0)
    if filled.mean() < 1 - MAX_EMPTY_SHARE:
        return Value(of_b - of_a, "1", interval_reason=Reason.TOO_MANY_EMPTY_RESAMPLES, n=drawn.n)
    differences = scores[1][filled] / scored[1][filled] - scores[0][filled] / scored[0][filled]
    lo, hi = np.quantile(differences, (0.025, 0.975))
    return Value(of_b - of_a, "1", float(lo), float(hi), "ci95", n=drawn.n)
