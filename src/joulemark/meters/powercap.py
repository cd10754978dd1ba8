"""The powercap tree of the kernel: which energy counters there are, each once.

``intel-rapl`` and ``intel-rapl-mmio`` show the same domain through two doors; only the first is taken, for
adding both would double it. AMD processors (Linux 5.8 and later) appear under the same names.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.record.scope import PSYS, Scope

ROOT_VARIABLE = (
    "JOULEMARK_POWERCAP"  # overrides the root, for tests and for containers that mount it elsewhere
)
DEFAULT_ROOT = Path("/sys/class/powercap")

_ZONE = re.compile(r"[a-z0-9-]*rapl[a-z0-9-]*(?::\d+)+\Z")
_HOLDER = re.compile(r"[a-z0-9-]*rapl[a-z0-9-]*(?::\d+)*\Z")  # a control type or a zone
_PACKAGE = re.compile(r"package-(?P<id>\d+(?:-die-\d+)?)\Z")
_CHILDREN = ("core", "uncore")


@dataclass(frozen=True, slots=True)
class Domain:
    """One energy counter. ``name`` is unique, for example ``package-0`` or ``package-0/core``.

    ``twins`` are the directories that show the same counter again and are left out.
    """

    name: str
    scope: Scope
    directory: Path
    parent: Path | None
    twins: tuple[Path, ...] = ()


def powercap_root() -> Path:
    """Return the root of the tree, which an environment variable can move."""
    return Path(os.environ.get(ROOT_VARIABLE) or DEFAULT_ROOT)


def find_domains(root: Path) -> list[Domain]:
    """Return the domains below ``root``, packages before what they hold; empty where there is no tree.

    ``root`` is the flat class directory or a nested control type (what a container can mount).
    """
    zones = _zones(root)
    labels = {
        zone: label for zone, place in zones.items() if (label := _read_text(place / "name")) is not None
    }
    found: dict[str, Domain] = {}
    for zone in sorted(labels, key=_preference):
        holder = zone.rpartition(":")[0]
        named = _name_and_scope(labels[zone], labels.get(holder))
        if named is None:
            continue
        name, scope = named
        if (first := found.get(name)) is not None:
            found[name] = replace(first, twins=(*first.twins, zones[zone]))
        else:
            found[name] = Domain(name, scope, zones[zone], zones.get(holder))
    return sorted(found.values(), key=lambda domain: domain.scope)


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


def _name_and_scope(label: str, holder: str | None) -> tuple[str, Scope] | None:
    if label == "psys":
        return label, Scope(PSYS)
    if match := _PACKAGE.match(label):
        return label, Scope(f"{PSYS}/package:{match['id']}")
    inside = _PACKAGE.match(holder) if holder else None
    if inside is None:
        return None
    if label in _CHILDREN:
        return f"{holder}/{label}", Scope(f"{PSYS}/package:{inside['id']}").child(label)
    if label == "dram":
        return f"{holder}/{label}", Scope(f"{PSYS}/dram:{inside['id']}")
    return None


def _read_text(path: Path) -> str | None:
    try:
        return path.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return None
