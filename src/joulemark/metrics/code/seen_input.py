"""Tests of levels whose input came again: what a program may have remembered is told, and not paid."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from joulemark.metrics.code.charged import charged
from joulemark.metrics.code.level_draw import draw_of, of_draw
from joulemark.metrics.code.level_time import Clock, level_clock
from joulemark.metrics.code.sample import references, samples_of
from joulemark.record.code_run import SEEN_INPUT, CodeRun, Outcome, Purpose

SLACK_SHARE = 0.2
SLACK_S = 3e-4  # on a busy machine a clock was off by 0.23 ms in 2 of 537 runs of honest programs
Test = tuple[int, int | None]
"""A level and the number of a test in it."""


def tests_of(runs: Sequence[CodeRun]) -> dict[Test, list[CodeRun]]:
    """Return the runs of each test of levels, in their order."""
    found: dict[Test, list[CodeRun]] = {}
    for run in runs:
        found.setdefault((run.level or 0, run.case), []).append(run)
    return found


def excess_s(runs: Sequence[CodeRun], clock: Clock) -> dict[Test, float]:
    """Return by how much the reference's first run on an input is slower than later ones on it, by test."""
    return {test: max(0.0, _first_less_later(mine, clock)) for test, mine in tests_of(runs).items()}


def times_by_repeat(runs: Sequence[CodeRun], clock: Clock, excess: float = 0.0) -> list[float] | None:
    """Return the times of the repeats of one test; null where a limit ended one.

    Each repeat has an input of its own, where one is to be had. Where all have the same, the median counts,
    so that a program gains nothing by remembering in less than half of them, and the first if it is slower
    than the later ones (`is_remembered`). Where some have one that was seen, these count no less than the
    least of the others.
    """
    times = [clock(run) if run.outcome is Outcome.RETURNED else None for run in runs]
    known = [time for time in times if time is not None]
    if len(known) < len(times):
        return None
    fresh = [time for run, time in zip(runs, known, strict=True) if SEEN_INPUT not in run.flags]
    if len(fresh) == len(known):
        return known
    if len(fresh) > 1:
        return [max(time, min(fresh)) for time in known]
    is_told = bool(fresh) and is_remembered(runs, clock, excess)
    return [fresh[0] if is_told else float(np.median(known))] * len(known)


def is_remembered(runs: Sequence[CodeRun], clock: Clock, excess: float = 0.0) -> bool:
    """Tell whether a program was faster on an input that it had seen: by over 20 %, 0.3 ms and ``excess``."""
    later = _later(runs, clock)
    slack = max(SLACK_S, SLACK_SHARE * float(np.median(later))) if later else 0.0
    return _first_less_later(runs, clock) > excess + slack


def remembering(runs: Sequence[CodeRun]) -> set[tuple[str, int]]:
    """Return the samples (problem, number) of which that is told on a test of levels."""
    rows = charged(runs)
    clock, theirs = level_clock(rows), references(rows, Purpose.LEVEL)
    found = set()
    for sample in samples_of(rows):
        mine = sample.of(Purpose.LEVEL)
        excess = excess_s(of_draw(theirs.get(sample.problem, ()), draw_of(mine)), clock)
        tests = tests_of(mine)
        if any(is_remembered(mine, clock, excess.get(test, 0.0)) for test, mine in tests.items()):
            found.add((sample.problem, sample.number))
    return found


def _first_less_later(runs: Sequence[CodeRun], clock: Clock) -> float:
    """Return how much slower the first run on an input is than later ones; 0 where that is not one run."""
    fresh = [run for run in runs if SEEN_INPUT not in run.flags]
    later = _later(runs, clock)
    first = clock(fresh[0]) if len(fresh) == 1 and fresh[0].outcome is Outcome.RETURNED else None
    return 0.0 if first is None or not later else first - float(np.median(later))


def _later(runs: Sequence[CodeRun], clock: Clock) -> list[float]:
    seen = [clock(run) for run in runs if SEEN_INPUT in run.flags and run.outcome is Outcome.RETURNED]
    return [time for time in seen if time is not None]
