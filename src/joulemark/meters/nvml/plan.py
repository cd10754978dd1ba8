"""What one board can be asked: probed once at opening, quantity by quantity.

Every quantity falls back on its own, because drivers lack single ones: Pascal has no energy counter, a GA100
no averaged power, GB10 no memory size, a vGPU next to nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from joulemark.meters.notes import MODULE_SCOPE, SILENT_ZERO, THERMAL_COMBINED, lacks_note, note
from joulemark.meters.nvml.calls import (
    CallRead,
    heat_calls,
    milli,
    slow_calls,
    violation,
)
from joulemark.meters.nvml.driver import driver_branch, reason_of
from joulemark.meters.nvml.field import FIELD_VALUE, NO_DATA, number_of
from joulemark.record.telemetry import Quantity

GPU_SCOPE, MODULE = 0, 1  # NVML_POWER_SCOPE_GPU, NVML_POWER_SCOPE_MODULE
_TOTAL_ENERGY, _SCOPED_ENERGY = 83, 191
_POWER_AVERAGE, _POWER_INSTANT = 185, 186
_POWER_CAP = 74
_RENUMBERED_BRANCH = 580
_POLICY_POWER, _POLICY_THERMAL = 0, 1  # NVML_PERF_POLICY_*
_AMPERE = 7  # NVML_DEVICE_ARCH_AMPERE
_GA100_DEVICE_IDS = 0x20  # high byte of the PCI device id of A100, A800, A30 and their kin
AVERAGE_WINDOW_S = 1.0  # nvml.h: "GPU power averaged over 1 sec interval"


@dataclass(frozen=True, slots=True)
class FieldRead:
    """One field of the single ``nvmlDeviceGetFieldValues`` call.

    ``quantity`` is a plain string, which hashes faster than the enum; ``unit`` turns the driver's value
    into the quantity's unit.
    """

    field_id: int
    scope_id: int
    quantity: str
    unit: float


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a field said when it was asked alone: an NVML code and, where that is 0, the driver's number."""

    code: int
    number: float = 0.0


_Answers = Mapping[tuple[int, int], _Answer]


@dataclass(slots=True)
class ReadPlan:
    """How a board is read: ``fields`` in one call, then ``calls``; both belong to the reading's instant.

    ``heat`` (what a thermal guard must see in every reading) and, one a read in turn, ``slow`` follow.
    ``power_window_s`` is the trailing window of ``power_w`` (0: instantaneous; null: no power).
    """

    fields: list[FieldRead] = field(default_factory=list)
    calls: list[CallRead] = field(default_factory=list)
    heat: list[CallRead] = field(default_factory=list)
    slow: list[CallRead] = field(default_factory=list)
    is_module: bool = False
    power_window_s: float | None = None
    notes: list[str] = field(default_factory=list)

    @property
    def quantities(self) -> tuple[str, ...]:
        """The names of all that the plan reads."""
        calls = (part.quantity for part in [*self.calls, *self.heat, *self.slow])
        return (*(part.quantity for part in self.fields), *calls)


def throttle_fields(branch: int | None) -> tuple[tuple[int, Quantity], ...]:
    """Return the cumulative throttle counters of a driver branch (null: not known).

    The thermal and power-brake counters have moved: fields 251..253 up to branch 575, 269..271 from 580 on,
    where 251..253 became power-smoothing settings. A guess could read a setting as nanoseconds, so an
    unknown branch is asked for neither.
    """
    cap = (_POWER_CAP, Quantity.THROTTLE_POWER_CAP_NS)
    if branch is None:
        return (cap,)
    first = 269 if branch >= _RENUMBERED_BRANCH else 251
    return (
        cap,
        (first, Quantity.THROTTLE_SW_THERMAL_NS),
        (first + 1, Quantity.THROTTLE_HW_THERMAL_NS),
        (first + 2, Quantity.THROTTLE_POWER_BRAKE_NS),
    )


def plan_reads(module: Any, handle: Any) -> ReadPlan:
    """Probe ``handle`` and return the plan; what the driver lacks stands in its notes."""
    plan = ReadPlan()
    throttles = throttle_fields(driver_branch(module))
    answers = _probe_fields(module, handle, [f for f, _ in throttles])
    _plan_scope(plan, answers)
    _plan_energy(plan, module, handle, answers)
    _plan_power(plan, module, handle, answers)
    _plan_throttle(plan, module, handle, answers, throttles)
    for quantity, call in heat_calls(module, handle).items():
        _add_if_answers(plan, plan.heat, module, CallRead(quantity.value, call))
    for quantity, call in slow_calls(module, handle).items():
        _add_if_answers(plan, plan.slow, module, CallRead(quantity.value, call))
    return plan


def _probe_fields(module: Any, handle: Any, throttle_ids: list[int]) -> _Answers:
    """Return the answer of each (field, scope) that could be used."""
    asked = [(_TOTAL_ENERGY, GPU_SCOPE), *((field_id, GPU_SCOPE) for field_id in throttle_ids)]
    for scope in (GPU_SCOPE, MODULE):
        asked += [(_POWER_INSTANT, scope), (_POWER_AVERAGE, scope)]
    asked.append((_SCOPED_ENERGY, MODULE))
    return {key: _ask(module, handle, key) for key in asked}


