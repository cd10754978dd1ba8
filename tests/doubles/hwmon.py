"""A fake hwmon class on disk, laid out as Linux lays it out below ``/sys``.

::

    tree = FakeHwmon(tmp_path)
    tree.add("amdgpu", CARD, {"power1_average": 85_000_000, "in1_label": "vddnb"})
    monkeypatch.setenv("JOULEMARK_HWMON", str(tree.root))

A value may be a function of virtual time: then it is worked out when its file is opened, as the kernel does
it. It may raise an ``OSError``, which is what a driver's read gives, or return null: the file is gone.
``with tree.served():`` while such values are read.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from doubles.faults import NowS

CARD = "pci0000:00/0000:00:01.0/0000:03:00.0"
OTHER_CARD = "pci0000:00/0000:00:02.0/0000:83:00.0"
USB_SUPPLY = "pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0/0003:1B1C:1C07.0004"
ACPI_METER = "LNXSYSTM:00/LNXSYBUS:00/ACPI000D:00"
I2C_SENSOR = "platform/bus@0/c240000.i2c/i2c-1/1-0040"

Fixed = str | int
Value = Fixed | Callable[[float], Fixed | None]

_served: list[FakeHwmon] = []
_is_hooked = False


class FakeHwmon:
    """A tree; ``now_s`` is the virtual time that its values follow."""

    def __init__(self, directory: Path, now_s: NowS = lambda: 0.0, first: int = 0) -> None:
        self.root = directory / "class" / "hwmon"
        self.root.mkdir(parents=True)
        self._devices = directory / "devices"
        self._now_s = now_s
        self._numbers = itertools.count(first)
        self._living: dict[str, list[tuple[Path, Callable[[float], Fixed | None]]]] = {}
        self._shown: dict[Path, Fixed] = {}
        self._busy = False

    def add(
        self,
        name: str,
        device: str | None,
        files: Mapping[str, Value],
        *,
        beside: bool = False,
        of_device: Mapping[str, Fixed] | None = None,
    ) -> Path:
        """Add a chip and return the directory of its files.

        ``device`` null: a virtual one. ``beside``: the files lie with the device, as drivers of the old
        registration have it. ``of_device``: further files of the device.
        """
        number = f"hwmon{next(self._numbers)}"
        owner = self._devices / (device or "virtual")
        chip = owner / "hwmon" / number
        chip.mkdir(parents=True)
        (self.root / number).symlink_to(chip)
        if device is not None:
            (chip / "device").symlink_to(owner)
        place = owner if beside else chip
        (place / "name").write_text(f"{name}\n")
        for file, text in (of_device or {}).items():
            (owner / file).write_text(f"{text}\n")
        for file, value in files.items():
            self._put(place / file, value)
        return place

    def add_iio(self, name: str, device: str, files: Mapping[str, Value], number: int = 0) -> Path:
        """Add a chip of the iio class to the same root."""
        chip = self._devices / device / f"iio:device{number}"
        chip.mkdir(parents=True)
        (self.root / chip.name).symlink_to(chip)
        (chip / "name").write_text(f"{name}\n")
        for file, value in files.items():
            self._put(chip / file, value)
        return chip

    @contextlib.contextmanager
    def served(self) -> Iterator[None]:
        """Let values that are functions of time be worked out whenever their file is opened."""
        global _is_hooked
        if not _is_hooked:
            sys.addaudithook(_before_open)  # stays for good, and does nothing while no tree is served
            _is_hooked = True
        _served.append(self)
        try:
            yield
        finally:
            _served.remove(self)

    def _put(self, path: Path, value: Value) -> None:
        if callable(value):
            path.write_text("0\n")
            self._shown.pop(path, None)
            self._living.setdefault(path.name, []).append((path, value))
        else:
            path.write_text(f"{value}\n")

    def before_open(self, file: str) -> None:
        """Renew the files of this name; raises what their driver would."""
        if self._busy or file not in self._living:
            return
        self._busy = True
        try:
            for path, value in self._living[file]:
                shown = value(self._now_s())
                if shown is None:
                    path.unlink(missing_ok=True)
                elif self._shown.get(path) != shown:
                    self._shown[path] = shown
                    path.write_text(f"{shown}\n")
        finally:
            self._busy = False


def _before_open(event: str, args: tuple[object, ...]) -> None:
    if event == "open" and _served and isinstance(args[0], str):
        for tree in _served:
            tree.before_open(os.path.basename(args[0]))
