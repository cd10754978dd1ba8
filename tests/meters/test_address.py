"""How meters are named: grammar, what a record keeps of an address, and two names for one device."""

from __future__ import annotations

import contextlib
import hashlib
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.meters.address import MeterAddress, private_name, without_address
from joulemark.meters.configured import configured_meters, forget_meters, keep_meters, meters_path
from joulemark.meters.discovery import ADDRESSED, wanted_meters
from joulemark.meters.duplicates import is_another_board, without_duplicates
from joulemark.meters.privacy import salt_path
from joulemark.meters.source import Finding, SourceSpec
from joulemark.record.errors import InputError
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope


def test_kind_address_and_options() -> None:
    parsed = MeterAddress.parse("shelly:192.168.1.20:8080?id=1&scope=wall/psu")
    assert parsed == MeterAddress("shelly", "192.168.1.20:8080", {"id": "1", "scope": "wall/psu"})
    assert parsed.number("id", 0) == 1
    assert parsed.number("other", 7) == 7
    assert parsed.scope(Scope("wall")) == Scope("wall/psu")
    assert MeterAddress.parse("nvml") == MeterAddress("nvml")
    assert MeterAddress.parse("replay:a?b.csv").address == "a?b.csv"


@pytest.mark.parametrize("text", ["shelly:h?id", "shelly:h?id=1&id=2", "shelly:h?&"])
def test_malformed_options_are_refused(text: str) -> None:
    with pytest.raises(InputError, match="malformed"):
        MeterAddress.parse(text)


@pytest.mark.parametrize("value", ["-1", "1.5", "x", "", "٣", "123456789"])
def test_a_number_is_a_small_whole_number(value: str) -> None:
    with pytest.raises(InputError, match="whole number"):
        MeterAddress("shelly", "h", {"id": value}).number("id", 0)


def test_unknown_options_and_scopes_are_refused_with_what_there_is() -> None:
    with pytest.raises(InputError, match="no option 'idd'") as raised:
        MeterAddress("shelly", "h", {"idd": "1"}).require_options({"id", "scope"})
    assert "id, scope" in str(raised.value)
    with pytest.raises(InputError, match="no scope"):
        MeterAddress("shelly", "h", {"scope": "/wall/"}).scope(Scope("wall"))


@given(st.text(max_size=60))
def test_any_text_is_parsed_or_refused_in_words(text: str) -> None:
    with contextlib.suppress(InputError):
        parsed = MeterAddress.parse(text)
        assert parsed.kind == text.partition(":")[0]


def test_a_record_keeps_no_address_and_still_tells_two_meters_apart() -> None:
    one, other = private_name("shelly:192.168.1.20?id=0"), private_name("shelly:192.168.1.21?id=0")
    assert re.fullmatch("shelly:#[0-9a-f]{16}", one)
    assert one != other
    assert one == private_name("shelly:192.168.1.20?id=0"), "on one machine it stays"
    assert private_name("auto") == "auto"
    assert private_name("replay:trace.csv") == "replay:trace.csv"


def test_what_a_record_keeps_of_an_address_cannot_be_found_by_trying_all_addresses() -> None:
    kept = private_name("shelly:192.168.1.20")
    guessed = {hashlib.sha256(f"192.168.1.{i}".encode()).hexdigest()[:8] for i in range(256)}
    assert not any(digest in kept for digest in guessed)
    salt_path().unlink()
    assert private_name("shelly:192.168.1.20") != kept, "on another machine it is another"


@pytest.fixture(autouse=True)
def salt(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))


@pytest.fixture
def config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    return tmp_path / "joulemark" / "meters.toml"


def test_meters_are_kept_on_file_once_each_and_auto_reads_them(config: Path) -> None:
    assert configured_meters() == []
    assert keep_meters(["replay:a.csv"]) == config == meters_path()
    keep_meters(["replay:a.csv", 'replay:with "quotes" \\.csv'])
    assert configured_meters() == ["replay:a.csv", 'replay:with "quotes" \\.csv']
    assert "replay:a.csv" in wanted_meters(["auto"])
    assert wanted_meters(["none"]) == []


def test_keeping_meters_touches_no_other_file_and_leaves_none_behind(config: Path) -> None:
    draft = config.with_suffix(".draft")
    draft.parent.mkdir()
    draft.write_text("somebody's own")
    keep_meters(["replay:a.csv"])
    assert draft.read_text() == "somebody's own"
    assert sorted(config.parent.iterdir()) == [draft, config]


PLUG, OTHER = "shelly:192.168.1.20?id=0", "tasmota:192.168.1.21"


