"""``doctor --keep``: a meter on the network is put on file once it passed its test, and found again."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from doubles.faults import Fault, Truth
from doubles.plugs.meter_curve import MeterCurve
from doubles.plugs.shelly import ShellyGen2
from doubles.user import joulemark

TRACE = "t_s,energy_j,power_w\n" + "".join(f"{i / 10},{i * 10},100\n" for i in range(2000))


@pytest.fixture
def plug() -> Iterator[ShellyGen2]:
    begin_s = time.monotonic() - 120
    curve = MeterCurve(Fault.HEALTHY, Truth(900.0, t0_s=0.0, t1_s=0.0), lambda: time.monotonic() - begin_s)
    with ShellyGen2(curve) as device:
        yield device


def test_a_meter_that_works_is_kept_and_auto_finds_it(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text(TRACE)
    config = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    kept = joulemark("doctor", "--meter", f"replay:{trace}", "--no-test", "--keep", env=config)
    assert kept.code == 0
    assert "kept in" in kept.err
    found = joulemark("doctor", "--no-test", "--json", env=config)
    assert "replay:trace" in found.out


@pytest.mark.slow
def test_a_kept_meter_is_forgotten_and_what_is_not_on_file_is_told(tmp_path: Path) -> None:
    trace = tmp_path / "trace.csv"
    trace.write_text(TRACE)
    kept = f"replay:{trace}"
    assert joulemark("doctor", "--meter", kept, "--no-test", "--keep").code == 0
    other = joulemark("doctor", "--forget", "shelly:192.168.1.20")
    assert other.code == 2
    assert f"on file: {kept}" in other.err
    assert f"fix: joulemark doctor --forget {kept}" in other.err
    gone = joulemark("doctor", "--forget", kept, "--json")
    assert gone.code == 0, gone.err
    assert gone.json["forgotten"] == [kept]
    assert gone.json["on_file"] == []
    assert "replay" not in joulemark("doctor", "--no-test", "--json").out
    assert joulemark("doctor", "--forget", kept).code == 2
    assert "stands alone" in joulemark("doctor", "--forget", kept, "--keep").err


@pytest.mark.slow
def test_a_meter_that_works_and_is_not_kept_says_how_to_keep_it(plug: ShellyGen2) -> None:
    address = f"shelly:127.0.0.1:{plug.port}"
    hint = f"{address} works; add --keep to use it in every run"
    tested = joulemark("doctor", "--meter", address)
    assert tested.code == 0, tested.err
    assert hint in tested.err
    untested = joulemark("doctor", "--meter", address, "--no-test", "--keep")
    assert "--keep" not in untested.err
    again = joulemark("doctor", "--meter", address)
    assert "--keep" not in again.err
    assert f"on file: {address}" in again.out


def test_what_cannot_be_read_is_not_kept(tmp_path: Path) -> None:
    config = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    refused = joulemark("doctor", "--meter", "shelly:127.0.0.1:1", "--no-test", "--keep", env=config)
    assert refused.code == 2
    assert "nothing was kept" in refused.err
    assert not (tmp_path / "config").exists()
    nothing = joulemark("doctor", "--no-test", "--keep", env=config)
    assert nothing.code == 2
