"""Systems on a chip through Zeus: Apple Silicon's energy counters, and Jetson's integrated power rails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from joulemark.meters.notes import M5, MODEL_BASED, PARTS, SOFTWARE_COUNTER, note
from joulemark.meters.source import SourceLost
from joulemark.meters.zeus_backed.channel import UNREADABLE, ZERO, Channel, LeftOut, Taken
from joulemark.meters.zeus_backed.library import device_of, reason_of
from joulemark.meters.zeus_backed.parts import Part
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import PSU, Scope
from joulemark.record.telemetry import Quantity

SOC = Scope(f"{PSU}/soc")
_APPLE = {"cpu": "cpu_total_mj", "gpu": "gpu_mj", "dram": "dram_mj", "ane": "ane_mj"}
_JETSON = {"soc": "total_energy_mj", "cpu": "cpu_energy_mj", "gpu": "gpu_energy_mj"}
_MAY_SLEEP = frozenset({"gpu_mj", "ane_mj"})  # these may rightly not count for a while
_STUCK_NS = 5_000_000_000  # the processor that asks has drawn something by then
_STEP_J = 1e-3
_JETSON_PERIOD_S = 0.1  # Zeus looks at the sensors this often
_JETSON_TIMEOUT_S = 2.0


def apple_channels() -> list[Channel | LeftOut]:
    """Return the chip as a whole and its parts; a part that it does not count is left out with the reason."""
    device = device_of(Part.APPLE)
    ask = device.get_total_energy_consumption
    measured = _measure(ask)
    parts = {name: field for name, field in _APPLE.items() if getattr(measured, field, None) is not None}
    channels: list[Channel | LeftOut] = []
    if "cpu" in parts:
        missing = [name for name in _APPLE if name not in parts]
        words = f"sum of {', '.join(parts)}" + (f"; {', '.join(missing)} not counted" if missing else "")
        whole = note(PARTS, f"{words}; fabric, caches, display and I/O are not in it")
        notes: tuple[str, ...] = (whole, note(MODEL_BASED), note(M5))
        channels.append(_channel(ask, "apple", "soc", SOC, tuple(parts.values()), notes))
    for name, field in _APPLE.items():
        if name in parts:
            notes = (note(MODEL_BASED), note(M5)) if name == "gpu" else (note(MODEL_BASED),)
            channels.append(_channel(ask, "apple", name, SOC.child(name), (field,), notes))
        else:
            channels.append(LeftOut(f"zeus:apple:{name}", _words(name), "this chip does not count it"))
    return channels


def jetson_channels() -> list[Channel | LeftOut]:
    """Return the module and its rails, as far as its sensors have them."""
    device = device_of(Part.JETSON)

    def ask() -> Any:
        _drain(device)
        return device.get_total_energy_consumption(timeout=_JETSON_TIMEOUT_S)

    measured = _measure(ask)
    channels: list[Channel | LeftOut] = []
    for name, field in _JETSON.items():
        if getattr(measured, field, None) is None:
            channels.append(LeftOut(f"zeus:jetson:{name}", _words(name), "no sensor of this module shows it"))
            continue
        scope = SOC if name == "soc" else SOC.child(name)
        channels.append(_channel(ask, "jetson", name, scope, (field,), (note(SOFTWARE_COUNTER),)))
    return channels


def _channel(
    ask: Callable[[], Any],
    maker: str,
    name: str,
    scope: Scope,
    fields: Sequence[str],
    notes: tuple[str, ...],
) -> Channel:
    slow = maker == "jetson"
    info = SourceInfo(
        name=f"zeus:{maker}:{name}",
        kind="zeus",
        scope=scope,
        quantities=(Quantity.ENERGY_J.value,),
        counter_quantum_j=_STEP_J,
        read_period_s=_JETSON_PERIOD_S if slow else None,
        device_name="Apple Silicon" if maker == "apple" else "NVIDIA Jetson",
        notes=notes,
    )
    return Channel(name, f"{_words(name)}: energy counter", info, _Sum(ask, tuple(fields)).take)


class _Sum:
    """Adds counters of one measurement; where one of them does not count, the sum is not known."""

    def __init__(self, ask: Callable[[], Any], fields: tuple[str, ...]) -> None:
        self._ask, self._fields = ask, fields
        self._moved: dict[str, tuple[float, int]] = {}

    def take(self, now_ns: int) -> Taken:
        measured = _measure(self._ask)
        taken = Taken()
        values = {field: getattr(measured, field, None) for field in self._fields}
        reason = self._doubt(values, now_ns)
        if reason:
            taken.flags.append(f"{Quantity.ENERGY_J}:{reason}")
        else:
            taken.put_milli(Quantity.ENERGY_J, sum(values.values()))
        return taken

    def _doubt(self, values: dict[str, Any], now_ns: int) -> str:
        for field, value in values.items():
            if value is None:
                return "unavailable"
            if not isinstance(value, int | float):
                return UNREADABLE
            if len(values) > 1 and field not in _MAY_SLEEP:
                if value == 0:
                    return f"part_{ZERO}"
                if self._stands_still(field, value, now_ns):
                    return "part_stuck"
        return ""

    def _stands_still(self, field: str, value: float, now_ns: int) -> bool:
        before, since_ns = self._moved.get(field, (None, now_ns))
        if value != before:
            self._moved[field] = (value, now_ns)
            return False
        return now_ns - since_ns > _STUCK_NS


def _measure(ask: Callable[[], Any]) -> Any:
    try:
        return ask()
    except Exception as error:
        raise SourceLost(reason_of(error)) from error


def _drain(device: Any) -> None:
    """Throw away an answer that came too late for its question."""
    pending = getattr(device, "result_queue", None)
    while pending is not None and not pending.empty():
        pending.get_nowait()


def _words(name: str) -> str:
    return {
        "soc": "the whole chip as far as it counts",
        "cpu": "processor cores",
        "gpu": "graphics",
        "dram": "memory",
        "ane": "neural engine",
    }[name]
