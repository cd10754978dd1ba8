"""Windows' Energy Meter Interface through Zeus: processor packages and their memory.

The release 0.16.0 of Zeus does not have it; its repository does.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

from joulemark.meters.source import SourceLost
from joulemark.meters.zeus_backed.channel import Channel, LeftOut, Taken
from joulemark.meters.zeus_backed.library import device_of, reason_of
from joulemark.meters.zeus_backed.parts import Part
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity

_UNIT_J = 2**-14  # the register below it counts in these


def emi_channels() -> list[Channel | LeftOut]:
    """Return each package, and its memory where it is counted. Raises `ZeusMissing`."""
    channels: list[Channel | LeftOut] = []
    for cpu in device_of(Part.EMI).cpus:
        index = int(cpu.cpu_index)
        channels.append(_channel(cpu, f"package-{index}", Scope.package(index), "cpu_mj"))
        if _has_dram(cpu):
            channels.append(_channel(cpu, f"dram-{index}", Scope.dram(index), "dram_mj"))
        else:
            why = "this processor does not count it"
            channels.append(LeftOut(f"zeus:emi:dram-{index}", "the memory of a package", why))
    return channels


def _channel(cpu: Any, key: str, scope: Scope, field: str) -> Channel:
    info = SourceInfo(
        name=f"zeus:emi:{key}",
        kind="zeus",
        scope=scope,
        quantities=(Quantity.ENERGY_J.value,),
        counter_quantum_j=_UNIT_J,
        device_id=f"emi:{key}",
    )
    words = "processor package" if scope.kind == "package" else "the memory of a package"
    return Channel(key, f"{words} ({key}): energy counter", info, _taker(cpu, field))


def _taker(cpu: Any, field: str) -> Callable[[int], Taken]:
    def take(_: int) -> Taken:
        taken = Taken()
        try:
            value = getattr(cpu.get_total_energy_consumption(), field)
        except Exception as error:
            raise SourceLost(reason_of(error)) from error
        if value is None:
            taken.flags.append(f"{Quantity.ENERGY_J}:unavailable")
        else:
            taken.put_milli(Quantity.ENERGY_J, value)
        return taken

    return take


def _has_dram(cpu: Any) -> bool:
    with contextlib.suppress(Exception):
        return bool(cpu.supports_get_dram_energy_consumption())
    return False
