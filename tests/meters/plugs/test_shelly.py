"""Shelly plugs of both interfaces."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from doubles.faults import Fault, Truth
from doubles.plugs.http_device import Asked, HttpDevice, Reply
from doubles.plugs.meter_curve import BEFORE_J, MeterCurve
from doubles.plugs.shelly import MAC, Gen2Settings, ShellyGen1, ShellyGen2
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.clock import VirtualClock
from joulemark.record.errors import InputError
from joulemark.record.telemetry import Reading

PASSWORD = "correct horse & battery/staple"


def found(device: HttpDevice, options: str = "") -> Finding:
    (finding,) = discover([f"shelly:{device.address}{options}"])
    return finding


def read(device: HttpDevice, clock: VirtualClock, options: str = "") -> Reading:
    spec = found(device, options).spec
    assert spec is not None
    source = open_source(spec, clock)
    try:
        return source.read(0)
    finally:
        source.close()


def test_watt_hours_become_joules(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen2(curve) as plug:
        finding = found(plug)
        reading = read(plug, clock)
    assert finding.info is not None
    assert finding.info.counter_quantum_j == pytest.approx(3.6)
    assert finding.info.power_max_w == 2500
    assert (finding.info.is_register, finding.info.scope.path) == (True, "wall")
    assert reading.values == {
        "energy_j": pytest.approx(BEFORE_J + 12_000, abs=3.6),
        "power_w": pytest.approx(120.0),
    }
    assert reading.flags == ()


def test_watt_minutes_become_joules(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen1(curve) as plug:
        finding, reading = found(plug), read(plug, clock)
    assert finding.info is not None
    assert finding.info.counter_quantum_j == 60
    assert reading.values["energy_j"] == pytest.approx(BEFORE_J + 12_000, abs=60)
    assert reading.values["energy_j"] % 60 == 0


def test_an_energy_meter_of_the_first_generation_counts_watt_hours(
    curve: MeterCurve, clock: VirtualClock
) -> None:
    with ShellyGen1(curve, emeter=True) as plug:
        finding, reading = found(plug), read(plug, clock)
    assert finding.info is not None
    assert finding.info.counter_quantum_j == pytest.approx(360)
    assert reading.values["energy_j"] == pytest.approx(BEFORE_J + 12_000, abs=360)


@pytest.mark.parametrize("component", ["pm1", "em1"])
def test_other_components_are_found_by_themselves(
    curve: MeterCurve, clock: VirtualClock, component: str
) -> None:
    with ShellyGen2(curve, Gen2Settings(component=component)) as plug:
        finding, reading = found(plug), read(plug, clock)
    assert finding.info is not None
    assert finding.info.value_age_s >= (60 if component == "em1" else 1)
    assert reading.values["energy_j"] == pytest.approx(BEFORE_J + 12_000, abs=36)
    assert reading.values["power_w"] == pytest.approx(120)


def test_what_flowed_back_is_not_consumed(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen2(curve, Gen2Settings(returned_wh=700.0)) as plug:
        assert read(plug, clock).values["energy_j"] == pytest.approx(BEFORE_J + 12_000, abs=3.6)


def test_power_that_flows_back_is_no_consumption(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen2(replace(curve, truth=Truth(power_w=-11.2))) as plug:
        reading = read(plug, clock)
    assert "power_w" not in reading.values
    assert "power_w:negative" in reading.flags


def test_another_channel(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen2(curve, Gen2Settings(channel=2)) as plug:
        assert "energy_j" in read(plug, clock, "?id=2").values
        finding = found(plug, "?id=0")
    assert finding.spec is None
    assert finding.why == "it has no meter with that number"
    assert "?id=0" in finding.fix


def test_a_limit_that_would_switch_the_machine_off_is_no_rating(curve: MeterCurve) -> None:
    for limit in (None, 50.0):
        with ShellyGen2(curve, Gen2Settings(power_limit=limit)) as plug:
            info = found(plug).info
        assert info is not None
        assert info.power_max_w == 4000


def test_a_meter_that_calls_itself_invalid_is_absent(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen1(curve, is_valid=False) as plug:
        reading = read(plug, clock)
    assert reading.values == {}
    assert reading.flags == ("energy_j:invalid", "power_w:invalid")


@pytest.mark.parametrize("uses", [1, 30_000])
def test_digest(curve: MeterCurve, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch, uses: int) -> None:
    monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", PASSWORD)
    with ShellyGen2(curve, Gen2Settings(password=PASSWORD, nonce_uses=uses)) as plug:
        spec = found(plug).spec
        assert spec is not None
        source = open_source(spec, clock)
        plug.requests.clear()
        for _ in range(5):
            assert source.read(0).values["power_w"] == 120
        source.close()
    # an old firmware asks anew for each request, a new one takes the nonce again
    assert len(plug.requests) == (10 if uses == 1 else 5)


def test_basic(curve: MeterCurve, clock: VirtualClock, tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text(PASSWORD + "\n")
    with ShellyGen1(curve, password=PASSWORD) as plug:
        assert read(plug, clock, f"?password_file={file}").values["power_w"] == 120
        assert not plug.requests[0].headers.get("authorization"), (
            "the password was sent before it was asked for"
        )


@pytest.mark.parametrize("generation", [1, 2])
def test_a_password_that_is_missing_or_wrong(
    curve: MeterCurve, monkeypatch: pytest.MonkeyPatch, generation: int
) -> None:
    with (
        ShellyGen1(curve, password="a")
        if generation == 1
        else ShellyGen2(curve, Gen2Settings(password="a")) as plug
    ):
        missing = found(plug)
        monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", "wrong")
        refused = found(plug)
    assert (missing.spec, missing.why) == (None, "it wants a password")
    assert "export JOULEMARK_SHELLY_PASSWORD=" in missing.fix
    assert (refused.spec, refused.why) == (None, "it refuses the password")


def test_a_password_taken_away_loses_the_source_at_once(
    curve: MeterCurve, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Gen2Settings()
    with ShellyGen2(curve, settings) as plug:
        spec = found(plug).spec
        assert spec is not None
        source = open_source(spec, clock)
        source.read(0)
        settings.password = "new"
        with pytest.raises(SourceLost, match="password_missing"):
            source.read(0)


def test_no_secret_and_no_identity_gets_into_what_is_kept(
    curve: MeterCurve, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", PASSWORD)
    with ShellyGen2(curve, Gen2Settings(password=PASSWORD)) as plug:
        finding, reading = found(plug), read(plug, clock)
    assert finding.info is not None
    assert finding.spec is not None
    assert PASSWORD not in json.dumps(finding.spec.args)
    assert MAC.lower() not in json.dumps(finding.spec.args)
    public = repr(replace(finding.info, device_id=None)) + repr(reading) + finding.measures + finding.name
    for private in (PASSWORD, MAC, MAC.lower(), "Smith", "127.0.0.1", str(plug.port)):
        assert private not in public
    assert MAC.lower() in str(finding.info.device_id)


def test_a_short_silence_is_a_gap_and_a_long_one_a_loss(clock: VirtualClock) -> None:
    curve = MeterCurve(Fault.LOST, Truth(t0_s=100, t1_s=300), lambda: clock.now_ns() * 1e-9)
    with ShellyGen2(curve) as plug:
        spec = found(plug).spec
        assert spec is not None
        source = open_source(spec, clock)
        assert source.read(0).values
        clock.sleep_s(100)
        for _ in range(2):
            reading = source.read(0)
            assert reading.values == {}
            assert reading.flags == ("energy_j:closed", "power_w:closed")
        for _ in range(2):
            with pytest.raises(SourceLost, match="closed"):
                source.read(0)
        plug.curve = replace(curve, fault=Fault.HEALTHY)
        assert source.read(0).values, "it is read again once it answers"
        source.close()


def test_another_plug_at_the_same_address_is_not_read(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen2(curve) as plug:
        spec = found(plug).spec
        assert spec is not None
        plug.realm = "shellyplugsg3-000000000000"
        with pytest.raises(SourceLost, match="another_device"):
            open_source(spec, clock)


class Thief(ShellyGen1):
    """Says that it is this plug, or none, and asks everywhere for a password in the clear."""

    def __init__(self, curve: MeterCurve, says: object) -> None:
        super().__init__(curve)
        self.says = says

    def answer(self, asked: Asked) -> Reply:
        if asked.path == "/shelly" and self.says is not None:
            return Reply(json.dumps(self.says).encode())
        return Reply(b"{}", 401, {"WWW-Authenticate": 'Basic realm="x"'})

    @property
    def heard(self) -> list[str]:
        """All that it was told."""
        return [f"{asked.target} {asked.headers.get('authorization', '')}".strip() for asked in self.requests]


def test_what_is_no_shelly_gets_no_password(curve: MeterCurve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", PASSWORD)
    with Thief(curve, None) as thief:
        finding = found(thief)
    assert finding.why == "what answers at that address is no Shelly"
    assert thief.heard == ["/shelly"]


@pytest.mark.parametrize("generation", [2, 3, 4])
def test_a_later_generation_gets_no_password_in_the_clear(
    curve: MeterCurve, monkeypatch: pytest.MonkeyPatch, generation: int
) -> None:
    monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", PASSWORD)
    with Thief(curve, {"gen": generation, "id": "shellyplugsg3-a8032ab63d1c"}) as thief:
        finding = found(thief)
    assert "the password was not sent" in finding.why
    assert thief.heard == ["/shelly", "/rpc/Shelly.GetStatus"]


@pytest.mark.parametrize("says", [{"gen": True, "id": "x"}, {"gen": 1, "id": "x"}, {"gen": 2, "id": "a/b"}])
def test_a_generation_that_there_is_not_gets_no_password(
    curve: MeterCurve, monkeypatch: pytest.MonkeyPatch, says: object
) -> None:
    monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", PASSWORD)
    with Thief(curve, says) as thief:
        assert found(thief).why == "what answers at that address is no Shelly"
    assert thief.heard == ["/shelly"]


@pytest.mark.parametrize("generation", [1, 2])
def test_who_took_the_address_of_a_plug_gets_no_password(
    curve: MeterCurve, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch, generation: int
) -> None:
    """When it is opened again the identity is compared before any login."""
    monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", PASSWORD)
    with (
        ShellyGen1(curve, password=PASSWORD)
        if generation == 1
        else ShellyGen2(curve, Gen2Settings(password=PASSWORD)) as plug
    ):
        spec = found(plug).spec
    assert spec is not None
    with Thief(curve, {"type": "SHPLG-S", "mac": "A8032AB60000", "num_meters": 1}) as thief:
        moved = replace(spec, args={**spec.args, "address": f"http://{thief.address}"})
        with pytest.raises(SourceLost, match="another_device"):
            open_source(moved, clock)
    assert thief.heard == ["/shelly"]


class Moving(ShellyGen1):
    """A plug whose address another device takes over in the middle of a run."""

    thief: Thief | None = None

    def answer(self, asked: Asked) -> Reply:
        if self.thief is None:
            return super().answer(asked)
        self.thief.requests.append(asked)
        return self.thief.answer(asked)


def test_who_takes_the_address_in_the_middle_of_a_run_gets_no_password(
    curve: MeterCurve, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", PASSWORD)
    other = {"type": "SHPLG-S", "mac": "A8032AB60000", "num_meters": 1}
    with Moving(curve, password=PASSWORD) as plug, Thief(curve, other) as thief:
        spec = found(plug).spec
        assert spec is not None
        source = open_source(spec, clock)
        assert source.read(0).values["power_w"] == 120
        plug.curve = replace(curve, fault=Fault.LOST, truth=Truth(t0_s=0, t1_s=1))
        assert source.read(0).values == {}, "it hangs up"
        plug.thief = thief
        with pytest.raises(SourceLost, match="another_device"):
            source.read(0)
        source.close()
    assert thief.heard == ["/shelly"]


def test_a_plug_that_was_away_says_who_it_is_and_is_read_on(
    curve: MeterCurve, clock: VirtualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("JOULEMARK_SHELLY_PASSWORD", PASSWORD)
    with Moving(curve, password=PASSWORD) as plug:
        spec = found(plug).spec
        assert spec is not None
        source = open_source(spec, clock)
        plug.curve = replace(curve, fault=Fault.LOST, truth=Truth(t0_s=0, t1_s=1))
        assert source.read(0).values == {}
        plug.curve = curve
        plug.requests.clear()
        assert [source.read(0).values["power_w"] for _ in range(3)] == [120] * 3
        source.close()
    assert [asked.path for asked in plug.requests] == ["/shelly", *["/meter/0"] * 3]


class Impostor(HttpDevice):
    """Something else at that address."""

    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply

    def answer(self, asked: Asked) -> Reply:
        return self.reply


@pytest.mark.parametrize(
    "reply",
    [
        Reply(b"<html><title>FRITZ!Box</title></html>", content_type="text/html"),
        Reply(b"<html>404</html>", 404, content_type="text/html"),
        Reply(b"", 302, {"Location": "https://example.org/"}),
        Reply(b'{"status": "ok"}'),
        Reply(b'{"gen": "two", "id": 7}'),
        Reply(b"[" * 50_000),
    ],
    ids=["html", "404", "redirect", "other-json", "wrong-types", "deep"],
)
def test_a_wrong_device_is_told(reply: Reply) -> None:
    with Impostor(reply) as device:
        finding = found(device)
    assert finding.spec is None
    assert finding.why == "what answers at that address is no Shelly"
    assert f"curl -m 3 'http://{device.address}/shelly'" in finding.fix


def test_a_switch_without_a_meter_is_told(curve: MeterCurve) -> None:
    unmetered = replace(curve, fault=Fault.NOT_SUPPORTED)
    for device in (ShellyGen2(unmetered), ShellyGen1(unmetered)):
        with device as plug:
            finding = found(plug)
        assert (finding.spec, finding.why) == (None, "this model switches, but measures nothing")


def test_nobody_there_is_a_finding_and_no_error() -> None:
    (finding,) = discover(["shelly:127.0.0.1:9"])
    assert (finding.spec, finding.why) == (None, "nothing listens at that address and port")


@pytest.mark.parametrize("meter", ["shelly:h?channel=1", "shelly:h?id=x", "shelly:h?scope=/", "shelly:u:p@h"])
def test_what_was_typed_wrongly_is_an_error(meter: str) -> None:
    with pytest.raises(InputError):
        discover([meter])


def test_a_password_file_that_is_not_there(curve: MeterCurve, tmp_path: Path) -> None:
    with ShellyGen2(curve) as plug, pytest.raises(InputError, match="No such file"):
        found(plug, f"?password_file={tmp_path / 'none'}")


class Odd(ShellyGen2):
    """A plug whose status lacks numbers, after it was found."""

    status = b"{}"
    is_odd = False

    def answer(self, asked: Asked) -> Reply:
        if self.is_odd and asked.path == "/rpc/Switch.GetStatus":
            return Reply(self.status)
        return super().answer(asked)


@pytest.mark.parametrize(
    "status",
    [
        b"{}",
        b'{"apower": null, "aenergy": null}',
        b'{"apower": "120", "aenergy": {"total": "5.0"}}',
        b'{"apower": true, "aenergy": [1]}',
        b'{"apower": 1e20, "aenergy": {"total": 1e20}}',
    ],
)
def test_a_status_without_numbers_is_absent_never_zero(
    curve: MeterCurve, clock: VirtualClock, status: bytes
) -> None:
    with Odd(curve) as plug:
        spec = found(plug).spec
        assert spec is not None
        source = open_source(spec, clock)
        plug.status, plug.is_odd = status, True
        reading = source.read(0)
        source.close()
    assert reading.values == {}
    assert reading.flags == ("energy_j:unavailable", "power_w:unavailable")


def test_a_minute_that_stopped_makes_the_values_stale(clock: VirtualClock) -> None:
    truth = Truth(t0_s=100, t1_s=500)
    curve = MeterCurve(Fault.STALE, truth, lambda: clock.now_ns() * 1e-9)
    with ShellyGen2(curve) as plug:
        spec = found(plug).spec
        assert spec is not None
        source = open_source(spec, clock)
        seen = []
        for _ in range(40):
            seen.append(source.read(0))
            clock.sleep_s(20)
        source.close()
    assert seen[5].values
    assert seen[-1].values == {}
    assert seen[-1].flags == ("energy_j:stale", "power_w:stale")


def test_a_plug_without_the_time_of_day_is_not_called_stale(curve: MeterCurve, clock: VirtualClock) -> None:
    with ShellyGen2(curve, Gen2Settings(has_time=False)) as plug:
        spec = found(plug).spec
        assert spec is not None
        source = open_source(spec, clock)
        for _ in range(10):
            assert source.read(0).values
            clock.sleep_s(60)
        source.close()
