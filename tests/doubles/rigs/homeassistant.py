"""Rows of the fault matrix for entities of Home Assistant."""

from __future__ import annotations

import contextlib
import tempfile
from collections.abc import Iterator
from pathlib import Path

from doubles.faults import Fault, NowS, Truth
from doubles.plugs.home_assistant import ENERGY, POWER, TOKEN, HomeAssistant, ServerSettings
from doubles.plugs.meter_curve import MeterCurve
from doubles.rigs import Rigged, rig
from joulemark.meters.address import MeterAddress
from joulemark.meters.plugs.homeassistant import find_homeassistant
from joulemark.meters.source import Finding

_NO_WRAP = {Fault.WRAP: "the state is a decimal number as text, without a range"}
_EVERY_S = 10.0
# steps of 1 Wh and of 0.01 kWh: 3.6 and 36 kJ
_FINE = Truth(power_w=1000.0, t0_s=60.0, t1_s=660.0)
_COARSE = Truth(power_w=3000.0, t0_s=60.0, t1_s=1260.0)


@rig("homeassistant energy+power", has_counter=True, has_gauge=True, impossible=_NO_WRAP, truth=_FINE)
@contextlib.contextmanager
def homeassistant_energy_and_power(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A register of three decimals and a power sensor, both heard of every 10 s."""
    curve = MeterCurve(fault, truth, now_s, update_s=_EVERY_S, fall_j=20_000.0)
    with HomeAssistant(curve, ServerSettings(decimals=3)) as server, _token_file() as file:
        yield Rigged(lambda: _found(server.port, f"&power={POWER}", file, fault))


@rig("homeassistant energy only", has_counter=True, has_gauge=False, impossible=_NO_WRAP, truth=_COARSE)
@contextlib.contextmanager
def homeassistant_energy_only(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A register of two decimals without a power sensor; with the wrong unit it has none at all."""
    curve = MeterCurve(fault, truth, now_s, update_s=_EVERY_S, fall_j=200_000.0)
    settings = ServerSettings(unit=None if fault is Fault.WRONG_UNIT else "kWh")
    with HomeAssistant(curve, settings) as server, _token_file() as file:
        yield Rigged(lambda: _found(server.port, "", file, fault))


@contextlib.contextmanager
def _token_file() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as directory:
        file = Path(directory) / "token"
        file.write_text(TOKEN + "\n")
        yield file


def _found(port: int, options: str, file: Path, fault: Fault) -> list[Finding]:
    """What discovery says; a server that is named by two addresses is shown twice."""
    hosts = ("127.0.0.1", "localhost") if fault is Fault.DUPLICATE_SCOPE else ("127.0.0.1",)
    meters = [
        f"homeassistant:http://{host}:{port}#{ENERGY}?stale_s=60&token_file={file}{options}" for host in hosts
    ]
    return [finding for meter in meters for finding in find_homeassistant(MeterAddress.parse(meter))]
