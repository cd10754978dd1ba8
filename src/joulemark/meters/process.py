"""CPU time and memory of a process tree: the engine's, or that of any pid. Linux.

The CPU time of one process comes from its CPU-time clock (nanoseconds, threads that ended included), or
where that is refused from utime + stime of ``/proc/PID/stat`` (clock ticks). What reaped children used
arrives in the parent's cutime + cstime.
"""

from __future__ import annotations

import os
import sys
import time

from joulemark.meters.process_tree import PROC, Stat, children_of, read_stat
from joulemark.meters.source import Finding, SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading

ENGINE_SCOPE = Scope("engine")
PROCESS_SOURCE = "process:engine"
_SCAN_SHARE = 0.002  # at most this share of a core goes into looking for new children
_SCAN_PERIOD_NS = 1_000_000_000


class ProcessSource:
    """The tree below ``pid``. Raises `SourceLost` where there is no such process, or no ``/proc``.

    The counter never goes backwards: what an ended process used is kept, whether or not its parent reaped it.
    New children are looked for about once a second; their earlier time is counted when they are found.
    """

    def __init__(self, pid: int, start_ticks: int | None = None) -> None:
        if not sys.platform.startswith("linux"):
            raise SourceLost("cpu_time_needs_linux")
        root = read_stat(pid)
        if root is None or (start_ticks is not None and root.start_ticks != start_ticks):
            raise SourceLost("process_gone")
        self._root = pid, root.start_ticks
        self._tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
        self._page_mib = os.sysconf("SC_PAGE_SIZE") / 2**20
        self._members: dict[int, _Member] = {}
        self._pending_ns = 0  # of members that just vanished and are not yet in a parent's count
        self._retired_ns = 0  # of members that nobody waited for
        self._next_scan_ns = 0
        self.info = SourceInfo(
            name=PROCESS_SOURCE,
            kind="process",
            scope=ENGINE_SCOPE,
            quantities=("cpu_time_ns", "rss_mib"),
            device_name=root.name,
        )

    def read(self, segment: int) -> Reading:
        """Sum over the tree; raises `SourceLost` when its root has ended."""
        begin_ns = time.monotonic_ns()
        if begin_ns >= self._next_scan_ns:
            self._scan(begin_ns)
        cpu_ns = self._cpu_ns()
        t_ns = time.monotonic_ns()
        values = {"cpu_time_ns": float(cpu_ns), "rss_mib": self._rss_mib()}
        return Reading(segment, t_ns, self.info.name, self.info.scope.path, values, read_ns=t_ns - begin_ns)

    def close(self) -> None:
        """Release nothing."""

    def _scan(self, begin_ns: int) -> None:
        children = children_of([self._root[0], *self._members])
        for pid in [self._root[0], *children]:
            if pid not in self._members and (stat := read_stat(pid)) is not None:
                self._members[pid] = _Member(stat)
        cost_ns = time.monotonic_ns() - begin_ns
        self._next_scan_ns = begin_ns + max(_SCAN_PERIOD_NS, round(cost_ns / _SCAN_SHARE))

    def _cpu_ns(self) -> int:
        # parents come before their children: a child that ends meanwhile is missed once, not counted twice
        vanished_ns = reaped_ns = total_ns = 0
        for pid, member in list(self._members.items()):
            stat = read_stat(pid)
            gone = stat is None or stat.start_ticks != member.start_ticks
            if pid == self._root[0] and (gone or (stat is not None and stat.is_zombie)):
                raise SourceLost("process_ended")
            if stat is None or gone:
                vanished_ns += member.total_ns
                del self._members[pid]
                continue
            reaped_ns += member.update(pid, stat, self._tick_ns)
            total_ns += member.total_ns
        return total_ns + self._kept_ns(vanished_ns, reaped_ns)

    def _kept_ns(self, vanished_ns: int, reaped_ns: int) -> int:
        """Return the time of ended members that no parent's count holds.

        A parent may reap its child only after this reading, so one more reading is waited for.
        """
        old_ns = max(0, self._pending_ns - reaped_ns)
        self._retired_ns += old_ns
        left_ns = max(0, reaped_ns - self._pending_ns)
        self._pending_ns = max(0, vanished_ns - left_ns)
        return self._pending_ns + self._retired_ns

    def _rss_mib(self) -> float:
        """Resident memory of the tree; a page that two processes share counts twice."""
        pages = 0
        for pid in self._members:
            try:
                pages += int((PROC / str(pid) / "statm").read_text().split()[1])
            except (OSError, IndexError, ValueError):
                continue  # it has just ended
        return pages * self._page_mib


class _Member:
    """A process of the tree: its own CPU time and that of the children it reaped."""

    def __init__(self, stat: Stat) -> None:
        self.start_ticks = stat.start_ticks
        self._own_ns = 0
        self._reaped_ns: int | None = None

    @property
    def total_ns(self) -> int:
        return self._own_ns + (self._reaped_ns or 0)

    def update(self, pid: int, stat: Stat, tick_ns: int) -> int:
        """Take a new reading; return by how much the time of reaped children rose."""
        own_ns = _process_clock_ns(pid)
        if own_ns is None:
            own_ns = stat.own_ticks * tick_ns
        self._own_ns = max(self._own_ns, own_ns)
        before_ns, self._reaped_ns = self._reaped_ns, stat.reaped_ticks * tick_ns
        return 0 if before_ns is None else self._reaped_ns - before_ns


def _process_clock_ns(pid: int) -> int | None:
    """Read the CPU-time clock of a process (what ``clock_getcpuclockid`` returns on Linux), or null."""
    try:
        return time.clock_gettime_ns((~pid << 3) | 2)
    except OSError:
        return None


def process_spec(pid: int) -> SourceSpec:
    """Return how to watch ``pid``'s tree from another process.

    Its start time guards against a pid that was given to another process meanwhile.
    """
    stat = read_stat(pid)
    return SourceSpec("process", {"pid": pid, "start_ticks": None if stat is None else stat.start_ticks})


def open_process(spec: SourceSpec, clock: Clock | None = None) -> ProcessSource:
    """Open the process tree that ``spec`` names; stamped by the machine's clock whatever ``clock`` is."""
    start_ticks = spec.args.get("start_ticks")
    return ProcessSource(int(spec.args["pid"] or 0), None if start_ticks is None else int(start_ticks))


def find_process(pid: int) -> Finding:
    """Return what discovery says of a process tree."""
    measures = "CPU time and memory of the engine's processes (no energy)"
    try:
        source = ProcessSource(pid)
    except SourceLost as error:
        if str(error) == "cpu_time_needs_linux":
            why, fix = "process times are read from Linux's /proc", "none on this system"
        else:
            why, fix = f"no process {pid} is to be seen here", f"ps -p {pid}   # is it in another container?"
        return Finding("process", PROCESS_SOURCE, measures, why=why, fix=fix)
    return Finding("process", PROCESS_SOURCE, measures, spec=process_spec(pid), info=source.info)
