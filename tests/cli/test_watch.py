"""``joulemark watch`` as a user types it, and the table that it shows."""

from __future__ import annotations

import io
import json
import os
import pty
import re
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.console import Console

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.user import joulemark, start
from joulemark.live.watching import LiveRow, Look, depth
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Method, Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.report.live_power import live_line, live_table


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))


@pytest.fixture
def fake(tmp_path: Path) -> FakeNvml:
    made = [FakeBoard(power=[Piece(1.0, w)], counter_period_s=0.05, temperature_c=61) for w in (200.0, 100.0)]
    return FakeNvml(tmp_path, made)


def test_a_line_of_json_a_look(fake: FakeNvml) -> None:
    done = joulemark("watch", "--meter", "nvml", "--interval", "0.4", "--count", "3", "--json", env=fake.env)
    assert done.code == 0, done.err
    looks = [json.loads(line) for line in done.out.splitlines()]
    assert len(looks) == 3
    for look in looks:
        assert [one["scope"] for one in look["sources"]] == ["wall/psu/gpu:0", "wall/psu/gpu:1"]
        for one, watts in zip(look["sources"], (200.0, 100.0), strict=True):
            assert one["watts"] == pytest.approx(watts)
            assert one["energy"]["lo"] <= watts * look["energy_s"] <= one["energy"]["hi"]
            assert one["energy"]["joules"] == pytest.approx(watts * look["energy_s"], rel=0.1)
            assert one["temperature_c"] == 61
            assert one["trust"] == "qualified"
            assert one["wrong"] == []
    assert looks[0]["since_s"] < looks[1]["since_s"] < looks[2]["since_s"]
    assert looks[2]["energy_s"] > looks[1]["energy_s"]


def test_a_plain_line_a_look_where_there_is_no_terminal(fake: FakeNvml) -> None:
    done = joulemark("watch", "--meter", "nvml", "--interval", "0.2", "--count", "2", env=fake.env)
    lines = done.out.splitlines()
    assert len(lines) == 2
    for line in lines:
        assert "gpu:0 200.0 W" in line
        assert "gpu:1 100.0 W" in line
        assert len(re.findall(r" J \([\d.,]+ … [\d.,]+ J\)", line)) == 2
        assert "\x1b" not in line


def test_kinds_that_the_machine_lacks_are_one_line_beside_a_meter_that_works(fake: FakeNvml) -> None:
    nothing = {"JOULEMARK_POWERCAP": "/nonexistent", "JOULEMARK_SYS": "/nonexistent"}
    options = ("--meter", "nvml", "--meter", "hwmon", "--interval", "0.2", "--count", "1")
    done = joulemark("watch", *options, env={**fake.env, **nothing})
    assert done.code == 0, done.err
    assert done.err == "hwmon: none here; `joulemark doctor` says why\n"


@pytest.mark.slow
def test_a_board_that_is_lost_meanwhile_is_told(fake: FakeNvml) -> None:
    process = start("watch", "--meter", "nvml", "--interval", "0.3", "--count", "7", "--json", env=fake.env)
    assert process.stdout is not None
    first = json.loads(process.stdout.readline())
    fake.lose(1)
    rest = [json.loads(line) for line in process.communicate(timeout=60)[0].splitlines()]
    assert process.returncode == 0
    assert first["sources"][1]["watts"] == 100.0
    last = rest[-1]["sources"]
    assert last[1]["watts"] is None
    assert last[1]["watts_reason"]["code"]
    assert any(words.startswith("lost: ") for words in last[1]["wrong"])
    assert last[1]["energy"]["joules"] is None
    assert last[1]["energy"]["reason"]["code"] == "meter_lost"
    assert last[0]["watts"] == 200.0
    assert last[0]["energy"]["joules"] > first["sources"][0]["energy"]["joules"]