def test_a_meter_is_forgotten_and_the_others_stay(config: Path) -> None:
    keep_meters([PLUG, OTHER, "replay:a.csv"])
    assert forget_meters([PLUG, "192.168.1.21"]) == [PLUG, OTHER]
    assert configured_meters() == ["replay:a.csv"]


def test_what_is_not_on_file_names_what_is_and_takes_nothing_off(config: Path) -> None:
    keep_meters([PLUG, OTHER])
    with pytest.raises(InputError) as caught:
        forget_meters([OTHER, "shelly:192.168.1.20"])
    for told in (PLUG, OTHER, f"fix: joulemark doctor --forget '{PLUG}'"):
        assert told in str(caught.value)
    assert configured_meters() == [PLUG, OTHER]


def test_nothing_on_file_is_said_and_an_address_of_two_is_not_guessed(config: Path) -> None:
    with pytest.raises(InputError, match="no meter is kept"):
        forget_meters([PLUG])
    assert not config.exists()
    keep_meters(["shelly:plug", "tasmota:plug"])
    with pytest.raises(InputError, match="several meters"):
        forget_meters(["plug"])
    assert len(configured_meters()) == 2


def test_a_meter_of_no_known_kind_can_be_forgotten_too(config: Path) -> None:
    config.parent.mkdir()
    config.write_text('meters = ["shely:192.168.1.20"]')
    with pytest.raises(InputError, match=r"like 'shelly:192\.168\.1\.20'"):
        wanted_meters(["auto"])
    forget_meters(["shely:192.168.1.20"])
    assert wanted_meters(["none"]) == configured_meters() == []


@pytest.mark.parametrize(
    ("text", "meter"),
    [
        ("no answer from 192.168.1.20", "shelly:192.168.1.20?id=0"),
        ("http://host-7:8123 and host-7 are silent", "homeassistant:http://host-7:8123#sensor.x"),
        ("VISA: 10.0.0.7 timed out", "analyzer:TCPIP::10.0.0.7::INSTR?element=1"),
        ("[::1]:80 and ::1 refuse", "shelly:[::1]:80"),
        ("a bracket too few: [1", "shelly:[1"),
    ],
)
def test_words_for_a_record_hold_no_address(text: str, meter: str) -> None:
    told = without_address(text, meter)
    for part in ("192.168", "host-7", "10.0.0", "::1", "[1"):
        assert part not in told
    assert without_address("nothing listens there", meter) == "nothing listens there"


@pytest.mark.parametrize(
    "text",
    [
        "meters = 3",
        "meters = [1]",
        "not toml",
        "meters = ['a'",
        "meters = " + "[" * 3000,
        "meters = " + "9" * 5000,
    ],
)
def test_a_malformed_file_is_told_with_its_path(config: Path, text: str) -> None:
    config.parent.mkdir()
    config.write_text(text)
    with pytest.raises(InputError, match=r"meters\.toml"):
        configured_meters()


@pytest.mark.parametrize(
    "meter", ["auto", "none", "bogus:1", "", "nvml:x", "shelly", "shelly:", "\\u001b[2J"]
)
def test_what_is_no_meter_on_file_is_told_with_its_path(config: Path, meter: str) -> None:
    config.parent.mkdir()
    config.write_text(f'meters = ["{meter}"]')
    with pytest.raises(InputError, match=r"meters\.toml") as caught:
        wanted_meters(["auto"])
    assert str(caught.value.why).isprintable()
    assert wanted_meters(["none"]) == [], "who does not ask for it is not held up"


def test_an_addressed_kind_needs_its_address() -> None:
    kind = next(iter(ADDRESSED))
    with pytest.raises(InputError, match="needs an address"):
        wanted_meters([kind])


def finding(name: str, kind: str, scope: str, device_id: str | None = None) -> Finding:
    info = SourceInfo(name, kind, Scope(scope), ("energy_j",), device_id=device_id)
    return Finding(kind, name, "energy", spec=SourceSpec(kind), info=info)


def test_the_same_board_by_two_drivers_is_read_once() -> None:
    nvml = finding("nvml:0", "nvml", "wall/psu/gpu:0", "GPU-1")
    dcgm = finding("dcgm:0", "dcgm", "wall/psu/gpu:7", "GPU-1")
    hwmon = finding("hwmon:card", "hwmon", "wall/psu/gpu:0000:03:00.0")
    zeus = finding("zeus:amd", "zeus", "wall/psu/gpu:0000:03:00.0")
    kept = without_duplicates([nvml, dcgm, hwmon, zeus])
    assert [one.spec is not None for one in kept] == [True, False, True, False]
    assert "nvml:0" in kept[1].why
    assert "hwmon:card" in kept[3].why


