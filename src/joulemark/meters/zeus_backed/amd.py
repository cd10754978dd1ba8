"""AMD GPUs through Zeus: energy counter and socket power of each board, named by its PCI address.

A dual-die board (MI250, MI250X) is two GPUs to the driver. The first reads what both draw, the second reads
zero: they are one board here, and the second is left out.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from joulemark.meters.hwmon.chip import find_chips
from joulemark.meters.hwmon.place import is_apu
from joulemark.meters.notes import AVERAGE_UNSTATED, DUAL_DIE, WHOLE_PACKAGE, lacks_note, note
from joulemark.meters.source import SourceLost
from joulemark.meters.zeus_backed.channel import UNREADABLE, ZERO, Channel, LeftOut, Taken
from joulemark.meters.zeus_backed.library import device_of, module_of, reason_of
from joulemark.meters.zeus_backed.parts import Part
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import PSU, Scope
from joulemark.record.telemetry import Quantity

_DUAL_DIE_MODEL = "MI250"
_STEP_J = 1e-3  # Zeus hands the counter on in whole millijoules
_GETTERS = {
    Quantity.ENERGY_J: "get_total_energy_consumption",
    Quantity.POWER_W: "get_instant_power_usage",
    Quantity.POWER_AVERAGE_W: "get_average_power_usage",
}
# Reasons that say what the board cannot do; any other says that it cannot be reached.
_LACKING = frozenset({"not_supported", "no_permission", ZERO, "value", "type", UNREADABLE})


def amd_channels() -> list[Channel | LeftOut]:
    """Return one entry a GPU that Zeus lists. Raises `ZeusMissing`."""
    gpus = list(device_of(Part.AMD).gpus)
    channels: list[Channel | LeftOut] = []
    boards: dict[str, str] = {}
    for index, gpu in enumerate(gpus):
        name, address = f"zeus:amd:{index}", _pci_address(gpu)
        model = _model(gpu)
        taken, found = _probe(gpu)
        board = None if address is None else address.rpartition(".")[0]
        if not found and _DUAL_DIE_MODEL in model and gpu.gpu_index % 2 == 1:
            why = f"the second die of its board: what it draws is in zeus:amd:{index - 1}"
            channels.append(LeftOut(name, f"{model}: second die", why))
        elif board in boards:
            why = f"a partition of the board that {boards[board]} reads as a whole"
            channels.append(LeftOut(name, f"{model}: partition", why))
        elif not found:
            why = f"it gives neither energy nor power ({'; '.join(taken.flags)})"
            channels.append(LeftOut(name, model, why))
        else:
            if board is not None:
                boards[board] = name
            channels.append(_channel(gpu, name, model, address, found, taken))
    return channels


def _channel(
    gpu: Any, name: str, model: str, address: str | None, found: tuple[Quantity, ...], probed: Taken
) -> Channel:
    notes = [lacks_note(*flag.split(":", 1)) for flag in probed.flags]
    scope, measures = _scope(address, gpu), f"{model}: {'energy counter' if _counts(found) else 'power only'}"
    if scope.kind == "package":
        notes.append(note(WHOLE_PACKAGE))
    if _DUAL_DIE_MODEL in model:
        notes.append(note(DUAL_DIE))
        measures += " of both dies"
    if Quantity.POWER_AVERAGE_W in found:
        notes.append(note(AVERAGE_UNSTATED))
    key = address or str(gpu.gpu_index)
    info = SourceInfo(
        name=name,
        kind="zeus",
        scope=scope,
        quantities=tuple(quantity.value for quantity in found),
        counter_quantum_j=_STEP_J if _counts(found) else 0.0,
        power_window_s=0.0 if Quantity.POWER_W in found else None,
        power_max_w=_power_max_w(gpu),
        device_id=address,
        device_name=model,
        notes=tuple(notes),
    )
    return Channel(key, measures, info, _taker(gpu, found))


def _taker(gpu: Any, quantities: tuple[Quantity, ...]) -> Callable[[int], Taken]:
    def take(_: int) -> Taken:
        taken = Taken()
        unreached = ""
        for quantity in quantities:
            unreached = _ask(gpu, quantity, taken) or unreached
        if unreached and not taken.values:
            raise SourceLost(unreached)
        return taken

    return take


def _ask(gpu: Any, quantity: Quantity, taken: Taken) -> str:
    """Ask for one quantity; return the reason where the board could not be reached, else nothing."""
    try:
        taken.put_milli(quantity, getattr(gpu, _GETTERS[quantity])())
    except Exception as error:  # of Zeus, of amdsmi, or of their reading of each other's answers
        reason = reason_of(error)
        taken.flags.append(f"{quantity}:{reason}")
        return "" if reason in _LACKING else reason
    return ""


def _probe(gpu: Any) -> tuple[Taken, tuple[Quantity, ...]]:
    """Return what the board gives: the counter, and of the two powers the instantaneous one if it has it."""
    taken = Taken()
    _ask(gpu, Quantity.ENERGY_J, taken)
    _ask(gpu, Quantity.POWER_W, taken)
    if Quantity.POWER_W not in taken.values:
        _ask(gpu, Quantity.POWER_AVERAGE_W, taken)
    return taken, tuple(quantity for quantity in _GETTERS if quantity in taken.values)


def _counts(found: tuple[Quantity, ...]) -> bool:
    return Quantity.ENERGY_J in found


def _pci_address(gpu: Any) -> str | None:
    """Return the address as sysfs writes it, ``0000:03:00.0``; null where AMD's library does not say."""
    with contextlib.suppress(Exception):
        address = module_of(Part.AMD).amdsmi.amdsmi_get_gpu_device_bdf(gpu.handle)
        return str(address).lower() or None
    return None


def _scope(address: str | None, gpu: Any) -> Scope:
    if address is None:
        return Scope(f"{PSU}/gpu:amd-{gpu.gpu_index}")
    for chip in find_chips():
        if chip.pci == address and chip.name == "amdgpu" and is_apu(chip):
            return Scope.package(0)
    return Scope(f"{PSU}/gpu:{address}")


def _model(gpu: Any) -> str:
    with contextlib.suppress(Exception):
        return str(gpu.get_name()) or "AMD GPU"
    return "AMD GPU"


def _power_max_w(gpu: Any) -> float | None:
    with contextlib.suppress(Exception):
        highest_mw = float(gpu.get_power_management_limit_constraints()[1])
        return highest_mw * 1e-3 if highest_mw > 0 else None
    return None
