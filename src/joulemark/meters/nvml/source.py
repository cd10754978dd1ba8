"""An NVIDIA board as a telemetry source.

A read is one ``nvmlDeviceGetFieldValues`` call (energy, power, throttle time), the temperature and the reason
mask, plus one slow quantity in turn, so that it stays cheap and of even length.
"""

from __future__ import annotations

import contextlib
import time
from typing import Any

from joulemark.meters.machine import is_wsl
from joulemark.meters.notes import MIG_SHARED, VGPU_SHARED, WSL, note
from joulemark.meters.nvml.calls import CallRead
from joulemark.meters.nvml.driver import is_lost, open_board, reason_of, start, stop
from joulemark.meters.nvml.field import FIELD_VALUE, NO_DATA, number_of
from joulemark.meters.nvml.plan import ReadPlan, plan_reads
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.meter import CEILING_UNKNOWN_W, SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity, Reading

_COUNTER_QUANTUM_J = 1e-3  # the counter is an integer of millijoules
_SHARED_MODES = frozenset({2, 3})  # NVML_GPU_VIRTUALIZATION_MODE_VGPU and _HOST_VGPU
_IMPLAUSIBLE_OVER_MAX = 10.0  # times its limit: the value is no power in milliwatts
_POWERS = frozenset({Quantity.POWER_W.value, Quantity.POWER_AVERAGE_W.value})


class NvmlSource:
    """One board, opened by UUID. Raises `SourceLost` where the driver does not know or no longer has it.

    The counter is a 64-bit number of millijoules since the driver was loaded: it does not wrap.
    """

    def __init__(self, uuid: str, clock: Clock | None = None, name: str | None = None) -> None:
        module = start()
        try:
            handle = open_board(module, uuid)
            plan = plan_reads(module, handle)
            self.info = _describe(module, handle, uuid, plan, name)
        except module.NVMLError as error:
            stop(module)
            raise SourceLost(reason_of(error.value)) from error
        except SourceLost:
            stop(module)
            raise
        self._module, self._handle, self._plan = module, handle, plan
        self._answers = (module.c_nvmlFieldValue_t * len(plan.fields))()
        for answer, part in zip(self._answers, plan.fields, strict=True):
            answer.fieldId, answer.scopeId = part.field_id, part.scope_id
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns
        limit_w = self.info.power_max_w
        self._ceiling_w = _IMPLAUSIBLE_OVER_MAX * limit_w if limit_w else CEILING_UNKNOWN_W
        self._turn = -1
        self._open = True

    def read(self, segment: int) -> Reading:
        """Read the board; raises `SourceLost` when it is gone.

        ``t_driver_ns`` is the driver's own stamp of the first field, on the driver's wall clock. Slow
        quantities come one a read, all of them with the first one.
        """
        values: dict[str, float] = {}
        flags: list[str] = []
        begin_ns = self._now_ns()
        answered = self._read_fields(flags)
        for part in self._plan.calls:
            self._read_call(part, values, flags)
        t_ns = self._now_ns()
        t_driver_ns = self._decode(values, flags) if answered else None
        for part in [*self._plan.heat, *self._slow_in_turn()]:
            self._read_call(part, values, flags)
        self._drop_implausible(values, flags)
        return Reading(
            segment,
            t_ns,
            self.info.name,
            self.info.scope.path,
            values,
            read_ns=t_ns - begin_ns,
            t_driver_ns=t_driver_ns,
            flags=tuple(flags),
        )

    def close(self) -> None:
        """Release the driver; a second call does nothing."""
        if self._open:
            self._open = False
            stop(self._module)

    def _read_fields(self, flags: list[str]) -> bool:
        """Ask for all fields in one call; false where the whole call failed, and the flags say so."""
        n = len(self._plan.fields)
        code = self._module.nvmlLib.nvmlDeviceGetFieldValues(self._handle, n, self._answers) if n else 0
        if code:
            self._raise_if_lost(code)
            reason = reason_of(code)
            flags.extend(f"{part.quantity}:{reason}" for part in self._plan.fields)
        return code == 0

    def _decode(self, values: dict[str, float], flags: list[str]) -> int | None:
        """Put the answers into ``values``; return the driver's stamp of the first."""
        t_driver_ns = None
        for part, answer in zip(self._plan.fields, FIELD_VALUE.iter_unpack(self._answers), strict=True):
            _, _, stamp_us, _, kind, code, data = answer
            if code:
                self._raise_if_lost(code)
                flags.append(f"{part.quantity}:{reason_of(code)}")
                continue
            number = number_of(kind, data)
            if number is None:
                flags.append(f"{part.quantity}:{reason_of(NO_DATA)}")
                continue
            if t_driver_ns is None:
                t_driver_ns = stamp_us * 1000
            values[part.quantity] = number * part.unit
        return t_driver_ns

    def _read_call(self, part: CallRead, values: dict[str, float], flags: list[str]) -> None:
        try:
            values[part.quantity] = part.call()
        except self._module.NVMLError as error:
            self._raise_if_lost(error.value)
            flags.append(f"{part.quantity}:{reason_of(error.value)}")

    def _drop_implausible(self, values: dict[str, float], flags: list[str]) -> None:
        """Drop a power that no board draws: a driver that answers in another unit."""
        for quantity in _POWERS:
            if values.get(quantity, 0.0) > self._ceiling_w:
                del values[quantity]
                flags.append(f"{quantity}:implausible")

    def _slow_in_turn(self) -> list[CallRead]:
        slow = self._plan.slow
        self._turn += 1
        if self._turn == 0 or not slow:
            return slow
        place = self._turn % len(slow)
        return slow[place : place + 1]

    def _raise_if_lost(self, code: int) -> None:
        if is_lost(code):
            raise SourceLost(reason_of(code))


