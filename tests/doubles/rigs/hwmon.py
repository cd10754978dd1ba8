"""Sensors of the kernel's hwmon class."""

from __future__ import annotations

import contextlib
import errno
import math
import os
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest.mock import patch

from doubles.faults import Fault, NowS, Truth
from doubles.hwmon import ACPI_METER, CARD, I2C_SENSOR, USB_SUPPLY, FakeHwmon, Value
from doubles.rigs import Rigged, rig
from joulemark.meters.hwmon.chip import ROOT_VARIABLE
from joulemark.meters.hwmon.finding import find_hwmon

_NO_COUNTER = "a gauge of power has no counter to be wrapped, reset or set back"
_ONLY_POWER = {Fault.WRAP: _NO_COUNTER, Fault.RESET: _NO_COUNTER, Fault.BACKWARDS: _NO_COUNTER}
_REGISTER_J = 2**18  # 32 bits of 61 µJ
_FELL_BY_J = 100.0
_UPDATE_S = 0.005


@rig("hwmon i915 energy", has_counter=True, has_gauge=False)
@contextlib.contextmanager
def i915(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """An Intel card. Its register wraps in the middle of each run, and the driver carries it on."""

    def energy_uj(t_s: float) -> int:
        _answer(fault, truth, t_s)
        t_s = math.floor(t_s / _UPDATE_S) * _UPDATE_S
        seen_s = min(t_s, truth.middle_s) if fault in (Fault.FREEZE, Fault.STALE) else t_s
        # a reset at the very top of the register would be a wrap
        top_j = _REGISTER_J / 2 if fault is Fault.RESET else _REGISTER_J
        energy_j = top_j - truth.energy_j(truth.middle_s) + truth.energy_j(seen_s)
        if t_s >= truth.middle_s and fault is Fault.RESET:
            energy_j = truth.energy_j(t_s) - truth.energy_j(truth.middle_s)
        if t_s >= truth.middle_s and fault is Fault.BACKWARDS:
            energy_j -= _FELL_BY_J
        return round(energy_j * 1e6) * (1000 if fault is Fault.WRONG_UNIT else 1)

    files: dict[str, Value] = {"power1_max": 190_000_000, "power1_rated_max": 225_000_000}
    if fault is not Fault.NOT_SUPPORTED:
        files["energy1_input"] = energy_uj
    with _tree(now_s) as tree:
        for _ in range(2 if fault is Fault.DUPLICATE_SCOPE else 1):
            tree.add("i915", CARD, files)
        yield Rigged(find_hwmon)


@rig("hwmon amdgpu power", has_counter=False, has_gauge=True, impossible=_ONLY_POWER)
@contextlib.contextmanager
def amdgpu(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """An AMD card whose driver shows an average."""
    files: dict[str, Value] = {
        "power1_label": "PPT",
        "power1_cap_max": 350_000_000,
        "freq2_label": "mclk",
        "temp2_label": "junction",
    }
    if fault is not Fault.NOT_SUPPORTED:
        files["power1_average"] = _microwatts(fault, truth)
    with _tree(now_s) as tree:
        for _ in range(2 if fault is Fault.DUPLICATE_SCOPE else 1):
            tree.add("amdgpu", CARD, files)
        yield Rigged(find_hwmon)


@rig(
    "hwmon ina3221",
    has_counter=False,
    has_gauge=True,
    impossible=_ONLY_POWER,
    truth=Truth(power_w=30.0),
)
@contextlib.contextmanager
def ina3221(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A Jetson module: its input, and two rails below that."""
    files: dict[str, Value] = {}
    for number, (label, share) in enumerate([("VDD_IN", 1.0), ("VDD_CPU_GPU_CV", 0.6), ("VDD_SOC", 0.2)], 1):
        files[f"in{number}_label"] = label
        files |= {f"in{number}_input": 5000, f"curr{number}_crit": 7784, f"shunt{number}_resistor": 5000}
        if fault is not Fault.NOT_SUPPORTED:
            files[f"curr{number}_input"] = _milliamperes(fault, truth, share / 5.0)
    with _tree(now_s) as tree:
        for _ in range(2 if fault is Fault.DUPLICATE_SCOPE else 1):
            tree.add("ina3221", I2C_SENSOR, files)
        yield Rigged(find_hwmon)


@rig("hwmon acpi power", has_counter=False, has_gauge=True, impossible=_ONLY_POWER)
@contextlib.contextmanager
def acpi(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A server's own meter, with the files where older kernels have them."""
    files: dict[str, Value] = {"power1_average_interval": 1000, "power1_accuracy": "95.0%"}
    if fault is not Fault.NOT_SUPPORTED:
        files["power1_average"] = _microwatts(fault, truth)
    with _tree(now_s) as tree:
        for _ in range(2 if fault is Fault.DUPLICATE_SCOPE else 1):
            tree.add("power_meter", ACPI_METER, files, beside=True)
        yield Rigged(find_hwmon)


@rig("hwmon corsairpsu", has_counter=False, has_gauge=True, impossible=_ONLY_POWER)
@contextlib.contextmanager
def corsairpsu(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A power supply, with its rails as sensors."""
    files: dict[str, Value] = {"in0_input": 230_000, "power1_label": "power total"}
    if fault is not Fault.NOT_SUPPORTED:
        files |= {"power1_input": _microwatts(fault, truth), "power2_input": _microwatts(fault, truth, 0.75)}
        files["power2_label"] = "power +12v"
    with _tree(now_s) as tree:
        for _ in range(2 if fault is Fault.DUPLICATE_SCOPE else 1):
            tree.add("corsairpsu", USB_SUPPLY, files)
        yield Rigged(find_hwmon)


@contextlib.contextmanager
def _tree(now_s: NowS) -> Iterator[FakeHwmon]:
    """Make a tree that this process takes for the machine's; the machine under test is no virtual one."""
    with (
        tempfile.TemporaryDirectory() as directory,
        patch.dict(os.environ),
        patch("joulemark.meters.hwmon.source.is_virtual", lambda: False),
    ):
        tree = FakeHwmon(Path(directory), now_s)
        os.environ[ROOT_VARIABLE] = str(tree.root)
        with tree.served():
            yield tree


def _answer(fault: Fault, truth: Truth, t_s: float) -> None:
    """Raise what the driver says while it cannot answer, and once it is gone."""
    since_s = t_s - truth.middle_s
    if fault is Fault.SHORT_GAP and 0 <= since_s < truth.gap_s:
        raise OSError(errno.EAGAIN, "not ready")
    if fault is Fault.LOST and since_s >= 0:
        raise OSError(errno.ENODEV, "no such device")


def _microwatts(fault: Fault, truth: Truth, share: float = 1.0) -> Callable[[float], int]:
    def shown(t_s: float) -> int:
        _answer(fault, truth, t_s)
        return round(truth.power_w * share * 1e6) * (1000 if fault is Fault.WRONG_UNIT else 1)

    return shown


def _milliamperes(fault: Fault, truth: Truth, per_w: float) -> Callable[[float], int]:
    def shown(t_s: float) -> int:
        _answer(fault, truth, t_s)
        return round(truth.power_w * per_w * 1e3) * (1000 if fault is Fault.WRONG_UNIT else 1)

    return shown
