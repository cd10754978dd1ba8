"""The devices that the fake package ``zeus`` shows, and the switch that puts it in place of the real one.

The double stands at Zeus's API, because the hardware and the libraries below it are Apple's, AMD's and
Microsoft's: module names, classes, signatures, units, exceptions and silent zeros are those of Zeus 0.16.0
(``zeus.device.cpu.emi``: of its repository at the same version). What is behind it here is virtual time.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest import mock

from doubles.faults import Fault, NowS, Truth
from joulemark.meters.hwmon.chip import ROOT_VARIABLE
from joulemark.meters.zeus_backed import library
from joulemark.meters.zeus_backed.parts import VARIABLE

BASE_J, FALL_J = 20_000.0, 500.0
_API = Path(__file__).parent / "zeus_api"

# What Joulemark calls, as Zeus 0.16.0 declares it. The double is held to this list; whoever moves to another
# release compares the list with that release.
SIGNATURES = {
    "zeus.device.gpu.amd:amdsmi_is_available": "() -> 'bool'",
    "zeus.device.gpu.amd:AMDGPUs": "(ensure_homogeneous: 'bool' = False) -> 'None'",
    "zeus.device.gpu.amd:AMDGPU.get_name": "(self) -> 'str'",
    "zeus.device.gpu.amd:AMDGPU.get_power_management_limit_constraints": "(self) -> 'tuple[int, int]'",
    "zeus.device.gpu.amd:AMDGPU.get_total_energy_consumption": "(self) -> 'int'",
    "zeus.device.gpu.amd:AMDGPU.get_instant_power_usage": "(self) -> 'int'",
    "zeus.device.gpu.amd:AMDGPU.get_average_power_usage": "(self) -> 'int'",
    "zeus.device.soc.apple:apple_silicon_is_available": "() -> 'bool'",
    "zeus.device.soc.apple:AppleSilicon": "() -> 'None'",
    "zeus.device.soc.apple:AppleSilicon.get_total_energy_consumption": "(self) -> 'AppleSiliconMeasurement'",
    "zeus.device.soc.jetson:jetson_is_available": "() -> 'bool'",
    "zeus.device.soc.jetson:Jetson": "() -> 'None'",
    "zeus.device.soc.jetson:Jetson.get_total_energy_consumption": (
        "(self, timeout: 'float' = 15.0) -> 'JetsonMeasurement'"
    ),
    "zeus.device.cpu.emi:emi_is_available": "() -> 'bool'",
    "zeus.device.cpu.emi:EMICPUs": "() -> 'None'",
    "zeus.device.cpu.emi:EMICPU.get_total_energy_consumption": "(self) -> 'CpuDramMeasurement'",
    "zeus.device.cpu.emi:EMICPU.supports_get_dram_energy_consumption": "(self) -> 'bool'",
}
# Attributes that are read beside: of a GPU, of a CPU, of the two measurements, of a Jetson's poller.
FIELDS = {
    "zeus.device.soc.apple:AppleSiliconMeasurement": ("cpu_total_mj", "gpu_mj", "dram_mj", "ane_mj"),
    "zeus.device.soc.jetson:JetsonMeasurement": ("total_energy_mj", "cpu_energy_mj", "gpu_energy_mj"),
    "zeus.device.cpu.common:CpuDramMeasurement": ("cpu_mj", "dram_mj"),
}


@dataclass
class FakeGpu:
    """``silent_zero``: it answers 0 to everything, as a second die does below an older Zeus."""

    name: str = "AMD Instinct MI210"
    address: str = "0000:03:00.0"
    share: float = 1.0
    counts: bool = True
    instant: bool = True
    average: bool = False
    second_die: bool = False
    silent_zero: bool = False


@dataclass
class World:
    """``apple``, ``jetson``: the share of the truth that each field counts, null for one that is missing."""

    now_s: NowS
    truth: Truth = field(default_factory=Truth)
    fault: Fault = Fault.HEALTHY
    gpus: list[FakeGpu] = field(default_factory=lambda: [FakeGpu()])
    apple: dict[str, float | None] = field(
        default_factory=lambda: {"cpu_total_mj": 0.4, "gpu_mj": 0.4, "dram_mj": 0.15, "ane_mj": 0.05}
    )
    jetson: dict[str, float | None] = field(
        default_factory=lambda: {"total_energy_mj": 1.0, "cpu_energy_mj": 0.3, "gpu_energy_mj": 0.5}
    )
    packages: list[tuple[float, float | None]] = field(default_factory=lambda: [(1.0, 0.1)])
    available: bool = True
    stuck: set[str] = field(default_factory=set)
    made: int = 0

    def lost(self) -> bool:
        """Whether nothing can be read now."""
        t_s, middle_s = self.now_s(), self.truth.middle_s
        if self.fault is Fault.SHORT_GAP:
            return middle_s <= t_s < middle_s + self.truth.gap_s
        return self.fault is Fault.LOST and t_s >= middle_s

    def energy_mj(self, share: float, update_s: float, name: str = "") -> float:
        """What a counter of this share shows."""
        t_s, middle_s = self.now_s(), self.truth.middle_s
        shown_s = t_s - t_s % update_s
        if name in self.stuck or self.fault in (Fault.FREEZE, Fault.STALE):
            shown_s = min(shown_s, middle_s)
        joules = self.truth.energy_j(shown_s) * share
        if self.fault is Fault.RESET and t_s >= middle_s:
            return (joules - self.truth.energy_j(middle_s) * share) * 1e3
        if self.fault is Fault.BACKWARDS and t_s >= middle_s:
            joules -= FALL_J * share
        if self.fault is Fault.WRONG_UNIT:
            joules *= 1000
        return (BASE_J * share + joules) * 1e3

    def power_mw(self, share: float) -> float:
        """What its gauge shows."""
        return self.truth.power_w * share * 1e3


_current: list[World] = []


def world() -> World:
    """The world that is in place."""
    return _current[-1]


@contextlib.contextmanager
def zeus_in_place(new: World, *parts: str) -> Iterator[World]:
    """Let ``import zeus`` find the double, and Joulemark look for ``parts``, as long as the context lasts."""
    with contextlib.ExitStack() as stack:
        empty = stack.enter_context(tempfile.TemporaryDirectory())
        stack.enter_context(mock.patch.dict(os.environ, {VARIABLE: ",".join(parts), ROOT_VARIABLE: empty}))
        _put_away()
        sys.path.insert(0, str(_API))
        importlib.invalidate_caches()
        _current.append(new)
        try:
            yield new
        finally:
            _current.pop()
            sys.path.remove(str(_API))
            _put_away()


def _put_away() -> None:
    library._devices.clear()  # in no other process does another Zeus take the place of this one
    for name in [name for name in sys.modules if name == "zeus" or name.startswith("zeus.")]:
        del sys.modules[name]
