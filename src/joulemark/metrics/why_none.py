"""Why a recommendation has no pick: nothing to rank, missed limits, or figures that are not known."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from joulemark.metrics.comparable import LeftOut
from joulemark.metrics.recommendation import Recommendation

MISSED = "No configuration meets the limits."


def why_none(found: Recommendation) -> str:
    """Return the sentences that say why there is no pick; nothing where there is one.

    Where the limits are missed, by how much is told by the near misses. Else it is the reason for which the
    most configurations were left out, in the words of the first of them.
    """
    if found.pick is not None:
        return ""
    if not found.ranked:
        return f"There is nothing to choose among. {_usual(found.left_out)}".rstrip()
    if found.near_misses:
        return MISSED
    unknown = {id(point) for point in found.ranked}
    lacking = [one for one in found.left_out if id(one.point) in unknown]
    return f"{MISSED} None of them has all the limited figures. {_usual(lacking)}".rstrip()


def _usual(left_out: Sequence[LeftOut]) -> str:
    counts = Counter(one.code for one in left_out)
    if not counts:
        return ""
    code, n = counts.most_common(1)[0]
    text = next(one.text for one in left_out if one.code == code)
    return text if len(counts) == 1 else f"{n} of {len(left_out)} configurations: {text}"
