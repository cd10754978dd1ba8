"""What kind of machine this is, as far as a meter cares."""

from __future__ import annotations

from functools import cache
from pathlib import Path

_CPUINFO = Path("/proc/cpuinfo")
_VERSION = Path("/proc/version")


@cache
def is_virtual(cpuinfo: Path = _CPUINFO) -> bool:
    """Tell whether the processor reports a hypervisor (flag in ``/proc/cpuinfo``; x86 only)."""
    for line in _lines(cpuinfo):
        if line.startswith("flags"):
            return "hypervisor" in line.split()
    return False


@cache
def is_wsl(version: Path = _VERSION) -> bool:
    """Tell whether this Linux is the Windows subsystem for Linux."""
    return any("microsoft" in line.lower() for line in _lines(version))


@cache
def is_container(root: Path = Path("/")) -> bool:
    """Tell whether this looks like the inside of a container (marker files of Docker and Podman)."""
    return any((root / marker).exists() for marker in (".dockerenv", "run/.containerenv"))


@cache
def processor_name(cpuinfo: Path = _CPUINFO) -> str | None:
    """Return the processor's model name, or null where the kernel does not say."""
    for line in _lines(cpuinfo):
        if line.startswith("model name"):
            return line.partition(":")[2].strip() or None
    return None


def _lines(path: Path) -> list[str]:
    try:
        return path.read_text(errors="replace").splitlines()
    except OSError:
        return []
