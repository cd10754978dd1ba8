"""The powercap tree of the kernel: which energy counters there are, each once.

``intel-rapl`` and ``intel-rapl-mmio`` show the same domain through two doors; only the first is taken, for
adding both would double it. AMD processors (Linux 5.8 and later) appear under the same names, with two
differences: one register counts a whole package however many dies it has, while some kernels (6.9 to 6.11)
show it once a die; and what is called ``core`` there is one single core.
"""

from __future__ import annotations

import contextlib
import os
import re
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

from joulemark.meters.sysfs import sys_root, text
from joulemark.record.scope import PSYS, Scope

ROOT_VARIABLE = (
    "JOULEMARK_POWERCAP"  # overrides the root, for tests and for containers that mount it elsewhere
)
CPUINFO = Path("/proc/cpuinfo")

_ZONE = re.compile(r"[a-z0-9-]*rapl[a-z0-9-]*(?::\d+)+\Z")
_HOLDER = re.compile(r"[a-z0-9-]*rapl[a-z0-9-]*(?::\d+)*\Z")  # a control type or a zone
_PACKAGE = re.compile(r"package-(?P<id>\d+)(?P<die>-die-\d+)?\Z")
_PSYS_OF_ONE = re.compile(r"psys-\d+\Z")
_CHILDREN = ("core", "uncore")
SEVERAL_PSYS = "this machine has a platform counter for each package, and what each covers is not documented"


@dataclass(frozen=True, slots=True)
class Domain:
    """One energy counter. ``name`` is unique, for example ``package-0`` or ``package-0/core``.

    ``twins`` are the directories that show the same counter again and are left out. ``unusable`` says why a
    counter that is there is not believed; empty where it is.
    """

    name: str
    scope: Scope
    directory: Path
    parent: Path | None
    twins: tuple[Path, ...] = ()
    unusable: str = ""

    @property
    def is_one_core(self) -> bool:
        """Whether this is the energy of a single core (AMD), not of all cores of the package."""
        return self.scope.label == _ONE_CORE


_ONE_CORE = "core:0"


def powercap_root() -> Path:
    """Return the root of the tree, which an environment variable can move."""
    return Path(os.environ.get(ROOT_VARIABLE) or sys_root() / "class" / "powercap")


def counts_by_package() -> bool:
    """Tell whether one register counts a package with all its dies: so on AMD and Hygon, not on Intel."""
    return _vendor(CPUINFO) in ("AuthenticAMD", "HygonGenuine")


def find_domains(root: Path) -> list[Domain]:
    """Return the domains below ``root``, packages before what they hold; empty where there is no tree.

    ``root`` is the flat class directory or a nested control type (what a container can mount).
    """
    zones = _zones(root)
    labels = {zone: label for zone, place in zones.items() if (label := text(place / "name")) is not None}
    several_psys = any(_PSYS_OF_ONE.match(label) for label in labels.values())
    found: dict[str, Domain] = {}
    for zone in sorted(labels, key=_preference):
        holder = zone.rpartition(":")[0]
        named = name_and_scope(labels[zone], labels.get(holder))
        if named is None:
            continue
        name, scope = named
        if (first := found.get(name)) is None:
            why = SEVERAL_PSYS if several_psys and name == "psys" else ""
            found[name] = Domain(name, scope, zones[zone], zones.get(holder), unusable=why)
        elif not first.is_one_core:  # the core of another die is another core
            found[name] = replace(first, twins=(*first.twins, zones[zone]))
    return sorted(found.values(), key=lambda domain: domain.scope)


def name_and_scope(label: str, holder: str | None) -> tuple[str, Scope] | None:
    """Return the name and the scope of a domain that the kernel labels so; null where its place is not known.

    ``holder`` is the label of the zone that it lies in, null for one at the top.
    """
    if label == "psys":
        return label, Scope(PSYS)
    by_package = counts_by_package()
    if package := _package(label, by_package):
        return f"package-{package}", Scope(f"{PSYS}/package:{package}")
    inside = _package(holder, by_package) if holder else None
    if inside is None:
        return None
    holder = f"package-{inside}"
    if label == "core" and by_package:
        return f"{holder}/{_ONE_CORE}", Scope(f"{PSYS}/package:{inside}").child(_ONE_CORE)
    if label in _CHILDREN:
        return f"{holder}/{label}", Scope(f"{PSYS}/package:{inside}").child(label)
    if label == "dram":
        return f"{holder}/{label}", Scope(f"{PSYS}/dram:{inside}")
    return None


def _package(label: str, by_package: bool) -> str | None:
    match = _PACKAGE.match(label)
    if match is None:
        return None
    return match["id"] if by_package or not match["die"] else f"{match['id']}{match['die']}"


def _zones(root: Path, depth: int = 4) -> dict[str, Path]:
    """Return the zone directories by name; a zone that the tree shows in two places stands once."""
    try:
        entries = sorted(root.iterdir())
    except OSError:
        return {}
    zones = {entry.name: entry for entry in entries if _ZONE.match(entry.name)}
    inside = [entry for entry in entries if depth and _HOLDER.match(entry.name)]
    for entry in inside:
        zones = _zones(entry, depth - 1) | zones
    return zones


def _preference(zone: str) -> tuple[bool, str, list[int]]:
    """Sort the plain control type before its mmio twin, and zones by number."""
    control, _, path = zone.partition(":")
    return control != "intel-rapl", control, [int(number) for number in path.split(":")]


@cache
def _vendor(cpuinfo: Path) -> str | None:
    with contextlib.suppress(OSError), cpuinfo.open(errors="replace") as lines:
        for line in lines:
            if line.startswith("vendor_id"):
                return line.partition(":")[2].strip()
    return None
