"""How many processor cores a compute-bound engine may use."""

from __future__ import annotations

import os
from pathlib import Path


def usable_cores() -> int:
    """Return the number of physical cores this process may use, at least 1.

    Two hardware threads of a core share its arithmetic units, so that a second thread there slows matrix
    products down. The affinity mask and the quota of a container count.
    """
    cpus = _allowed_cpus()
    physical = len({_siblings(cpu) for cpu in cpus})
    quota = _quota_cores()
    return max(1, physical if quota is None else min(physical, int(quota)))


def _allowed_cpus() -> set[int]:
    if hasattr(os, "sched_getaffinity"):
        return os.sched_getaffinity(0)
    return set(range(os.cpu_count() or 1))


def _siblings(cpu: int) -> str:
    """Return what names the physical core of ``cpu``: the list of its hardware threads."""
    path = Path(f"/sys/devices/system/cpu/cpu{cpu}/topology/thread_siblings_list")
    try:
        return path.read_text().strip()
    except OSError:
        return str(cpu)


def _quota_cores() -> float | None:
    """Return the cgroup's processor quota in cores (v2, then v1), null when there is none."""
    root = Path("/sys/fs/cgroup")
    try:
        quota, period = (root / "cpu.max").read_text().split()
        return None if quota == "max" else float(quota) / float(period)
    except (OSError, ValueError):
        pass
    try:
        quota_us = int((root / "cpu/cpu.cfs_quota_us").read_text())
        period_us = int((root / "cpu/cpu.cfs_period_us").read_text())
    except (OSError, ValueError):
        return None
    return quota_us / period_us if quota_us > 0 and period_us > 0 else None
