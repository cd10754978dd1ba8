"""``joulemark record -- COMMAND`` as a user types it."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.user import joulemark, start

PATIENT = "import signal, sys, time; {setup}; print('ready', flush=True); time.sleep(20)"


@pytest.fixture(autouse=True)
def own_config(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config-home"))


def quietly(*arguments: str | Path, env: dict[str, str] | None = None) -> Any:
    return joulemark("record", "--meter", "none", *arguments, env=env)


def result(err: str) -> Any:
    """The JSON document on standard error, behind what the program wrote there."""
    return json.loads(err[err.index("{\n") :])


def test_what_a_program_took(tmp_path: Path) -> None:
    boards = [FakeBoard(power=[Piece(1.0, watts)], counter_period_s=0.05) for watts in (200.0, 100.0)]
    fake = FakeNvml(tmp_path, boards)
    code = "import time; x = bytearray(90 << 20); time.sleep(1.2); print('out')"
    done = joulemark(
        *("record", "--meter", "nvml", "--zone", "FRA", "--usd-per-kwh", "0.2", "--json", "--"),
        *(sys.executable, "-c", code),
        env=fake.env,
    )
    assert (done.code, done.out) == (0, "out\n")
    told = result(done.err)
    assert told["exit_code"] == 0
    assert 1.2 < told["duration_s"] < 5  # the program sleeps 1.2 s; how soon it is up depends on the machine
    assert told["total_joules"] == pytest.approx(300 * told["duration_s"], rel=0.02)
    assert told["measurement_tier"] == "C"
    assert told["energy_source"] == "counter"
    assert told["headline_scope"] == ["wall/psu/gpu:0", "wall/psu/gpu:1"]
    assert told["energies"]["wall/psu/gpu:1"]["joules"] == pytest.approx(100 * told["duration_s"], rel=0.02)
    for one in told["sources"]:
        for way in ("counter", "integrated"):
            assert one[way]["lo"] <= one[way]["joules"] <= one[way]["hi"]
    assert told["usd"] == pytest.approx(told["total_joules"] / 3.6e6 * 0.2)
    assert told["gco2e"] > 0
    assert 90 < told["peak_memory_mib"] < 160
    assert 0 < told["cpu_seconds"] < 1
    assert 0 <= told["foreign_cpu_share"] <= 1


def test_the_words_name_each_figure_and_how_sure_it_is(tmp_path: Path) -> None:
    board = FakeBoard(power=[Piece(1.0, 200.0)], counter_period_s=0.05)
    fake = FakeNvml(tmp_path, [board])
    done = joulemark("record", "--meter", "nvml", "--", "sleep", "0.5", env=fake.env)
    assert done.code == 0
    assert done.out == ""
    told = " ".join(done.err.split())
    for words in (
        "sleep 0.5 exit code 0",
        "nvml:0, energy counter, scope gpu:0. Tier C: the device's own telemetry alone.",
        "meter's bound",
        "Device's counter",
        "Processor time",
        "Peak memory",
        "qualified",
    ):
        assert words in told, done.err
    assert "Carbon" not in told


def test_without_any_meter_it_still_measures() -> None:
    done = quietly("--", "sh", "-c", "echo out; echo err >&2; exit 5")
    assert done.code == 5
    assert done.out == "out\n"
    assert done.err.startswith("err\n")
    assert "No energy meter was found" in " ".join(done.err.split())
    assert "Time" in done.err


@pytest.mark.parametrize(
    ("command", "code", "said"),
    [
        (["sh", "-c", "exit 3"], 3, "exit code 3"),
        (["sh", "-c", "kill -KILL $$"], 137, "SIGKILL"),
        (["no-such-program"], 127, "not found"),
        (["/etc/passwd"], 126, "cannot be run"),
        ([""], 127, "not found"),
    ],
)
def test_the_exit_code_is_the_programs(command: list[str], code: int, said: str) -> None:
    done = quietly("--", *command)
    assert done.code == code
    assert said in done.err
    assert "Traceback" not in done.err


def test_standard_input_is_the_programs() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "joulemark.cli", "record", "--meter", "none", "--", "cat"],
        input="through\n",
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == "through\n"


def test_what_the_shell_passes_is_the_programs() -> None:
    record = f"{sys.executable} -m joulemark.cli record --meter none --out /dev/null"
    script = f"{record} -- cat <(echo hello)"
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("hello\n", "")


def test_the_programs_own_options_are_left_to_it() -> None:
    code = "import sys; print(sys.argv[1:])"
    for dashes in (["--"], []):
        done = quietly(
            *dashes, sys.executable, "-c", code, "--debug" if dashes else "--json", "--", "--out", "x"
        )
        assert done.out == f"{['--debug' if dashes else '--json', '--', '--out', 'x']}\n"


def test_a_file_for_the_result(tmp_path: Path) -> None:
    out = tmp_path / "cost.json"
    done = quietly("--json", "--out", out, "--", "sh", "-c", "echo mine >&2")
    assert done.err == "mine\n"
    assert json.loads(out.read_text())["exit_code"] == 0
    done = quietly("--out", tmp_path / "cost.txt", "--", "true")
    assert done.err == ""
    assert "exit code 0" in (tmp_path / "cost.txt").read_text()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--meter", "wattmeter", "--", "touch", "MARK"], "wattmeter"),
        (["--zone", "XXZ", "--", "touch", "MARK"], "XXZ"),
        (["--price", "1,2", "--", "touch", "MARK"], "--usd-per-kwh"),
        (["--out", "/no/such/place", "--", "touch", "MARK"], "/no/such/place"),
        (["--interval", "0", "--", "touch", "MARK"], "--interval"),
        (["--meter", "none"], "COMMAND"),
    ],
)
def test_bad_input_is_told_before_anything_runs(arguments: list[str], said: str, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    done = joulemark("record", *[str(mark) if word == "MARK" else word for word in arguments])
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err
    assert not mark.exists()


def begun(*command: str) -> subprocess.Popen[str]:
    process = start("record", "--meter", "none", "--json", "--", *command)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT", "SIGUSR1"])
def test_signals_are_the_programs_and_the_result_is_told(name: str) -> None:
    setup = f"signal.signal(signal.{name}, lambda *_: sys.exit(42))"
    process = begun(sys.executable, "-c", PATIENT.format(setup=setup))
    process.send_signal(getattr(signal, name))
    _, err = process.communicate(timeout=20)
    assert process.returncode == 42
    assert result(err)["exit_code"] == 42


def test_a_program_that_a_signal_ends() -> None:
    process = begun(sys.executable, "-c", PATIENT.format(setup="pass"))
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=20)
    assert process.returncode == 128 + 15
    assert result(err)["signal"] == 15


def test_ctrl_c_at_a_terminal_reaches_the_program_once(tmp_path: Path) -> None:
    seen, out = tmp_path / "seen", tmp_path / "cost.json"
    code = f"""
