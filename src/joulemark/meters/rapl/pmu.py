"""The kernel's ``power`` PMU: the same processor counters as in the powercap tree, for perf.

Described in ``/sys/bus/event_source/devices/power`` (Linux, arch/x86/events/rapl.c): a type, one processor a
package or die to count on, and an event a domain with its scale and unit.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from pathlib import Path

from joulemark.meters.rapl.powercap import SEVERAL_PSYS, counts_by_package, name_and_scope
from joulemark.meters.sysfs import number, text
from joulemark.record.scope import Scope

_EVENTS = {
    "energy-psys": "psys",
    "energy-pkg": "",
    "energy-cores": "core",
    "energy-gpu": "uncore",
    "energy-ram": "dram",
}
_EVENT = re.compile(r"event=(0x[0-9a-fA-F]{1,2}|\d{1,3})\Z")
_CPU_RANGE = re.compile(r"([0-9]{1,5})(?:-([0-9]{1,5}))?\Z")


@dataclass(frozen=True, slots=True)
class PmuDomain:
    """One energy counter of the PMU, with the name and scope that powercap gives the same domain.

    ``scale_j`` turns a count into joules. ``unusable`` says why it cannot be read; empty where it can be
    tried, and only then do the other figures mean anything.
    """

    name: str
    scope: Scope
    pmu_type: int = 0
    config: int = 0
    cpu: int = 0
    scale_j: float = 0.0
    unusable: str = ""


@dataclass(frozen=True, slots=True)
class _Event:
    config: int = 0
    scale_j: float = 0.0
    unusable: str = ""


@dataclass(frozen=True, slots=True)
class _Package:
    """What the kernel would label so, and the processor to count it on."""

    label: str = field(compare=False)
    cpu: int


def pmu_root(sys_root: Path) -> Path:
    """Return the directory of the PMU below the root of sysfs."""
    return sys_root / "bus" / "event_source" / "devices" / "power"


def find_pmu_domains(sys_root: Path) -> list[PmuDomain]:
    """Return the domains that the PMU counts, packages before what they hold; empty where there is none."""
    root = pmu_root(sys_root)
    pmu_type = number(root / "type")
    packages = _packages(sys_root, _cpu_list(text(root / "cpumask")))
    if pmu_type is None or not packages:
        return []
    found: dict[str, PmuDomain] = {}
    for file, part in _EVENTS.items():
        if not (root / "events" / file).exists():
            continue
        event = _event(root / "events", file)
        for package in packages:
            label, holder = (part, package.label) if part else (package.label, None)
            named = name_and_scope(label, holder)
            if named is None or named[0] in found:
                continue
            several = part == "psys" and len({other.label for other in packages}) > 1
            why = event.unusable or (SEVERAL_PSYS if several else "")
            found[named[0]] = PmuDomain(*named, pmu_type, event.config, package.cpu, event.scale_j, why)
    return sorted(found.values(), key=lambda domain: domain.scope)


def _packages(sys_root: Path, cpus: list[int]) -> list[_Package]:
    """Return the packages, or on a machine of several dies a package the dies, of the PMU's processors."""
    places: dict[tuple[int, int], int] = {}
    for cpu in cpus:
        topology = sys_root / "devices" / "system" / "cpu" / f"cpu{cpu}" / "topology"
        package = _known(topology / "physical_package_id")
        if package is not None:
            die = 0 if counts_by_package() else _known(topology / "die_id") or 0
            places.setdefault((package, die), cpu)
    in_dies = len(places) > len({package for package, _ in places})
    return [
        _Package(f"package-{package}" + (f"-die-{die}" if in_dies else ""), cpu)
        for (package, die), cpu in sorted(places.items())
    ]


def _event(events: Path, file: str) -> _Event:
    match = _EVENT.match(text(events / file) or "")
    if match is None:
        return _Event(unusable=f"{events / file} is written in a way that is not known")
    if (unit := text(events / f"{file}.unit")) != "Joules":
        return _Event(unusable=f"its unit is {unit or 'not stated'}, not Joules")
    scale_j = _positive(text(events / f"{file}.scale"))
    if scale_j is None:
        return _Event(unusable=f"{events / file}.scale holds no scale")
    return _Event(int(match[1], 0), scale_j)


def _cpu_list(written: str | None) -> list[int]:
    """Read a list of processors as the kernel writes it (``0,18`` or ``0-3``); empty where it is none."""
    cpus: list[int] = []
    for part in (written or "").split(","):
        match = _CPU_RANGE.match(part)
        if match is None:
            return []
        cpus.extend(range(int(match[1]), int(match[2] or match[1]) + 1))
    return cpus


def _positive(written: str | None) -> float | None:
    try:
        value = float(written or "")
    except ValueError:
        return None
    return value if math.isfinite(value) and value > 0 else None


def _known(place: Path) -> int | None:
    """Return a place in the topology; null for -1, with which the kernel says that it does not know."""
    value = number(place)
    return None if value is None or value < 0 else value
