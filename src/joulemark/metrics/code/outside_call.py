"""Work that a program does outside the call that is timed: tables made at import, threads that go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from joulemark.metrics.code.pairs import Pair
from joulemark.record.code_run import WORK_OUTSIDE_CALL, CodeRun, Outcome, Purpose

SLACK_NS = 2e6  # of one run: one of 1,733 honest ones was over 0.7 ms off the run beside it
SLACK_SHARE = 0.2
LOAD_SLACK_NS = 300_000.0
"""Of the median of pairs: of programs with themselves it was 0.16 ms at most (of 166 times 4 to 10 pairs, at
load averages of 1 to 9 on two cores); 127 of 129 answers of two models to COFFE's problems took less than
this more than the solutions there, one 0.304 ms, and one 26 ms: it runs tests of its own at import."""
LOAD_SLACK_SHARE = 0.1  # of what the reference takes to load, where that is more
TOLD_SHARE = 0.05
LEAST_RUNS = 2
_Group = tuple[Purpose, int | None, int | None]


def work_outside_ns(pairs: Sequence[Pair]) -> float:
    """Return the CPU time that the candidate spends outside its calls and is charged; 0 for none.

    Of `charged` rows that is loading: no input is there yet, and the reference is loaded as well.
    What is more than its time, in the middle of the pairs; up to 0.3 ms, or a tenth of that, it is no work.
    Compiling a long source counts (0.13 ms a kilobyte): it leaves memory that the call need not fetch.
    """
    return _work_ns(
        [(pair.reference, pair.candidate) for pair in pairs],
        lambda usual_ns: max(LOAD_SLACK_NS, LOAD_SLACK_SHARE * usual_ns),
    )


def is_told(work_ns: float, call_ns: float) -> bool:
    """Tell whether work outside a call makes its time greater by so much that pairs tell it (over 5 %)."""
    return work_ns > TOLD_SHARE * call_ns


def load_ns(run: CodeRun) -> int | None:
    """Return the CPU time of a process outside its call, its reading of inputs and its giving of results."""
    if run.cpu_around_ns is None:
        return None
    return max(0, run.cpu_around_ns - (run.cpu_before_ns or 0) - (run.cpu_after_ns or 0))


def work_at_load_ns(candidate: Sequence[CodeRun], reference: Sequence[CodeRun]) -> float:
    """Return the CPU time that a candidate takes to load beyond the reference; 0 for none.

    In the middle of the runs, and as there may be one alone: up to 2 ms and a fifth it is no work.
    """
    return _work_ns(
        list(zip(reference, candidate, strict=False)), lambda usual_ns: SLACK_NS + SLACK_SHARE * usual_ns
    )


def work_charged_ns(runs: Sequence[CodeRun], before: Mapping[int, CodeRun]) -> float | None:
    """Return what work outside its calls a candidate's `charged` rows have: CPU time, null for no such work.

    ``before``: each row as it was made, by the ``id`` of the charged one. A row says so where what was
    charged makes its time or memory greater by over 5 %: less changes no ratio that pairs tell. In one row
    that comes by chance where the machine is busy, so two rows on one input (of levels: on one level) must,
    and over a tenth of all on it; where there is one alone, 20 %. Chance goes either way: as many rows as had
    5 % taken off do not count. The value is the median over the rows that do.
    """
    groups: dict[_Group, list[CodeRun]] = {}
    for run in runs:
        groups.setdefault((run.purpose, run.size, run.level), []).append(run)
    said = [run for mine in groups.values() for run in _that_say_so(mine, before)]
    if not said:
        return None
    return float(np.median([max(0, (run.cpu_ns or 0) - (before[id(run)].cpu_ns or 0)) for run in said]))


def _that_say_so(runs: Sequence[CodeRun], before: Mapping[int, CodeRun]) -> list[CodeRun]:
    """Return the rows on one input that say that work was done outside the call; none where they are few."""
    is_alone = len(runs) < LEAST_RUNS
    least = SLACK_SHARE if is_alone else TOLD_SHARE
    said = [run for run in runs if WORK_OUTSIDE_CALL in run.flags and _grown_by(before[id(run)], run) > least]
    n = len(said) - sum(_cpu_less_by(before[id(run)], run) > least for run in runs)
    return said if is_alone or (n >= LEAST_RUNS and 10 * n > len(runs)) else []


def _cpu_less_by(before: CodeRun, run: CodeRun) -> float:
    return 0.0 if run.cpu_ns is None or not before.cpu_ns else 1 - run.cpu_ns / before.cpu_ns


def _grown_by(before: CodeRun, run: CodeRun) -> float:
    """Return by what share the time or the memory of a run is greater than it was, whichever is most."""
    both = [
        (before.cpu_ns, run.cpu_ns),
        (before.wall_ns, run.wall_ns),
        (before.peak_bytes, run.peak_bytes),
    ]
    shares = [now / max(then, 1) - 1 for then, now in both if then is not None and now is not None]
    return max(shares, default=0.0)


def _work_ns(runs: Sequence[tuple[CodeRun, CodeRun]], slack_ns: Callable[[float], float]) -> float:
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
    return extra if extra > slack_ns(float(np.median(usual))) else 0.0
