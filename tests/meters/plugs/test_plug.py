"""What all plugs have in common: silences, deadlines, stamps, marks that stop."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest

from doubles.faults import Fault, Truth
from doubles.listeners import Listener, silent, trickling
from doubles.plugs.meter_curve import MeterCurve
from doubles.plugs.shelly import ShellyGen2
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.plugs.plug import Mark
from joulemark.meters.source import SourceLost
from joulemark.record.clock import SystemClock, VirtualClock


def test_failures_count_in_a_row_only(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen2(curve) as plug:
        (finding,) = discover([f"shelly:{plug.address}"])
        assert finding.spec is not None
        source = open_source(finding.spec, clock)
        for _ in range(4):
            plug.curve = replace(curve, fault=Fault.LOST, truth=Truth(t0_s=0, t1_s=0))
            assert source.read(0).flags == ("energy_j:closed", "power_w:closed")
            assert source.read(0).values == {}
            plug.curve = curve
            assert source.read(0).values
        source.close()


@pytest.mark.parametrize("kind", ["shelly", "tasmota", "homeassistant"])
def test_the_doctor_never_waits_longer_than_its_two_seconds(kind: str) -> None:
    behaviour = {"shelly": trickling, "tasmota": silent, "homeassistant": trickling}[kind]
    entity = "#sensor.energy" if kind == "homeassistant" else ""
    with Listener(behaviour) as listener:
        begin = time.monotonic()
        (finding,) = discover([f"{kind}:127.0.0.1:{listener.port}{entity}"])
        took_s = time.monotonic() - begin
    assert finding.spec is None
    assert finding.why.startswith("no whole answer came within 2 s")
    assert 1.9 < took_s < 3.5


def test_the_stamp_spans_the_whole_request(curve: MeterCurve) -> None:
    class Slow(ShellyGen2):
        def answer(self, asked):  # type: ignore[no-untyped-def]
            time.sleep(0.05)
            return super().answer(asked)

    with Slow(curve) as plug:
        (finding,) = discover([f"shelly:{plug.address}"])
        assert finding.spec is not None
        source = open_source(finding.spec, SystemClock())
        begin_ns = time.monotonic_ns()
        reading = source.read(3)
        end_ns = time.monotonic_ns()
        source.close()
    assert reading.segment == 3
    assert begin_ns <= reading.t_ns - reading.read_ns
    assert reading.t_ns <= end_ns
    assert reading.read_ns >= 50_000_000


def test_a_plug_that_went_away_is_lost_with_the_reason(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen2(curve) as plug:
        (finding,) = discover([f"shelly:{plug.address}"])
        assert finding.spec is not None
        source = open_source(finding.spec, clock)
        source.read(0)
        source.close()
    reasons = []
    for _ in range(3):
        try:
            reasons.extend(source.read(0).flags)
        except SourceLost as error:
            reasons.append(f"lost {error}")
    assert reasons == [
        *["energy_j:connection_refused", "power_w:connection_refused"] * 2,
        "lost connection_refused",
    ]


def test_a_mark_is_stale_once_it_moved_and_stopped() -> None:
    mark = Mark(10.0)
    assert [mark.is_stale(value, t_s) for t_s, value in enumerate("aab")] == [False] * 3
    assert not mark.is_stale("b", 12.0)
    assert mark.is_stale("b", 12.5)
    assert not mark.is_stale("c", 12.6)


def test_a_mark_that_never_moved_says_nothing() -> None:
    mark = Mark(10.0)
    assert not any(mark.is_stale(0, float(t_s)) for t_s in range(1000))
    assert not mark.is_stale(None, 2000.0)