def test_a_table_in_a_terminal_until_ctrl_c(fake: FakeNvml) -> None:
    pid, terminal = pty.fork()
    if not pid:
        arguments = ["watch", "--meter", "nvml", "--interval", "0.2"]
        os.execve(sys.executable, [sys.executable, "-m", "joulemark.cli", *arguments], fake.env)
    told = b""
    while told.count(b"200.0 W") < 2:
        told += os.read(terminal, 4000)
    os.write(terminal, b"\x03")
    end_s = time.monotonic() + 20
    while time.monotonic() < end_s:
        try:
            told += os.read(terminal, 4000)
        except OSError:  # its end
            break
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    os.close(terminal)
    for words in (b"Scope", b"gpu:1", b"100.0 W", b"61", b"qualified", b"Ctrl-C"):
        assert words in told
    assert b"Traceback" not in told


def test_without_a_meter_it_says_how_to_get_one(tmp_path: Path) -> None:
    done = joulemark("watch", "--meter", "none")
    assert done.code == 1
    assert "joulemark doctor" in done.err
    done = joulemark("watch", "--meter", "wattmeter")
    assert done.code == 2
    assert "wattmeter" in done.err


def test_a_broken_pipe_ends_it(fake: FakeNvml) -> None:
    process = start("watch", "--meter", "nvml", "--interval", "0.1", env=fake.env)
    assert process.stdout is not None
    process.stdout.readline()
    process.stdout.close()
    assert process.wait(30) in (0, 1)
    assert process.stderr is not None
    assert "Traceback" not in process.stderr.read()
    process.stderr.close()


def row(name: str, scope: str, watts: Value, energy: MeasuredOrWithheld, **more: object) -> LiveRow:
    test = more.pop("test", Qualification(Trust.QUALIFIED))
    assert isinstance(test, Qualification)
    source = QualifiedSource(SourceInfo(name, "x", Scope(scope), ("energy_j",)), test)
    facts: dict[str, object] = {"depth": 0, "by_counter": False, "temperature_c": None, "wrong": (), **more}
    return LiveRow(source=source, watts=watts, energy=energy, **facts)  # type: ignore[arg-type]


def drawn(look: Look, width: int = 100) -> str:
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(live_table(look))
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


def test_the_table_sets_parts_in_and_says_what_is_wrong() -> None:
    package = Scope("wall/psu/psys/package:0")
    energy = MeasuredEnergy(50.0, 49.0, 52.0, "rapl:0", (package,), Method.COUNTER)
    look = Look(
        datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC),
        12.0,
        11.0,
        (
            row("rapl:0", package.path, Value(10.0, "W"), energy, by_counter=True),
            row("rapl:0/core", package.path + "/core", Value(5.0, "W"), energy, depth=1),
            row(
                "plug",
                "wall",
                withheld("W", Reason.NO_SAMPLES),
                Withheld(Reason.METER_LOST),
                wrong=("lost: no answer",),
            ),
            row(
                "old",
                "wall/psu",
                Value(7.0, "W"),
                energy,
                test=Qualification(Trust.SUSPECT, "it [red]lies\x1b[0m"),
            ),
        ),
    )
    table = drawn(look)
    assert "\npackage:0  rapl:0" in table
    assert "\n  core     rapl:0/core" in table
    assert "49.0 … 52.0 J" in table
    assert "* plug: lost: no answer" in table
    assert "* old: it [red]lies" in table
    assert "\x1b" not in table
    assert "power from its counter" in table
    line = live_line(look)
    assert line.startswith("03:04:05Z")
    assert "package:0 10.0 W 50.0 J (49.0 … 52.0 J)" in line
    assert "wall — — (lost: no answer)" in line


def test_how_deep_a_scope_lies_among_the_shown() -> None:
    shown = [
        Scope(path) for path in ("wall", "wall", "wall/psu/psys/package:0", "wall/psu/psys/package:0/core")
    ]
    assert [depth(scope, shown) for scope in shown] == [0, 0, 1, 2]


def test_interrupted_before_the_first_look(fake: FakeNvml) -> None:
    process = start("watch", "--meter", "nvml", env=fake.env)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=30)
    assert process.returncode in (0, 130)
    assert "Traceback" not in err
