"""Plugs with Tasmota."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from doubles.faults import Fault, Truth
from doubles.plugs.http_device import Asked, Reply
from doubles.plugs.meter_curve import BEFORE_J, MeterCurve
from doubles.plugs.tasmota import MAC, Tasmota, TasmotaSettings
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.source import Finding, Source
from joulemark.record.clock import VirtualClock
from joulemark.record.telemetry import Reading

PASSWORD = "p&ss=word #1"


def found(plug: Tasmota) -> Finding:
    (finding,) = discover([f"tasmota:{plug.address}"])
    return finding


def opened(plug: Tasmota, clock: VirtualClock) -> Source:
    spec = found(plug).spec
    assert spec is not None
    return open_source(spec, clock)


def read(plug: Tasmota, clock: VirtualClock) -> Reading:
    source = opened(plug, clock)
    try:
        return source.read(0)
    finally:
        source.close()


@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("decimals", [2, 3, 5])
def test_the_step_is_that_of_the_digits(
    curve: MeterCurve, clock: VirtualClock, decimals: int, as_text: bool
) -> None:
    with Tasmota(curve, TasmotaSettings(energy_res=decimals, as_text=as_text)) as plug:
        finding, reading = found(plug), read(plug, clock)
    step_j = 3_600_000 / 10**decimals
    assert finding.info is not None
    assert finding.info.counter_quantum_j == pytest.approx(step_j)
    assert reading.values["energy_j"] == pytest.approx(BEFORE_J + 12_000, abs=step_j)
    assert reading.values["power_w"] == 120
    coarse = any(note.startswith("coarse_step") for note in finding.info.notes)
    assert coarse == (decimals < 5)


def test_a_large_total_steps_as_its_32_bit_float_does(curve: MeterCurve) -> None:
    """From 512 kWh on a float of kWh has steps of 2^-14 kWh, more than the five decimals say."""
    large = replace(curve, truth=Truth(power_w=120 + 4e7))  # at 100 s: above 1,100 kWh
    with Tasmota(large, TasmotaSettings(energy_res=5)) as plug:
        info = found(plug).info
    assert info is not None
    assert info.counter_quantum_j == pytest.approx(2**-13 * 3_600_000)


@pytest.mark.parametrize("phase_list", [False, True])
def test_phases_are_summed(curve: MeterCurve, clock: VirtualClock, phase_list: bool) -> None:
    settings = TasmotaSettings(phases=3, phase_list=phase_list, energy_res=5)
    with Tasmota(curve, settings) as plug:
        info, reading = found(plug).info, read(plug, clock)
    assert info is not None
    assert reading.values["energy_j"] == pytest.approx(BEFORE_J + 12_000, abs=110)
    assert reading.values["power_w"] == 120
    assert info.counter_quantum_j == pytest.approx(108 if phase_list else 36)
    assert info.power_max_w == 12_000


def test_a_new_start_of_the_count_is_flagged_once(clock: VirtualClock) -> None:
    curve = MeterCurve(Fault.RESET, Truth(t0_s=100, t1_s=110), lambda: clock.now_ns() * 1e-9)
    with Tasmota(curve) as plug:
        source = opened(plug, clock)
        marked = []
        for _ in range(10):
            marked.append("reset_marker" in source.read(0).flags)
            clock.sleep_s(1)
        source.close()
    assert marked.count(True) == 1
    assert marked.index(True) == 5


@pytest.mark.parametrize("status", [200, 401])
def test_the_login_is_sent_when_it_is_asked_for(
    curve: MeterCurve, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    settings = TasmotaSettings(password=PASSWORD, refusal_status=status)
    with Tasmota(curve, settings) as plug:
        assert found(plug).why == "it wants a password"
        monkeypatch.setenv("JOULEMARK_TASMOTA_PASSWORD", "wrong")
        assert found(plug).why == "it refuses the password"
        monkeypatch.setenv("JOULEMARK_TASMOTA_PASSWORD", PASSWORD)
        plug.requests.clear()
        finding, reading = found(plug), read(plug, clock)
    assert reading.values["power_w"] == 120
    assert "password" not in plug.requests[0].query, "it was sent before it was asked for"
    assert finding.spec is not None
    for private in (PASSWORD, MAC, "smiths"):
        assert private not in json.dumps(finding.spec.args)
        assert private not in repr(reading)
    assert finding.info is not None
    assert MAC not in repr(replace(finding.info, device_id=None))
    assert finding.info.device_id == MAC


def test_a_device_without_a_meter_is_told(curve: MeterCurve) -> None:
    with Tasmota(curve, TasmotaSettings(has_energy=False)) as plug:
        finding = found(plug)
    assert finding.spec is None
    assert finding.why == "this device has no meter, or Tasmota does not know it"


class Odd(Tasmota):
    """A plug that answers ``Status 10`` with what the test says, once it was found."""

    odd: bytes | None = None

    def answer(self, asked: Asked) -> Reply:
        is_asked = asked.query.get("cmnd") == "Status 10"
        return Reply(self.odd) if is_asked and self.odd is not None else super().answer(asked)


@pytest.mark.parametrize(
    "energy",
    [
        "{}",
        "null",
        '{"Total": "nan", "Power": "---"}',
        '{"Total": [1.0, null, 2.0], "Power": []}',
        '{"Total": {"kWh": 1}, "Power": true}',
    ],
)
def test_what_is_no_number_is_absent(curve: MeterCurve, clock: VirtualClock, energy: str) -> None:
    with Odd(curve) as plug:
        source = opened(plug, clock)
        plug.odd = f'{{"StatusSNS":{{"Time":"2026-05-01T00:00:00","ENERGY":{energy}}}}}'.encode()
        reading = source.read(0)
        source.close()
    assert reading.values == {}
    assert set(reading.flags) >= {"energy_j:unavailable", "power_w:unavailable"}


def test_a_total_that_ran_over_its_32_bits_is_absent(curve: MeterCurve, clock: VirtualClock) -> None:
    with Odd(curve) as plug:
        source = opened(plug, clock)
        plug.odd = b'{"StatusSNS":{"ENERGY":{"Total":-21474.836,"Power":120}}}'
        reading = source.read(0)
        source.close()
    assert reading.values == {"power_w": 120.0}
    assert "energy_j:negative" in reading.flags


def test_other_firmware_is_told(curve: MeterCurve) -> None:
    with Odd(curve) as plug:
        for odd, why in ((b'{"Command":"Unknown"}', "does not know"), (b'{"a":1}', "is no Tasmota device")):
            plug.odd = odd
            finding = found(plug)
            assert finding.spec is None
            assert why in finding.why
            assert finding.fix
