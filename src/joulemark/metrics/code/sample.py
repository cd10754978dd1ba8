"""One program that a model wrote for one problem: all of its runs, and whether it is right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.record.code_run import CANDIDATE, REFERENCE, CodeRun, Outcome, Purpose

_JUDGING = (Purpose.TEST, Purpose.WHOLE, Purpose.LEVEL, Purpose.PAIRED, Purpose.GROWTH)
_OUT_OF_RANGE = ("MemoryError", "OverflowError")


@dataclass(frozen=True, slots=True)
class Sample:
    """The ``number``-th answer to a problem and its runs, in the order of the journal.

    ``passed``: see `passes_tests`; ``right``: see `is_right`. Each is null where nothing was compared. What
    a program takes asks neither of them, but `counts_for_cost`.
    """

    problem: str
    number: int
    runs: tuple[CodeRun, ...]
    right: bool | None
    passed: bool | None

    @property
    def program(self) -> str:
        """SHA-256 of its source."""
        return self.runs[0].program

    @property
    def counts_for_cost(self) -> bool:
        """Whether its time and memory count: it passes its tests, and nowhere returned a wrong result."""
        return self.right is True

    @property
    def is_wrong_beyond_tests(self) -> bool:
        """Whether it passes its tests, and returned a wrong result somewhere else: see `is_wrong_on`."""
        return self.passed is True and self.right is False

    def is_wrong_on(self, *purposes: Purpose) -> bool:
        """Tell whether it passes its tests and returned a wrong result in a run for one of ``purposes``."""
        return self.is_wrong_beyond_tests and any(
            returned_wrong(run) for run in self.runs if run.purpose in purposes
        )

    def of(self, purpose: Purpose) -> tuple[CodeRun, ...]:
        """Return its runs for one purpose."""
        return tuple(run for run in self.runs if run.purpose is purpose)


def samples_of(runs: Sequence[CodeRun]) -> tuple[Sample, ...]:
    """Return the samples of a model in the order in which they first appear.

    The reference measured against itself (`Purpose.SAME`) is no sample.
    """
    found: dict[tuple[str, int], list[CodeRun]] = {}
    for run in runs:
        if run.role == CANDIDATE and run.sample is not None and run.purpose is not Purpose.SAME:
            found.setdefault((run.problem, run.sample), []).append(run)
    return tuple(
        Sample(problem, number, tuple(mine), is_right(mine), passes_tests(mine))
        for (problem, number), mine in found.items()
    )


def by_problem(samples: Sequence[Sample]) -> dict[str, tuple[Sample, ...]]:
    """Return samples by their problem."""
    found: dict[str, list[Sample]] = {}
    for sample in samples:
        found.setdefault(sample.problem, []).append(sample)
    return {problem: tuple(mine) for problem, mine in found.items()}


def right_by_problem(samples: Sequence[Sample]) -> dict[str, tuple[Sample, ...]]:
    """Return the samples whose time counts by problem; problems without one are left out."""
    return by_problem([sample for sample in samples if sample.counts_for_cost])


def references(runs: Sequence[CodeRun], purpose: Purpose) -> Mapping[str, tuple[CodeRun, ...]]:
    """Return the reference's runs for one purpose by problem."""
    found: dict[str, list[CodeRun]] = {}
    for run in runs:
        if run.role == REFERENCE and run.purpose is purpose:
            found.setdefault(run.problem, []).append(run)
    return {problem: tuple(mine) for problem, mine in found.items()}


def is_right(runs: Sequence[CodeRun]) -> bool | None:
    """Tell whether a program's time and memory count, null where nothing was compared.

    It must pass its tests, and not once return a wrong result, at whatever size of input.
    """
    if any(map(returned_wrong, runs)):
        return False
    return passes_tests(runs)


def passes_tests(runs: Sequence[CodeRun]) -> bool | None:
    """Tell whether a program passes, null where nothing was compared. What else is measured changes nothing.

    Each test must have returned the right result; a limit that ended one is never a pass. Where there are no
    tests, the first of these that were compared decide: all tests in one process, tests of levels (a limit
    after the first level leaves a program right, as its authors have it), scaled inputs.
    """
    for purpose in _JUDGING:
        mine = [run for run in runs if run.purpose is purpose or _speaks_of(run, purpose)]
        if not mine:
            continue
        verdict = _levels_right(mine) if purpose is Purpose.LEVEL else _all_right(mine)
        if verdict is not None:
            return verdict
    return None


def returned_wrong(run: CodeRun) -> bool:
    """Tell whether a run came to an end with a result that is wrong."""
    return run.outcome is Outcome.RETURNED and run.correct is False


def passed_level(run: CodeRun) -> bool | None:
    """Tell whether a test of a level was right; null where a limit of time, memory or range ended it."""
    if run.outcome is Outcome.RETURNED:
        return run.correct is True
    if run.outcome.is_censored or run.outcome is Outcome.OVER_MEMORY:
        return None
    ended = run.outcome is Outcome.RAISED and run.detail.startswith(_OUT_OF_RANGE)
    return None if ended else False


def _speaks_of(run: CodeRun, purpose: Purpose) -> bool:
    return purpose is Purpose.TEST and run.purpose is Purpose.VERDICT


def _all_right(runs: Sequence[CodeRun]) -> bool | None:
    if any(map(returned_wrong, runs)):
        return False
    if any(run.outcome is not Outcome.RETURNED for run in runs):
        # a scaled input ended by a limit says nothing on right or wrong, a test does
        if runs[0].purpose in (Purpose.PAIRED, Purpose.GROWTH):
            return None
        return False
    return None if any(run.correct is None for run in runs) else True


def _levels_right(runs: Sequence[CodeRun]) -> bool | None:
    for run in runs:
        passed = passed_level(run)
        if passed is False or (passed is None and not run.level):
            return False
    return True
