"""How many runs waited for a processor: their wall time is the machine's load as much as the program's."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.record.code_run import CodeRun, Outcome, Purpose

WAITED_SHARE = 0.1  # of the wall time of a run
_FEW = 0.05  # of the runs: so few move no mean

_OF_WALL = ("et", "tmu", "net", "ntmu")


def walled(figure: str) -> Purpose | None:
    """Return the purpose of the runs whose wall time is in a figure; null where none is."""
    what, _, form = figure.partition("_")
    if form.startswith("corrected"):
        return Purpose.PAIRED if what in ("tmu", "ntmu") else None
    return Purpose.WHOLE if what in _OF_WALL else None


@dataclass(frozen=True, slots=True)
class Queued:
    """Of ``n_runs`` of which both times were read, ``n_waited`` were in the run queue for over a tenth."""

    n_waited: int
    n_runs: int

    @property
    def is_busy(self) -> bool:
        """Whether so many runs waited that figures of wall time are not to be believed."""
        return self.n_waited > _FEW * self.n_runs


def queued_of(runs: Sequence[CodeRun], purpose: Purpose) -> Queued:
    """Return how many runs for a purpose that ended waited, of the reference and of candidates."""
    shares = [
        run.queued_ns / run.wall_ns
        for run in runs
        if run.purpose is purpose
        and run.outcome is Outcome.RETURNED
        and run.wall_ns
        and run.queued_ns is not None
    ]
    return Queued(sum(share > WAITED_SHARE for share in shares), len(shares))
