"""Work that a program does outside the call that is timed: tables made at import, threads that go on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joulemark.metrics.code.pairs import Pair
from joulemark.record.code_run import CodeRun, Outcome

SLACK_NS = 5e6
SLACK_SHARE = 0.2


def work_outside_ns(pairs: Sequence[Pair]) -> float:
    """Return the CPU time that the candidate spends outside its calls, and is to be charged with; 0 for none.

    Loading and decoding cost the reference as much on the same input: what is more than its time around the
    call, in the middle of the pairs. Below 20 % of that and 5 ms it is no work.
    """
    return _work_ns([(pair.reference, pair.candidate) for pair in pairs])


def works_outside(candidate: Sequence[CodeRun], reference: Sequence[CodeRun]) -> bool:
    """Tell whether a candidate does work outside its calls by runs of both on the same inputs."""
    return _work_ns(list(zip(reference, candidate, strict=False))) > 0


def _work_ns(runs: Sequence[tuple[CodeRun, CodeRun]]) -> float:
    more, usual = [], []
    for reference, candidate in runs:
        both = reference.outcome is Outcome.RETURNED and candidate.outcome is Outcome.RETURNED
        theirs, mine = reference.cpu_around_ns, candidate.cpu_around_ns
        if both and theirs is not None and mine is not None:
            more.append(mine - theirs)
            usual.append(theirs)
    if not more:
        return 0.0
    extra = float(np.median(more))
    return extra if extra > SLACK_NS + SLACK_SHARE * float(np.median(usual)) else 0.0
