"""Accuracy of the answers that were not cut off by their token limit."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.metrics.accuracy import accuracy_without
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value
from joulemark.record.item import Item, Verdict

EXCLUDING_TRUNCATED = MetricDefinition(
    "accuracy_excluding_truncated",
    "Accuracy without truncated answers",
    "1",
    r"k / (n - n_\mathrm{truncated})",
    ("items.correct", "items.verdict"),
    ("every scored answer was truncated", "no answer could be scored", "the score is real-valued"),
    "E. B. Wilson (1927); answers that their token limit ended are left out, failed requests are not; "
    "equals the accuracy where nothing was truncated",
)
DEFINITIONS = (EXCLUDING_TRUNCATED,)


def accuracy_excluding_truncated(items: Sequence[Item], *, real_valued: bool = False) -> Value:
    """Return the share of correct answers among those not truncated, with its Wilson interval.

    It stands beside the plain accuracy, never in its place: a model that answers at length is cut off at
    its harder questions, so what is left is easier than the task.
    """
    return accuracy_without(
        items,
        frozenset({Verdict.TRUNCATED}),
        detail="Every scored answer was truncated.",
        real_valued=real_valued,
    )
