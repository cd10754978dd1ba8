"""Work that a program does outside the call that is timed: tables made at import, threads that go on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from joulemark.metrics.code.pairs import Pair
from joulemark.record.code_run import WORK_OUTSIDE_CALL, CodeRun, Outcome, Purpose

SLACK_NS = 2e6
SLACK_SHARE = 0.2


def work_outside_ns(pairs: Sequence[Pair]) -> float:
    """Return the CPU time that the candidate spends outside its calls and is charged; 0 for none.

    Of `charged` rows that is loading: no input is there yet, and the reference is loaded as well.
    What is more than its time, in the middle of the pairs; below 20 % of that and 2 ms it is no work.
    """
    return _work_ns([(pair.reference, pair.candidate) for pair in pairs])


def load_ns(run: CodeRun) -> int | None:
    """Return the CPU time of a process outside its call, its reading of inputs and its giving of results."""
    if run.cpu_around_ns is None:
        return None
    return max(0, run.cpu_around_ns - (run.cpu_before_ns or 0) - (run.cpu_after_ns or 0))


def works_outside(candidate: Sequence[CodeRun], reference: Sequence[CodeRun]) -> bool:
    """Tell whether a candidate does work outside its calls by runs of both on the same inputs."""
    return _work_ns(list(zip(reference, candidate, strict=False))) > 0


def is_charged(runs: Sequence[CodeRun]) -> bool:
    """Tell whether a candidate's `charged` rows say that it worked outside its calls.

    Over a tenth of the rows of a figure must: some are flagged by chance where the machine is busy.
    """
    groups: Counter[tuple[Purpose, int | None, int | None, int | None]] = Counter()
    flagged: Counter[tuple[Purpose, int | None, int | None, int | None]] = Counter()
    for run in runs:
        key = (run.purpose, run.size, run.level, run.case if run.purpose is Purpose.LEVEL else None)
        groups[key] += 1
        flagged[key] += WORK_OUTSIDE_CALL in run.flags
    return any(10 * flagged[key] > n for key, n in groups.items())


def _work_ns(runs: Sequence[tuple[CodeRun, CodeRun]]) -> float:
    more, usual = [], []
    for reference, candidate in runs:
        both = reference.outcome is Outcome.RETURNED and candidate.outcome is Outcome.RETURNED
        theirs, mine = load_ns(reference), load_ns(candidate)
        if both and theirs is not None and mine is not None:
            more.append(mine - theirs)
            usual.append(theirs)
    if not more:
        return 0.0
    extra = float(np.median(more))
    return extra if extra > SLACK_NS + SLACK_SHARE * float(np.median(usual)) else 0.0
