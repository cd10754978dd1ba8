"""Rows of the fault matrix for Shelly plugs."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from doubles.faults import Fault, NowS, Truth
from doubles.plugs.meter_curve import MeterCurve
from doubles.plugs.shelly import ShellyGen1, ShellyGen2
from doubles.rigs import Rigged, rig
from joulemark.meters.address import MeterAddress
from joulemark.meters.plugs.shelly import find_shelly
from joulemark.meters.source import Finding

_NO_WRAP = {Fault.WRAP: "the register is a decimal number without a documented range"}
_LONG = Truth(power_w=240.0, t0_s=90.0, t1_s=1290.0)


@rig("shelly gen2", has_counter=True, has_gauge=True, impossible=_NO_WRAP)
@contextlib.contextmanager
def shelly_gen2(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A plug of the second generation: steps of 1 mWh, renewed once a second."""
    with ShellyGen2(MeterCurve(fault, truth, now_s)) as plug:
        yield Rigged(lambda: _found(plug.port, fault))


@rig(
    "shelly gen1",
    has_counter=True,
    has_gauge=True,
    impossible=_NO_WRAP,
    unseen={
        Fault.BACKWARDS: "it falls by less than it gains between two of its updates, which nobody can see"
    },
    truth=_LONG,
)
@contextlib.contextmanager
def shelly_gen1(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A plug of the first generation: steps of 1 watt-minute, renewed once a minute at worst."""
    with ShellyGen1(MeterCurve(fault, truth, now_s, update_s=60.0)) as plug:
        yield Rigged(lambda: _found(plug.port, fault))


def _found(port: int, fault: Fault) -> list[Finding]:
    """What discovery says; a plug that is named by two addresses is shown twice."""
    hosts = ("127.0.0.1", "localhost") if fault is Fault.DUPLICATE_SCOPE else ("127.0.0.1",)
    return [finding for host in hosts for finding in find_shelly(MeterAddress.parse(f"shelly:{host}:{port}"))]
