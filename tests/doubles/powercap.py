"""A fake powercap tree on disk, laid out as Linux lays out ``/sys/class/powercap``.

::

    tree = FakePowercap(tmp_path, packages=2, dram=True, mmio=True)
    monkeypatch.setenv("JOULEMARK_POWERCAP", str(tree.root))
    tree.add_energy_j("intel-rapl:0", 12.5)          # by hand, for virtual time
    with tree.running({"intel-rapl:0": 40.0}):       # or in real time, from a thread
        ...
    with tree.following(show):                       # or at each read, in this process
        ...
    tree.forbid()                                    # energy_uj as root-only, as since Linux 5.10

Root reads whatever it likes; ``with ordinary_user():`` makes this process one that cannot.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from unittest import mock

RANGE_UJ = 262_143_328_850  # what Intel parts with a 61 µJ unit say
_NOBODY = 65534


class FakePowercap:
    """A tree of zones; ``range_uj`` null leaves ``max_energy_range_uj`` out."""

    def __init__(
        self,
        directory: Path,
        *,
        packages: int = 1,
        dies: int = 1,
        core: bool = True,
        uncore: bool = False,
        dram: bool = True,
        psys: bool = False,
        mmio: bool = False,
        range_uj: int | None = RANGE_UJ,
        limit_w: float | None = 125.0,
    ) -> None:
        self.root = directory / "powercap"
        self.range_uj = range_uj
        self._energy_uj: dict[str, float] = {}
        (self.root / "intel-rapl").mkdir(parents=True)
        number = 0
        for package in range(packages):
            for die in range(dies):
                label = f"package-{package}" + (f"-die-{die}" if dies > 1 else "")
                self.add_zone(f"intel-rapl:{number}", label, limit_w)
                parts = [
                    name for name, wanted in (("core", core), ("uncore", uncore), ("dram", dram)) if wanted
                ]
                for place, part in enumerate(parts):
                    self.add_zone(f"intel-rapl:{number}:{place}", part)
                if mmio:
                    self.add_zone(f"intel-rapl-mmio:{number}", label, limit_w)
                number += 1
        if psys:
            self.add_zone(f"intel-rapl:{number}", "psys")

    def add_zone(self, zone: str, label: str, limit_w: float | None = None) -> None:
        """Add one zone, at 0 J."""
        place = self.root / zone
        place.mkdir(parents=True)
        (place / "name").write_text(f"{label}\n")
        if self.range_uj is not None:
            (place / "max_energy_range_uj").write_text(f"{self.range_uj}\n")
        if limit_w is not None:
            (place / "constraint_0_power_limit_uw").write_text(f"{round(limit_w * 1e6)}\n")
            (place / "constraint_0_max_power_uw").write_text(f"{round(limit_w * 0.8e6)}\n")
        self.set_energy_uj(zone, 0)

    def set_energy_uj(self, zone: str, energy_uj: float) -> None:
        """Set a counter; it wraps at the range."""
        self._energy_uj[zone] = energy_uj
        shown = int(energy_uj) if self.range_uj is None else int(energy_uj) % self.range_uj
        # one write of fixed length, for a reader may hold the file open, as sysfs allows
        descriptor = os.open(self.root / zone / "energy_uj", os.O_WRONLY | os.O_CREAT, 0o644)
        os.pwrite(descriptor, f"{shown:020d}\n".encode(), 0)
        os.close(descriptor)

    def add_energy_j(self, zone: str, energy_j: float) -> None:
        """Let a domain use ``energy_j`` more."""
        self.set_energy_uj(zone, self._energy_uj[zone] + energy_j * 1e6)

    @contextlib.contextmanager
    def running(self, powers_w: Mapping[str, float], period_s: float = 0.001) -> Iterator[None]:
        """Count in real time from a thread, ``powers_w`` a zone, about every ``period_s``."""
        stopped = threading.Event()
        base_uj = dict(self._energy_uj)
        begin_ns = time.monotonic_ns()

        def count() -> None:
            while not stopped.wait(period_s):
                elapsed_s = (time.monotonic_ns() - begin_ns) * 1e-9
                for zone, power_w in powers_w.items():
                    self.set_energy_uj(zone, base_uj[zone] + power_w * elapsed_s * 1e6)

        thread = threading.Thread(target=count)
        thread.start()
        try:
            yield
        finally:
            stopped.set()
            thread.join()

    @contextlib.contextmanager
    def following(self, show: Callable[[str], None]) -> Iterator[None]:
        """Call ``show(zone)`` before each read of a counter that is open in this process.

        It may set the counter, or raise the ``OSError`` that the kernel answers with.
        """
        read = os.pread
        zones = {(self.root / zone / "energy_uj").stat().st_ino: zone for zone in self._energy_uj}

        def pread(descriptor: int, length: int, offset: int) -> bytes:
            zone = zones.get(os.fstat(descriptor).st_ino)
            if zone is not None:
                show(zone)
            return read(descriptor, length, offset)

        with mock.patch("os.pread", pread):
            yield

    def forbid(self, file: str = "energy_uj") -> None:
        """Let only root read ``file`` of every zone."""
        for path in self.root.glob(f"*/{file}"):
            path.chmod(0o400)

    def nested(self, directory: Path) -> Path:
        """Copy the tree into the nested shape that the kernel's device tree has; return its root."""
        root = directory / "nested"
        for zone in sorted(self._energy_uj):
            control, *path = zone.split(":")
            parts = [":".join([control, *path[: depth + 1]]) for depth in range(len(path))]
            shutil.copytree(self.root / zone, root.joinpath(*parts), dirs_exist_ok=True)
        return root


@contextlib.contextmanager
def ordinary_user() -> Iterator[None]:
    """Drop root's power over files while the block runs; of no effect for who has none."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(_NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@contextlib.contextmanager
def public_directory() -> Iterator[Path]:
    """Yield a directory that every user may enter (pytest's own are private)."""
    directory = Path(tempfile.mkdtemp(prefix="joulemark-powercap-"))
    directory.chmod(0o755)
    try:
        yield directory
    finally:
        shutil.rmtree(directory)
