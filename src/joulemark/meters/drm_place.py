"""Where a GPU sits: its PCI address, its node under ``/dev/dri``, its place in a scope."""

from __future__ import annotations

import os
from pathlib import Path

from joulemark.meters.sysfs import PCI_ADDRESS, sys_root
from joulemark.record.scope import Scope


def pci_address(scope: Scope) -> str | None:
    """Return the PCI address in a scope ``gpu:0000:03:00.0``; null for any other scope."""
    kind, _, address = scope.label.partition(":")
    return address if kind == "gpu" and PCI_ADDRESS.match(address) else None


def address_of_node(node: str) -> str | None:
    """Return the PCI address of a node such as ``renderD128`` or ``card0``; null where sysfs lacks it."""
    device = _nodes() / node / "device"
    if "/" in node or not os.path.lexists(device):
        return None
    address = Path(os.path.realpath(device)).name
    return address if PCI_ADDRESS.match(address) else None


def device_directory(address: str) -> Path | None:
    """Return the sysfs directory of the graphics device at a PCI address; null where there is none."""
    try:
        nodes = sorted(entry.name for entry in _nodes().iterdir())
    except OSError:
        return None
    for node in nodes:
        if address_of_node(node) == address:
            return _nodes() / node / "device"
    return None


def _nodes() -> Path:
    return sys_root() / "class" / "drm"
