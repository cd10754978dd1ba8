"""The sensor chips of the kernel's hwmon class, each once, whatever number the boot gave it.

Format: Linux Documentation/hwmon/sysfs-interface.rst. NVIDIA's older Jetson kernels show the same INA3221
chips under the iio class (``rail_name_0``, ``in_power0_input``); they are read as chips too.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, replace
from pathlib import Path

from joulemark.meters.sysfs import PCI_ADDRESS, number, sys_root, text

ROOT_VARIABLE = "JOULEMARK_HWMON"  # overrides the root, for tests and for containers that mount it elsewhere

_ENTRY = re.compile(r"(?:hwmon|iio:device)(\d+)\Z")
_HID = re.compile(
    r"[0-9A-F]{4}:[0-9A-F]{4}:[0-9A-F]{4}\.[0-9A-F]{4}\Z"
)  # numbered anew with each plugging in
_MEASURES = re.compile(r"(?:energy\d+_input|power\d+_(?:input|average)|in_power\d+_input)\Z")


@dataclass(frozen=True, slots=True)
class Chip:
    """One chip. ``directory`` holds its files, ``device`` is the sysfs path of the device that it is part of.

    ``names`` are the names of its files. ``twins`` are the class entries that show the same chip again and
    are left out. ``root`` is the class directory in which it was found.
    """

    name: str
    root: Path
    directory: Path
    device: str
    names: frozenset[str]
    twins: tuple[str, ...] = ()

    @property
    def pci(self) -> str | None:
        """The PCI address of its device, for example ``0000:03:00.0``; null where it is no PCI device."""
        own = self.device.rpartition("/")[2]
        return own if PCI_ADDRESS.match(own) else None

    @property
    def place(self) -> str:
        """Where it sits: its address on its bus, the same after each boot."""
        return [part for part in self.device.split("/") if not _HID.match(part)][-1]

    def text(self, name: str) -> str | None:
        """Return what a file says, null where it cannot be read."""
        return text(self.directory / name)

    def number(self, name: str) -> int | None:
        """Return a file's whole number, null where it cannot be read or is none."""
        return number(self.directory / name)


def hwmon_root() -> Path:
    """Return the class directory, which an environment variable can move."""
    return Path(os.environ.get(ROOT_VARIABLE) or _class_directory())


def _class_directory() -> Path:
    return sys_root() / "class" / "hwmon"


def find_chips(root: Path | None = None) -> list[Chip]:
    """Return the chips below ``root`` (null: the machine's), in order of name and device."""
    roots = [root or hwmon_root()]
    if root is None and roots == [_class_directory()]:
        roots.append(sys_root() / "bus" / "iio" / "devices")
    found: dict[tuple[str, str, frozenset[str]], Chip] = {}
    for place in roots:
        for entry in _entries(place):
            chip = _chip(place, entry)
            if chip is None:
                continue
            key = (chip.name, chip.device, chip.names)
            if (first := found.get(key)) is not None:
                found[key] = replace(first, twins=(*first.twins, entry.name))
            else:
                found[key] = chip
    return sorted(found.values(), key=lambda chip: (chip.name, chip.device))


def _entries(root: Path) -> list[Path]:
    try:
        entries = [(int(match[1]), entry) for entry in root.iterdir() if (match := _ENTRY.match(entry.name))]
    except OSError:
        return []
    return [entry for _, entry in sorted(entries)]


def _chip(root: Path, entry: Path) -> Chip | None:
    name = text(entry / "name") or text(entry / "device" / "name")
    if not name:
        return None
    directory, names = entry, _names(entry)
    # Drivers of the old registration (ACPI power meters before Linux 6.15) keep their files with the device.
    beside = _names(entry / "device")
    if not any(_MEASURES.match(file) for file in names) and any(_MEASURES.match(file) for file in beside):
        directory, names = entry / "device", beside
    return Chip(name, root, directory, _device(entry), names)


def _device(entry: Path) -> str:
    if os.path.lexists(entry / "device"):
        return os.path.realpath(entry / "device")
    # a chip without a device (virtual), or one of iio, whose entry lies below its device
    return os.path.dirname(os.path.realpath(entry))


def _names(directory: Path) -> frozenset[str]:
    try:
        return frozenset(os.listdir(directory))
    except OSError:
        return frozenset()
