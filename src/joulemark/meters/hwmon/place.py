"""What a channel of a chip covers: its scope, and what has to be known of it.

Only what a driver documents gets a scope of a device or of the machine. Everything else is shown as
a sensor, which is never a headline.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from joulemark.meters.hwmon.channel import Channel
from joulemark.meters.hwmon.chip import Chip
from joulemark.meters.notes import (
    AVERAGE_UNSTATED,
    MODULE_SCOPE,
    PACKAGE_ONLY,
    REGISTER_32_BIT,
    SCOPE_UNKNOWN,
    WHOLE_PACKAGE,
    note,
)
from joulemark.record.scope import PSU, Scope
from joulemark.record.telemetry import Quantity

GPU_DRIVERS = frozenset({"amdgpu", "i915", "xe"})
# What can be read in a few microseconds; other chips sit behind a bus or a firmware that may stall.
_SLOW_S = {"corsairpsu": 0.2, "power_meter": 0.2}
_CORSAIR_MAX_W = 1600.0  # the largest model (AX1600i)
_MI300A = "0x74a0"  # PCI device id of the part that holds processor cores and GPU in one socket

_INTEL_UNIT_J = 2**-14  # what the register of most parts counts in
_REGISTER_STEPS = 2**32
_TILE = re.compile(r"i915_gt(\d+)\Z")
_SOCKET = re.compile(r"(Module|Grace|CPU|SysIO|GPU) Power Socket (\d+)\Z", re.IGNORECASE)
_MODULE_INPUTS = frozenset({"VDD_IN", "POM_5V_IN"})


@dataclass(frozen=True, slots=True)
class Placed:
    """A channel with its meaning. ``measures`` says it in words.

    ``register_range_j``: between two reads at most this much may be counted; null where that does not matter.
    ``read_period_s`` as in `SourceInfo`; ``only``: its chip has no other channel.
    """

    chip: Chip
    channel: Channel
    scope: Scope
    measures: str
    notes: tuple[str, ...] = ()
    register_range_j: float | None = None
    quantum_j: float = 0.0
    read_period_s: float | None = None
    power_max_w: float | None = None
    only: bool = True


def place(chip: Chip, channels: Sequence[Channel], *, alone: bool) -> list[Placed]:
    """Give each channel of ``chip`` its scope. ``alone``: no other chip of this name is in the machine."""
    only = len(channels) == 1
    return [replace(_slow(_place(chip, channel, channels, alone)), only=only) for channel in channels]


def slug(text: str) -> str:
    """Return ``text`` as part of a name: letters, digits and a few marks."""
    return re.sub(r"[^A-Za-z0-9_.+]+", "-", text).strip("-").lower() or "unnamed"


def _place(chip: Chip, channel: Channel, channels: Sequence[Channel], alone: bool) -> Placed:
    if chip.pci is not None and (chip.name in ("i915", "xe") or _TILE.match(chip.name)):
        return _intel(chip, channel, channels)
    if chip.pci is not None and chip.name == "amdgpu" and channel.key == "power1":
        return _amd(chip, channel)
    if chip.name == "power_meter":
        return _acpi(chip, channel, alone)
    if chip.name == "corsairpsu" and channel.key == "power1" and alone:
        measures = "what the power supply gives to the whole machine: power (corsairpsu)"
        return Placed(chip, channel, Scope(PSU), measures)
    if chip.name.startswith("ina3221"):
        return _jetson(chip, channel)
    if chip.name == "macsmc_hwmon" and channel.label == "Total System Power":
        return Placed(chip, channel, Scope(PSU), "the whole machine behind its power adapter: power")
    return _sensor(chip, channel, alone)


def _intel(chip: Chip, channel: Channel, channels: Sequence[Channel]) -> Placed:
    board = Scope(f"{PSU}/gpu:{chip.pci}")
    scope, measures, notes = board, f"graphics card {chip.pci}: energy counter ({chip.name})", []
    if tile := _TILE.match(chip.name):
        scope, measures = board.child(f"tile:{tile[1]}"), f"a tile of graphics card {chip.pci}"
    elif channel.quantity is not Quantity.ENERGY_J:
        return _sensor(chip, channel, alone=False)
    elif channel.label == "pkg" and any(other.label == "card" for other in channels):
        scope, measures = board.child("pkg"), f"the package of graphics card {chip.pci}: energy counter (xe)"
    elif channel.label != "card":
        notes.append(note(PACKAGE_ONLY))
    notes.append(note(REGISTER_32_BIT))
    return Placed(
        chip,
        channel,
        scope,
        measures,
        tuple(notes),
        register_range_j=_REGISTER_STEPS * _INTEL_UNIT_J,
        quantum_j=_INTEL_UNIT_J,
    )


def _amd(chip: Chip, channel: Channel) -> Placed:
    notes = []
    if channel.window_s is None:
        notes.append(note(AVERAGE_UNSTATED))
    apu = is_apu(chip)
    if apu is None:
        notes.append(note(SCOPE_UNKNOWN))
        return replace(_sensor(chip, channel, alone=False), notes=tuple(notes))
    if apu:
        # On these parts the driver's figure is the socket's, which RAPL shows as package 0 as well: the
        # same scope lets one of the two be left out.
        notes.append(note(WHOLE_PACKAGE))
        measures = "the processor package with its graphics: power (amdgpu)"
        return Placed(chip, channel, Scope.package(0), measures, tuple(notes))
    if chip.text("device/device") == _MI300A:
        notes.append(note(MODULE_SCOPE, "processor cores of the same socket are in it"))
    measures = f"graphics card {chip.pci}: power (amdgpu)"
    return Placed(chip, channel, Scope(f"{PSU}/gpu:{chip.pci}"), measures, tuple(notes))


def is_apu(chip: Chip) -> bool | None:
    """Tell whether an ``amdgpu`` chip is the graphics of a processor; null where nothing shows it.

    The driver shows the voltage ``vddnb`` only on those, and the memory clock and the junction temperature
    only on cards (Linux drivers/gpu/drm/amd/pm/amdgpu_pm.c, visibility of attributes). How much memory it has
    or what it is booted from is no evidence.
    """
    if chip.text("in1_label") == "vddnb":
        return True
    if chip.text("freq2_label") == "mclk" or chip.text("temp2_label") == "junction":
        return False
    return None


def _acpi(chip: Chip, channel: Channel, alone: bool) -> Placed:
    if match := _SOCKET.match(channel.label):
        return _grace(chip, channel, match[1].lower(), int(match[2]))
    if chip.text("power1_is_battery") == "1":
        placed = _sensor(chip, channel, alone)
        return replace(placed, measures="a battery, as the firmware sees it: power")
    if not alone:  # one of several supplies, or of several parts: which, nobody says
        return _sensor(chip, channel, alone)
    return Placed(chip, channel, Scope(PSU), "the whole machine, as its firmware sees it: power (ACPI)")


def _grace(chip: Chip, channel: Channel, part: str, socket: int) -> Placed:
    """Place NVIDIA Grace's meters: Grace is its cores and system I/O, the module is Grace and its GPUs."""
    module = Scope.module(socket)
    package = module.child(f"package:{socket}")
    scope, words = {
        "module": (module, "processor and GPUs of a module"),
        "grace": (package, "the Grace processor of a socket, memory aside"),
        "cpu": (package.child("core"), "the cores of a Grace processor"),
        "sysio": (package.child("uncore"), "the system I/O of a Grace processor"),
        "gpu": (module.child("gpu_part"), "the GPUs of a module"),
    }[part]
    notes = (note(MODULE_SCOPE, "the GPUs of the module are in it"),) if part == "module" else ()
    return Placed(chip, channel, scope, f"{words} ({channel.label}): power (ACPI)", notes)