def _ask(module: Any, handle: Any, key: tuple[int, int]) -> _Answer:
    """Ask for one field alone, so that an id which the driver does not know cannot spoil the others."""
    try:
        answer = module.nvmlDeviceGetFieldValues(handle, [key])[0]
    except module.NVMLError as error:
        return _Answer(int(error.value))
    *_, kind, code, data = FIELD_VALUE.unpack(bytes(answer))
    number = number_of(kind, data)
    return _Answer(code) if code else _Answer(NO_DATA) if number is None else _Answer(0, number)


def _plan_scope(plan: ReadPlan, answers: _Answers) -> None:
    """Choose one scope for the whole source: a counter and a gauge of two scopes would never agree."""
    gpu = any(answers[f, GPU_SCOPE].code == 0 for f in (_POWER_INSTANT, _POWER_AVERAGE))
    module = any(answers[f, MODULE].code == 0 for f in (_POWER_INSTANT, _POWER_AVERAGE))
    plan.is_module = module and not gpu
    if plan.is_module:
        plan.notes.append(note(MODULE_SCOPE, "the driver meters the CPU and GPU of this module together"))


def _plan_energy(plan: ReadPlan, module: Any, handle: Any, answers: _Answers) -> None:
    key = (_SCOPED_ENERGY, MODULE) if plan.is_module else (_TOTAL_ENERGY, GPU_SCOPE)
    if answers[key].code == 0:
        plan.fields.append(FieldRead(*key, Quantity.ENERGY_J.value, 1e-3))
    elif plan.is_module:
        plan.notes.append(_lacking(Quantity.ENERGY_J.value, answers[key].code))
    else:
        total = milli(module, lambda: module.nvmlDeviceGetTotalEnergyConsumption(handle))
        _add_if_answers(plan, plan.calls, module, CallRead(Quantity.ENERGY_J.value, total))


def _plan_power(plan: ReadPlan, module: Any, handle: Any, answers: _Answers) -> None:
    scope = MODULE if plan.is_module else GPU_SCOPE
    usage = milli(module, lambda: module.nvmlDeviceGetPowerUsage(handle))
    instant, average = answers[_POWER_INSTANT, scope], answers[_POWER_AVERAGE, scope]
    silent = instant.code == 0 and instant.number == 0 and average.code == 0 and average.number > 0
    if silent:
        plan.notes.append(note(SILENT_ZERO))
    if instant.code == 0 and not silent:
        plan.fields.append(FieldRead(_POWER_INSTANT, scope, Quantity.POWER_W.value, 1e-3))
        plan.power_window_s = 0.0
    elif plan.is_module:
        plan.notes.append(_lacking(Quantity.POWER_W.value, instant.code or NO_DATA))
    elif _add_if_answers(plan, plan.calls, module, CallRead(Quantity.POWER_W.value, usage)):
        plan.power_window_s = usage_window_s(module, handle)
    if average.code == 0:
        plan.fields.append(FieldRead(_POWER_AVERAGE, scope, Quantity.POWER_AVERAGE_W.value, 1e-3))
    else:
        plan.notes.append(_lacking(Quantity.POWER_AVERAGE_W.value, average.code))


def usage_window_s(module: Any, handle: Any) -> float:
    """Return the trailing window of ``nvmlDeviceGetPowerUsage`` in seconds.

    nvml.h: one second on Ampere (except GA100) or newer, instantaneous before. Where the architecture is
    unknown, the longer window is the safe guess.
    """
    try:
        architecture = int(module.nvmlDeviceGetArchitecture(handle))
    except module.NVMLError:
        return AVERAGE_WINDOW_S
    if architecture < _AMPERE:
        return 0.0
    if architecture > _AMPERE:
        return AVERAGE_WINDOW_S
    try:
        device_id = int(module.nvmlDeviceGetPciInfo(handle).pciDeviceId) >> 16
    except module.NVMLError:
        return AVERAGE_WINDOW_S
    return 0.0 if device_id >> 8 == _GA100_DEVICE_IDS else AVERAGE_WINDOW_S


def _plan_throttle(
    plan: ReadPlan,
    module: Any,
    handle: Any,
    answers: _Answers,
    throttles: tuple[tuple[int, Quantity], ...],
) -> None:
    """Take the driver's cumulative counters, and its older ones where it lacks them."""
    policies = {
        Quantity.THROTTLE_POWER_CAP_NS: _POLICY_POWER,
        Quantity.THROTTLE_SW_THERMAL_NS: _POLICY_THERMAL,
    }
    for field_id, quantity in throttles:
        code = answers[field_id, GPU_SCOPE].code
        if code == 0:
            plan.fields.append(FieldRead(field_id, GPU_SCOPE, quantity.value, 1.0))
            continue
        if quantity not in policies:
            plan.notes.append(_lacking(quantity.value, code))
            continue
        legacy = CallRead(quantity.value, violation(module, handle, policies[quantity]))
        if _add_if_answers(plan, plan.heat, module, legacy) and quantity is Quantity.THROTTLE_SW_THERMAL_NS:
            sentence = "throttle_sw_thermal_ns holds every thermal violation: this driver does not split them"
            plan.notes.append(note(THERMAL_COMBINED, sentence))


def _add_if_answers(plan: ReadPlan, where: list[CallRead], module: Any, read: CallRead) -> bool:
    try:
        read.call()
    except module.NVMLError as error:
        plan.notes.append(_lacking(read.quantity, error.value))
        return False
    where.append(read)
    return True


def _lacking(quantity: str, code: int) -> str:
    return lacks_note(quantity, reason_of(code))
