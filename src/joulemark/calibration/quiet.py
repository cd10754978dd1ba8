"""Whether the machine was idle while it was measured as idle, and who kept it from being so."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from joulemark.meters.boards import processes_on
from joulemark.meters.process_tree import children_of, label, read_stat
from joulemark.record.errors import JoulemarkError
from joulemark.record.meter import QualifiedSource

MAX_FOREIGN_SHARE = 0.05  # of all processors' time
_BOARD_KINDS = ("nvml",)


class NotIdle(JoulemarkError):
    """The machine is busy with something else: what would be measured is not its idle power."""

    exit_code = 3


@dataclass(frozen=True, slots=True)
class Account:
    """Processor seconds that some processes and their children have used so far."""

    seconds_by_pid: dict[int, float] = field(default_factory=dict)

    @classmethod
    def of(cls, roots: Sequence[int]) -> Account:
        """Take the account of ``roots`` and their descendants; empty where there is no ``/proc``."""
        tick_s = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.0
        found = {}
        for pid in {*roots, *children_of(roots)}:
            if (stat := read_stat(pid)) is not None:
                found[pid] = (stat.own_ticks + stat.reaped_ticks) * tick_s
        return cls(found)

    def since(self, before: Account) -> float:
        """Return the seconds used since ``before``; of a process that ended, nothing is known."""
        return sum(
            max(0.0, seconds - before.seconds_by_pid.get(pid, 0.0))
            for pid, seconds in self.seconds_by_pid.items()
        )


def computing_on_boards(
    sources: Sequence[QualifiedSource], ours: Sequence[int], *, engine_runs: bool
) -> list[str]:
    """Return a sentence for each foreign process that computes on a measured board.

    Processes that only draw (a desktop's) are part of the machine. ``ours`` and their children are left out;
    where an engine runs, so are pids that this machine does not show: one of them may be the engine's, as a
    container's driver numbers it.
    """
    own = {*ours, *children_of(ours)}
    said: list[str] = []
    for source in sources:
        if source.info.kind in _BOARD_KINDS and source.info.device_id is not None:
            said += [
                f"{label(pid)} computes on {source.info.scope.label}"
                for pid in processes_on(source.info.device_id, compute_only=True) or []
                if pid not in own and (not engine_runs or read_stat(pid) is not None)
            ]
    return said


def busy_words(share: float | None, computing: Sequence[str]) -> list[str]:
    """Return why the machine does not count as idle; nothing where it does."""
    said = list(computing)
    if share is not None and share > MAX_FOREIGN_SHARE:
        said.insert(0, f"other processes used {share:.0%} of the processors")
    return said