def open_nvml(spec: SourceSpec, clock: Clock | None = None) -> NvmlSource:
    """Open the board that ``spec`` names; raises `SourceLost` where the driver does not know it."""
    return NvmlSource(str(spec.args["uuid"]), clock, spec.name)


def nvml_spec(uuid: str) -> SourceSpec:
    """Return how to open the board with this UUID in another process."""
    return SourceSpec("nvml", {"uuid": uuid})


def _describe(module: Any, handle: Any, uuid: str, plan: ReadPlan, name: str | None) -> SourceInfo:
    index = int(module.nvmlDeviceGetIndex(handle))
    device_name = None
    with contextlib.suppress(module.NVMLError):
        device_name = str(module.nvmlDeviceGetName(handle))
    counts = Quantity.ENERGY_J in plan.quantities
    return SourceInfo(
        name=name or f"nvml:{index}",
        kind="nvml",
        scope=Scope.module(index) if plan.is_module else Scope.gpu(index),
        quantities=plan.quantities,
        counter_quantum_j=_COUNTER_QUANTUM_J if counts else 0.0,
        power_window_s=plan.power_window_s,
        power_max_w=None if plan.is_module else power_max_w(module, handle),
        device_id=uuid,
        device_name=device_name,
        notes=(*plan.notes, *_peculiarities(module, handle)),
    )


def _peculiarities(module: Any, handle: Any) -> list[str]:
    """Return what is shared or hidden on this board, as notes."""
    notes = []
    if uses_mig(module, handle):
        notes.append(note(MIG_SHARED))
    if uses_vgpu(module, handle):
        notes.append(note(VGPU_SHARED))
    if is_wsl():
        notes.append(note(WSL))
    return notes


def uses_mig(module: Any, handle: Any) -> bool:
    """Tell whether the board is split into MIG instances; a driver that does not know has none."""
    try:
        return bool(module.nvmlDeviceGetMigMode(handle)[0])
    except module.NVMLError:
        return False


def uses_vgpu(module: Any, handle: Any) -> bool:
    """Tell whether virtual machines share the board; a driver that cannot say has none that do."""
    try:
        return int(module.nvmlDeviceGetVirtualizationMode(handle)) in _SHARED_MODES
    except module.NVMLError:
        return False


def power_max_w(module: Any, handle: Any) -> float | None:
    """Return the highest power limit that the board can be set to, else the enforced one (W).

    The limit in force can be raised while a run lasts, the constraint cannot.
    """
    with contextlib.suppress(module.NVMLError):
        constraint_w = module.nvmlDeviceGetPowerManagementLimitConstraints(handle)[1] * 1e-3
        if constraint_w > 0:
            return float(constraint_w)
    with contextlib.suppress(module.NVMLError):
        limit_w = module.nvmlDeviceGetEnforcedPowerLimit(handle) * 1e-3
        if limit_w > 0:
            return float(limit_w)
    return None
