"""Facts of the machine that a run was made on."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from joulemark.meters.machine import is_virtual, processor_name
from joulemark.record.manifest import Host
from joulemark.record.reason import Reason


def host_facts() -> Host:
    """Describe this machine; what cannot be read is null with a reason."""
    facts: dict[str, str | int | None] = {
        "kernel": platform.release() or None,
        "cpu_model": processor_name() or platform.processor() or None,
        "cpu_count": _cpu_count(),
        "ram_mib": _ram_mib(),
        "virtualization": _virtualization(),
        "governor": _read("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"),
    }
    reasons = {name: Reason.NOT_REPORTED.value for name, value in facts.items() if value is None}
    return Host.model_validate(
        {"os": platform.system(), "python": platform.python_version(), "reasons": reasons, **facts}
    )


def _read(path: str) -> str | None:
    try:
        return Path(path).read_text().strip() or None
    except OSError:
        return None


def _cpu_count() -> int | None:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


def _ram_mib() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20
    except (ValueError, OSError, AttributeError):
        return None


def _virtualization() -> str | None:
    """Return ``wsl2``, ``virtual machine`` or ``none``; null where this cannot be told."""
    if "microsoft" in platform.release().lower():
        return "wsl2"
    if _read("/proc/cpuinfo") is None:
        return None
    return "virtual machine" if is_virtual() else "none"
