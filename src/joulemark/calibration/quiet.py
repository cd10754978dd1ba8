"""Whether the machine was idle while it was measured as idle, and who kept it from being so."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from joulemark.live.meter_set import MeterSet
from joulemark.meters.machine_load import MACHINE_SOURCE
from joulemark.meters.nvml_driver import open_board, session
from joulemark.meters.process_tree import children_of, read_stat
from joulemark.meters.source import SourceLost
from joulemark.record.errors import JoulemarkError
from joulemark.record.meter import QualifiedSource
from joulemark.record.telemetry import Quantity
from joulemark.telemetry.cumulative import machine_seconds_between

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


def foreign_share(meters: MeterSet, t0: int, t1: int, own_s: float) -> float | None:
    """Return the share of all processors' time from ``t0`` to ``t1`` that was not ours, null if unknown."""
    timeline = meters.timeline(t0, t1)
    busy_s, _ = machine_seconds_between(timeline, MACHINE_SOURCE, 0, t0, t1)
    processors = timeline.series(0, MACHINE_SOURCE, Quantity.CPU_COUNT.value)
    if busy_s is None or processors is None or t1 <= t0:
        return None
    capacity_s = float(processors.value[-1]) * (t1 - t0) * 1e-9
    return min(1.0, max(0.0, busy_s - own_s) / capacity_s)


def computing_on_boards(
    sources: Sequence[QualifiedSource], ours: Sequence[int], *, engine_runs: bool
) -> list[str]:
    """Return a sentence for each foreign process that computes on a measured board.

    Processes that only draw (a desktop's) are part of the machine. ``ours`` and their children are left out;
    where an engine runs, so are pids that this machine does not show: one of them may be the engine's, as a
    container's driver numbers it.
    """
    own = {*ours, *children_of(ours)}
    said = []
    for source in sources:
        if source.info.kind in _BOARD_KINDS and source.info.device_id is not None:
            for pid in _computing(source.info.device_id):
                stat = read_stat(pid)
                if pid not in own and (stat is not None or not engine_runs):
                    name = f"{stat.name} (pid {pid})" if stat is not None else f"pid {pid}"
                    said.append(f"{name} computes on {source.info.scope.label}")
    return said


def busy_words(share: float | None, computing: Sequence[str]) -> list[str]:
    """Return why the machine does not count as idle; nothing where it does."""
    said = list(computing)
    if share is not None and share > MAX_FOREIGN_SHARE:
        said.insert(0, f"other processes used {share:.0%} of the processors")
    return said


def _computing(uuid: str) -> list[int]:
    """Return the pids that compute on a board; none where the driver does not say."""
    with contextlib.suppress(SourceLost), session() as module:
        handle = open_board(module, uuid)
        for version in ("v3", "v2"):
            with contextlib.suppress(module.NVMLError):
                listed = getattr(module, f"nvmlDeviceGetComputeRunningProcesses_{version}")(handle)
                return sorted({int(process.pid) for process in listed})
    return []
