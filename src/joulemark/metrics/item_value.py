"""What the answers to one question are worth together."""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.metrics.accuracy import is_correct, is_scored
from joulemark.metrics.score import score_of
from joulemark.record.item import Item


def item_value(repeats: Sequence[Item], *, real: bool) -> float | None:
    """Return the mean over the repeats of a question, null where nobody can say what any is worth.

    1 or 0 for right or not, where a failed request is not right; with ``real`` the score, where it has none.
    """
    if real:
        values = [score for item in repeats if (score := score_of(item)) is not None]
    else:
        values = [float(is_correct(item)) for item in repeats if is_scored(item)]
    return math.fsum(values) / len(values) if values else None
