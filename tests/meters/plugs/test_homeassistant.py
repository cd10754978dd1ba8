"""Entities of Home Assistant."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from doubles.faults import Fault, Truth
from doubles.plugs.home_assistant import ENERGY, EPOCH_S, POWER, TOKEN, HomeAssistant, ServerSettings
from doubles.plugs.meter_curve import BEFORE_J, MeterCurve
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.source import Finding, Source, SourceLost
from joulemark.record.clock import VirtualClock
from joulemark.record.errors import InputError

BOTH = f"#{ENERGY}?power={POWER}"


@pytest.fixture(autouse=True)
def token(monkeypatch: pytest.MonkeyPatch, no_secrets: None) -> None:
    monkeypatch.setenv("JOULEMARK_HA_TOKEN", TOKEN)


@pytest.fixture
def heard(curve: MeterCurve) -> MeterCurve:
    """The server hears of the meter every 10 s."""
    return replace(curve, update_s=10.0)


def found(server: HomeAssistant, rest: str = BOTH) -> Finding:
    (finding,) = discover([f"homeassistant:http://{server.address}{rest}"])
    return finding


def opened(server: HomeAssistant, clock: VirtualClock, rest: str = BOTH) -> Source:
    spec = found(server, rest).spec
    assert spec is not None
    return open_source(spec, clock)


@pytest.mark.parametrize(("unit", "unit_j"), [("kWh", 3_600_000), ("Wh", 3600), ("MJ", 1e6)])
def test_units_become_joules(heard: MeterCurve, clock: VirtualClock, unit: str, unit_j: float) -> None:
    with HomeAssistant(heard, ServerSettings(unit=unit, decimals=3)) as server:
        source = opened(server, clock)
        reading = source.read(0)
        source.close()
    assert reading.values["energy_j"] == pytest.approx(BEFORE_J + 12_000, abs=unit_j / 1000)
    assert reading.values["power_w"] == 120
    assert reading.t_driver_ns == pytest.approx((EPOCH_S + 100) * 1e9)
    assert reading.flags == ()


def test_the_step_and_the_interval_come_from_the_history(heard: MeterCurve) -> None:
    with HomeAssistant(heard, ServerSettings(unit="Wh", decimals=1)) as server:
        fine = found(server).info
    assert fine is not None
    assert fine.counter_quantum_j == pytest.approx(360)  # tenths of a Wh, though "50003.0" shows one zero
    assert fine.value_age_s == pytest.approx(12)
    assert fine.power_window_s == 0, "a sample that is renewed now and then is no average"
    assert fine.notes == ()


def test_without_a_history_nothing_is_taken_for_fresh(heard: MeterCurve) -> None:
    with HomeAssistant(heard, ServerSettings(keeps_history=False)) as server:
        info = found(server, f"{BOTH}&stale_s=77").info
    assert info is not None
    assert info.value_age_s == 77
    assert info.notes[0].startswith("interval_unknown:")


@pytest.mark.parametrize("state", ["unavailable", "unknown", "none", "None", "", "12,5", "nan", "on", "1e99"])
def test_a_state_that_is_no_number_is_absent(heard: MeterCurve, clock: VirtualClock, state: str) -> None:
    settings = ServerSettings()
    with HomeAssistant(heard, settings) as server:
        source = opened(server, clock)
        settings.state = state
        reading = source.read(0)
        source.close()
        finding = found(server)
    assert reading.values == {"power_w": 120.0}
    assert len(reading.flags) == 1
    assert reading.flags[0].startswith("energy_j:")
    assert finding.spec is None
    assert finding.why == "Home Assistant does not hear from the energy entity"


def _silent_since(clock: VirtualClock, at_s: float) -> MeterCurve:
    truth = Truth(t0_s=at_s - 10, t1_s=at_s + 10)
    return MeterCurve(Fault.STALE, truth, lambda: clock.now_ns() * 1e-9, update_s=10.0)


def test_an_old_report_is_stale_by_the_servers_clock(clock: VirtualClock) -> None:
    """The reader starts late: only the server's own stamps can tell the age."""
    server_curve = _silent_since(clock, 90)
    clock.sleep_s(400)
    with HomeAssistant(server_curve) as server:
        source = opened(server, clock)
        reading = source.read(0)
        source.close()
        longer = opened(server, clock, f"{BOTH}&stale_s=900")
        trusted = longer.read(0)
        longer.close()
    assert reading.values == {}
    assert set(reading.flags) == {"energy_j:stale", "power_w:stale"}
    assert set(trusted.values) == {"energy_j", "power_w"}


def test_an_old_report_is_stale_by_our_clock_where_the_server_shows_none(clock: VirtualClock) -> None:
    with HomeAssistant(_silent_since(clock, 90), ServerSettings(sends_date=False)) as server:
        source = opened(server, clock)
        values = []
        for _ in range(40):
            values.append(source.read(0).values)
            clock.sleep_s(10)
        source.close()
    assert len(values[0]) == 2
    assert values[-1] == {}


def test_an_idle_register_is_not_stale_while_its_power_is_fresh(clock: VirtualClock) -> None:
    """Before 2024.4 only changes were stamped, and 36 kJ at 20 W take half an hour."""
    idle = MeterCurve(Fault.HEALTHY, Truth(power_w=20.0), lambda: clock.now_ns() * 1e-9, update_s=10.0)
    with HomeAssistant(idle, ServerSettings(reports=False)) as server:
        both, alone = opened(server, clock), opened(server, clock, f"#{ENERGY}")
        kept, dropped = [], []
        for _ in range(60):
            kept.append("energy_j" in both.read(0).values)
            dropped.append("energy_j" in alone.read(0).values)
            clock.sleep_s(20)
        both.close()
        alone.close()
    assert all(kept)
    assert not all(dropped), "alone there is no witness that the plug is still heard"


