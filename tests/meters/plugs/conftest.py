"""A meter at a constant power, on a clock that the test moves."""

from __future__ import annotations

import pytest

from doubles.faults import Fault, Truth
from doubles.plugs.meter_curve import MeterCurve
from joulemark.record.clock import VirtualClock


@pytest.fixture
def clock() -> VirtualClock:
    return VirtualClock(100 * 10**9)


@pytest.fixture
def curve(clock: VirtualClock) -> MeterCurve:
    """120 W, 50 kWh counted at virtual time 0; it is 100 s now."""
    return MeterCurve(Fault.HEALTHY, Truth(), lambda: clock.now_ns() * 1e-9)


@pytest.fixture(autouse=True)
def no_secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SHELLY_PASSWORD", "SHELLY_USER", "TASMOTA_PASSWORD", "TASMOTA_USER", "HA_TOKEN"):
        monkeypatch.delenv(f"JOULEMARK_{name}", raising=False)
