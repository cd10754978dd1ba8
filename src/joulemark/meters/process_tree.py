"""Who descends from whom, from ``/proc``."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

PROC = Path("/proc")


@dataclass(frozen=True, slots=True)
class Stat:
    """What ``/proc/PID/stat`` says. Times are in clock ticks; ``start_ticks`` counts from boot."""

    name: str
    parent: int
    is_zombie: bool
    own_ticks: int
    reaped_ticks: int
    start_ticks: int


def read_stat(pid: int) -> Stat | None:
    """Return the process's state, or null where it has ended (field numbers: proc(5))."""
    try:
        raw = (PROC / str(pid) / "stat").read_bytes()
        # the name may hold spaces and brackets, so everything is counted from its last bracket
        begin, end = raw.index(b"(") + 1, raw.rindex(b")")
        rest = raw[end + 2 :].split()
        times = [int(rest[place]) for place in (11, 12, 13, 14)]
        return Stat(
            name=raw[begin:end].decode(errors="replace"),
            parent=int(rest[1]),
            is_zombie=rest[0] in (b"Z", b"X"),
            own_ticks=times[0] + times[1],
            reaped_ticks=times[2] + times[3],
            start_ticks=int(rest[19]),
        )
    except (OSError, ValueError, IndexError):
        return None


def label(pid: int) -> str:
    """Return how a process is named to a reader: ``name (pid n)``, without the name where it has ended."""
    stat = read_stat(pid)
    return f"pid {pid}" if stat is None else f"{stat.name} (pid {pid})"


def all_pids() -> list[int]:
    """Return the pids that ``/proc`` shows, ascending; none where there is no ``/proc``."""
    try:
        return sorted(int(entry.name) for entry in PROC.iterdir() if entry.name.isdigit())
    except OSError:
        return []


def children_of(roots: Iterable[int]) -> list[int]:
    """Return all descendants of ``roots``, the roots left out, parents before their children."""
    children: dict[int, list[int]] = {}
    for pid in all_pids():
        if (stat := read_stat(pid)) is not None:
            children.setdefault(stat.parent, []).append(pid)
    found, queue = list(dict.fromkeys(roots)), list(roots)
    known = set(found)
    below: list[int] = []
    while queue:
        for child in children.get(queue.pop(0), []):
            if child not in known:
                known.add(child)
                below.append(child)
                queue.append(child)
    return below
