"""Work that a program does outside the call that is timed: tables made at import, threads that go on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joulemark.metrics.code.pairs import Pair
from joulemark.record.code_run import WORK_OUTSIDE_CALL, Outcome

SLACK_NS = 5e6
SLACK_SHARE = 0.2


def work_outside_ns(pairs: Sequence[Pair]) -> float:
    """Return the CPU time that the candidate spends outside its calls, and is to be charged with; 0 for none.

    Loading and decoding cost the reference as much on the same input: what is more than its time around the
    call, in the middle of the pairs. Below 20 % of that and 5 ms it is no work, unless a run is flagged so.
    """
    more, usual = [], []
    for pair in pairs:
        both = pair.reference.outcome is Outcome.RETURNED and pair.candidate.outcome is Outcome.RETURNED
        theirs, mine = pair.reference.cpu_around_ns, pair.candidate.cpu_around_ns
        if both and theirs is not None and mine is not None:
            more.append(mine - theirs)
            usual.append(theirs)
    if not more:
        return 0.0
    extra = float(np.median(more))
    is_flagged = any(WORK_OUTSIDE_CALL in pair.candidate.flags for pair in pairs)
    slack_ns = 0.0 if is_flagged else SLACK_NS + SLACK_SHARE * float(np.median(usual))
    return extra if extra > slack_ns else 0.0