import signal, sys, time
def note(*_):
    with open({str(seen)!r}, "a") as file:
        file.write("x")
signal.signal(signal.SIGINT, note)
print("ready", flush=True)
end = time.monotonic() + 1.5
while time.monotonic() < end:
    time.sleep(0.05)
sys.exit(9)
"""
    arguments = ["record", "--meter", "none", "--json", "--out", str(out), "--", sys.executable, "-c", code]
    pid, terminal = pty.fork()
    if not pid:
        os.execv(sys.executable, [sys.executable, "-m", "joulemark.cli", *arguments])
    told = b""
    while b"ready" not in told:
        told += os.read(terminal, 1000)
    os.write(terminal, b"\x03")
    status = os.waitpid(pid, 0)[1]
    os.close(terminal)
    assert os.waitstatus_to_exitcode(status) == 9
    assert seen.read_text() == "x"
    assert json.loads(out.read_text())["exit_code"] == 9


def test_a_reader_that_went_away_does_not_change_the_exit_code() -> None:
    reading, writing = os.pipe()
    process = subprocess.Popen(
        [sys.executable, "-m", "joulemark.cli", "record", "--meter", "none", "--", "sh", "-c", "exit 6"],
        stderr=writing,
    )
    os.close(writing)
    os.close(reading)
    assert process.wait(60) == 6


def test_killed_itself_it_leaves_no_waiting_program(tmp_path: Path) -> None:
    fake = FakeNvml(tmp_path, [FakeBoard(power=[Piece(1.0, 200.0)], counter_period_s=0.05)])
    command = ["sh", "-c", "echo never"]
    process = start("record", "--meter", "nvml", "--", *command, env=fake.env)
    time.sleep(1.0)  # its meter is being tested, for two seconds at least, or it still starts
    process.kill()
    out, _ = process.communicate(timeout=20)
    assert out == ""
