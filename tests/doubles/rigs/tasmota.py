"""Rows of the fault matrix for plugs with Tasmota."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from doubles.faults import Fault, NowS, Truth
from doubles.plugs.meter_curve import MeterCurve
from doubles.plugs.tasmota import Tasmota, TasmotaSettings
from doubles.rigs import Rigged, rig
from joulemark.meters.address import MeterAddress
from joulemark.meters.plugs.tasmota import find_tasmota
from joulemark.meters.source import Finding

_NO_WRAP = {Fault.WRAP: "the register is a decimal number without a documented range"}
# steps of 1 Wh are 3.6 kJ a phase: the window has to hold some hundreds of them
_ONE_PHASE = Truth(power_w=1000.0, t0_s=60.0, t1_s=660.0)
_THREE_PHASES = Truth(power_w=3000.0, t0_s=60.0, t1_s=660.0)


@rig("tasmota", has_counter=True, has_gauge=True, impossible=_NO_WRAP, truth=_ONE_PHASE)
@contextlib.contextmanager
def tasmota(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """One phase, three decimals of a kWh."""
    with Tasmota(MeterCurve(fault, truth, now_s, fall_j=20_000.0)) as plug:
        yield Rigged(lambda: _found(plug.port, fault))


@rig("tasmota three phases", has_counter=True, has_gauge=True, impossible=_NO_WRAP, truth=_THREE_PHASES)
@contextlib.contextmanager
def tasmota_three_phases(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """Three phases, each with a total of its own, numbers written as text."""
    settings = TasmotaSettings(phases=3, phase_list=True, as_text=True)
    with Tasmota(MeterCurve(fault, truth, now_s, fall_j=60_000.0), settings) as plug:
        yield Rigged(lambda: _found(plug.port, fault))


def _found(port: int, fault: Fault) -> list[Finding]:
    """What discovery says; a plug that is named by two addresses is shown twice."""
    hosts = ("127.0.0.1", "localhost") if fault is Fault.DUPLICATE_SCOPE else ("127.0.0.1",)
    return [
        finding for host in hosts for finding in find_tasmota(MeterAddress.parse(f"tasmota:{host}:{port}"))
    ]