def test_another_board_with_the_same_scope_is_not_called_the_same_device() -> None:
    mine = [finding(f"nvml:{i}", "nvml", f"wall/psu/gpu:{i}", f"GPU-{i}") for i in range(2)]
    theirs = finding("dcgm:0", "dcgm", "wall/psu/gpu:0", "GPU-of-another-machine")
    renumbered = finding("dcgm:0", "dcgm", "wall/psu/gpu:0", "GPU-1")
    *_, other, same = without_duplicates([*mine, theirs, renumbered])
    assert (other.spec, same.spec) == (None, None)
    assert "another board than nvml:0" in other.why
    assert "&scope=" in other.fix
    assert "same device as nvml:1" in same.why
    assert (is_another_board(other), is_another_board(same)) == (True, False)


def test_a_board_is_one_whatever_scope_is_given_to_it() -> None:
    mine = finding("dcgm:0", "dcgm", "wall/psu/gpu:0", "GPU-1")
    again = replace(finding("dcgm:0:2", "dcgm", "wall/psu/gpu:1", "GPU-1"), meter="dcgm:http://h/m?scope=x")
    _, left_out = without_duplicates([mine, again])
    assert (left_out.spec, left_out.meter) == (None, None)
    assert "same device as dcgm:0" in left_out.why
    assert "scope" not in left_out.fix


def test_another_board_that_was_named_stays_a_meter_that_somebody_counts_on() -> None:
    mine = finding("dcgm:0", "dcgm", "wall/psu/gpu:0", "GPU-1")
    other = replace(finding("dcgm:0:2", "dcgm", "wall/psu/gpu:0", "GPU-2"), meter="dcgm:http://h/m")
    _, left_out = without_duplicates([mine, other])
    assert (left_out.spec, left_out.meter) == (None, "dcgm:http://h/m")


def named(name: str, kind: str, scope: str, device_id: str | None, **args: str) -> Finding:
    """A meter that the user named by its address."""
    one = finding(name, kind, scope, device_id)
    return replace(one, meter=f"{kind}:{name}?scope={scope}", spec=SourceSpec(kind, {**args}))


@pytest.mark.parametrize("kind", ["shelly", "tasmota", "prometheus", "analyzer", "homeassistant"])
def test_one_meter_that_was_named_for_two_places_is_refused(kind: str) -> None:
    mine = named("a", kind, "wall/psu/gpu:0", "aa/switch:0")
    with pytest.raises(InputError, match="for two places") as caught:
        without_duplicates([mine, named("b", kind, "wall/psu/gpu:1", "aa/switch:0")])
    assert "gpu:0's and as" in caught.value.why
    assert f"--forget '{kind}:b?scope=wall/psu/gpu:1'" in caught.value.fix
    assert str(mine.meter) in str(caught.value)
    assert len([one for one in without_duplicates([mine, mine]) if one.spec]) == 1
    two = [mine, named("b", kind, "wall/psu/gpu:1", "aa/switch:1")]
    assert without_duplicates(two) == two


def test_meters_that_read_one_value_in_common_are_one_device() -> None:
    energy = named("a", "prometheus", "wall/psu/gpu:0", "p#1", shows="e1")
    both = named("b", "prometheus", "wall/psu/gpu:1", "p#2", shows="e1 p1")
    other = named("c", "prometheus", "wall/psu/gpu:1", "p#3", shows="e2 p2")
    with pytest.raises(InputError, match="for two places"):
        without_duplicates([energy, both])
    assert without_duplicates([energy, other]) == [energy, other]


def test_witnesses_outside_stand_beside_each_other() -> None:
    plug, analyzer = finding("shelly", "shelly", "wall", "a"), finding("analyzer", "analyzer", "wall", "b")
    assert all(one.spec for one in without_duplicates([plug, analyzer]))


def test_what_cannot_be_read_hides_nothing() -> None:
    missing = replace(finding("rapl:package-0", "rapl", "wall/psu/psys/package:0"), spec=None, info=None)
    there = finding("zeus:cpu", "zeus", "wall/psu/psys/package:0")
    assert [one.spec is not None for one in without_duplicates([missing, there])] == [False, True]


@pytest.mark.parametrize("path", ["gpu:0", "wall/gpu:0", "wall/psu/psu/gpu:0", "wall:2"])
def test_a_scope_outside_the_tree_is_refused_with_the_tree(path: str) -> None:
    with pytest.raises(InputError, match="wall > psu >"):
        MeterAddress("prometheus", "h", {"scope": path}).scope(Scope("wall"))
