"""Where a GPU sits: its PCI address, its node under ``/dev/dri``, its place in a scope."""

from __future__ import annotations

import os
import re
from pathlib import Path

from joulemark.record.scope import Scope

SYS = Path("/sys/class")

_ADDRESS = re.compile(r"[0-9a-f]{4,}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]\Z")


def pci_address(scope: Scope) -> str | None:
    """Return the PCI address in a scope ``gpu:0000:03:00.0``; null for any other scope."""
    kind, _, address = scope.label.partition(":")
    return address if kind == "gpu" and _ADDRESS.match(address) else None


def address_of_node(node: str) -> str | None:
    """Return the PCI address of a node such as ``renderD128`` or ``card0``; null where sysfs lacks it."""
    if "/" in node or not os.path.lexists(SYS / "drm" / node / "device"):
        return None
    address = Path(os.path.realpath(SYS / "drm" / node / "device")).name
    return address if _ADDRESS.match(address) else None


def device_directory(address: str) -> Path | None:
    """Return the sysfs directory of the graphics device at a PCI address; null where there is none."""
    try:
        nodes = sorted(entry.name for entry in (SYS / "drm").iterdir())
    except OSError:
        return None
    for node in nodes:
        if address_of_node(node) == address:
            return SYS / "drm" / node / "device"
    return None