def _jetson(chip: Chip, channel: Channel) -> Placed:
    soc = Scope(f"{PSU}/soc")
    if channel.label in _MODULE_INPUTS:
        measures = f"the whole Jetson module, without its carrier board ({channel.label}): power"
        return Placed(chip, channel, soc, measures)
    label = channel.label or f"{chip.place}-{channel.key}"
    measures = f"a rail of the Jetson module ({label}): power"
    return Placed(chip, channel, soc.child(f"rail:{slug(label)}"), measures)


def _sensor(chip: Chip, channel: Channel, alone: bool) -> Placed:
    name = chip.name if alone else f"{chip.name}-{chip.place}"
    scope = Scope(f"{PSU}/sensor:{slug(name)}-{slug(channel.label or channel.key)}")
    kind = "energy" if channel.quantity is Quantity.ENERGY_J else "power"
    words = f"a sensor of {name} ({channel.label or channel.key}): {kind}"
    return Placed(chip, channel, scope, words)


def _slow(placed: Placed) -> Placed:
    limit_w = placed.channel.power_max_w
    if limit_w is None and placed.chip.name == "corsairpsu":
        limit_w = _CORSAIR_MAX_W
    return replace(placed, read_period_s=_SLOW_S.get(placed.chip.name), power_max_w=limit_w)