def test_a_new_cycle_is_flagged(heard: MeterCurve, clock: VirtualClock) -> None:
    settings = ServerSettings(state_class="total", last_reset="2026-05-01T00:00:00+00:00")
    with HomeAssistant(heard, settings) as server:
        source = opened(server, clock)
        assert source.read(0).flags == ()
        settings.last_reset = "2026-05-02T00:00:00+00:00"
        flags = [source.read(0).flags for _ in range(2)]
        source.close()
    assert flags == [("reset_marker",), ()]


def test_a_unit_that_is_lost_on_the_way_makes_the_value_absent(
    heard: MeterCurve, clock: VirtualClock
) -> None:
    settings = ServerSettings()
    with HomeAssistant(heard, settings) as server:
        source = opened(server, clock)
        settings.unit = None
        reading = source.read(0)
        source.close()
    assert "energy_j:unit_unknown" in reading.flags
    assert "energy_j" not in reading.values


@pytest.mark.parametrize(
    ("settings", "rest", "why"),
    [
        (ServerSettings(unit=None), BOTH, "the unit of the energy entity is none of"),
        (ServerSettings(unit="kVAh"), BOTH, "the unit of the energy entity is none of"),
        (ServerSettings(), f"#{POWER}", "the unit of the energy entity is none of"),
        (ServerSettings(power_unit="A"), BOTH, "the unit of the power entity is none of"),
        (ServerSettings(), f"#{ENERGY}?power={ENERGY}", "the unit of the power entity is none of"),
        (ServerSettings(state_class="measurement"), BOTH, "a measurement, not a count"),
        (ServerSettings(), "#sensor.nothing", "it has no energy entity of that name"),
        (ServerSettings(has_power=False), BOTH, "it has no power entity of that name"),
    ],
)
def test_what_cannot_serve_is_told(heard: MeterCurve, settings: ServerSettings, rest: str, why: str) -> None:
    with HomeAssistant(heard, settings) as server:
        finding = found(server, rest)
    assert finding.spec is None
    assert why in finding.why
    assert finding.fix


def test_the_token(heard: MeterCurve, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch) -> None:
    with HomeAssistant(heard) as server:
        source = opened(server, clock)
        monkeypatch.setenv("JOULEMARK_HA_TOKEN", "wrong")
        assert found(server).why == "it refuses the access token"
        monkeypatch.delenv("JOULEMARK_HA_TOKEN")
        missing = found(server)
        spec = found(server).spec
        source.close()
    assert missing.why == "it wants an access token"
    assert "export JOULEMARK_HA_TOKEN=" in missing.fix
    assert spec is None


def test_power_alone_is_a_gauge(heard: MeterCurve, clock: VirtualClock) -> None:
    with HomeAssistant(heard) as server:
        source = opened(server, clock, f"?power={POWER}")
        reading = source.read(0)
        source.close()
    assert source.info.quantities == ("power_w",)
    assert not source.info.is_register
    assert reading.values == {"power_w": 120.0}


def test_no_secret_and_no_identity_gets_into_what_is_kept(heard: MeterCurve, clock: VirtualClock) -> None:
    with HomeAssistant(heard) as server:
        finding = found(server)
        source = opened(server, clock)
        reading = source.read(0)
        source.close()
    assert finding.info is not None
    assert finding.spec is not None
    assert TOKEN not in json.dumps(finding.spec.args)
    public = repr(replace(finding.info, device_id=None)) + repr(reading) + finding.measures + finding.name
    for private in (TOKEN, ENERGY, POWER, "smith", "Smith", "127.0.0.1", str(server.port)):
        assert private not in public


def test_something_else_at_that_address_is_told(heard: MeterCurve) -> None:
    with HomeAssistant(heard) as server:
        (finding,) = discover([f"homeassistant:http://{server.address}/wrong/prefix{BOTH}"])
    assert finding.spec is None
    assert finding.why == "what answers at that address is no Home Assistant"


def test_an_entity_removed_in_between_is_absent(heard: MeterCurve, clock: VirtualClock) -> None:
    settings = ServerSettings()
    with HomeAssistant(heard, settings) as server:
        source = opened(server, clock)
        settings.has_power = False
        reading = source.read(0)
        source.close()
    assert "power_w:entity_missing" in reading.flags
    assert "energy_j" in reading.values


def test_a_server_that_is_gone_at_opening_is_lost(heard: MeterCurve, clock: VirtualClock) -> None:
    with HomeAssistant(heard) as server:
        spec = found(server).spec
        assert spec is not None
    with pytest.raises(SourceLost, match="connection_refused"):
        open_source(spec, clock)


@pytest.mark.parametrize(
    "meter",
    [
        "homeassistant:http://h:8123",
        "homeassistant:http://h:8123#energy",
        "homeassistant:http://h:8123#sensor.a/../b",
        "homeassistant:http://h:8123#sensor.a?power=Sensor.B",
        "homeassistant:http://u:p@h:8123#sensor.a",
        "homeassistant:http://h:8123#sensor.a?token=abc",
        "homeassistant:http://h:8123#sensor.a?stale_s=-1",
    ],
)
def test_what_was_typed_wrongly_is_an_error(meter: str) -> None:
    with pytest.raises(InputError):
        discover([meter])


def test_the_usual_port_is_added(monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = discover([f"homeassistant:127.0.0.1#{ENERGY}"])
    assert "http://127.0.0.1:8123/api/" in finding.fix or finding.spec is not None
