"""Servers that are really started: ready ones, dead ones, silent ones, and those that leave children."""

from __future__ import annotations

import asyncio
import functools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Coroutine
from pathlib import Path

import pytest

from doubles.started_server import COMMAND
from joulemark.engines.launch.launched import LaunchedEngine, LaunchOptions
from joulemark.engines.launch.program import split_command
from joulemark.engines.launch.settings import LaunchSettings
from joulemark.engines.launch.vllm import Vllm
from joulemark.meters.process_tree import children_of, read_stat
from joulemark.record.errors import InputError

PROGRAM = split_command(COMMAND, "--server-command")


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def in_a_loop(test: Callable[[Path], Coroutine[None, None, None]]) -> Callable[[Path], None]:
    """Run a test on an event loop of its own."""

    @functools.wraps(test)
    def run(tmp_path: Path) -> None:
        asyncio.run(test(tmp_path))

    return run


def engine(tmp_path: Path, stand_in: str = "", **options: float) -> LaunchedEngine:
    flags = {"stand-in": stand_in} if stand_in else {}
    settings = LaunchSettings(model="org/stand-in", max_batch=4, flags=flags)
    chosen = LaunchOptions(program=PROGRAM, **options)  # type: ignore[arg-type]
    return LaunchedEngine(Vllm(), settings, chosen, log_dir=tmp_path / "logs")


def alive(pids: list[int]) -> list[int]:
    return [pid for pid in pids if (stat := read_stat(pid)) is not None and not stat.is_zombie]


def left_after_a_while(pids: list[int]) -> list[int]:
    end = time.monotonic() + 10
    while alive(pids) and time.monotonic() < end:
        time.sleep(0.05)
    return alive(pids)


async def until_dead(one: LaunchedEngine) -> None:
    end = time.monotonic() + 10
    while not one.died() and time.monotonic() < end:
        await asyncio.sleep(0.05)
    assert one.died()


@in_a_loop
async def test_it_answers_and_says_what_it_was_started_with(tmp_path: Path) -> None:
    one = engine(tmp_path)
    await one.start()
    try:
        facts = one.describe()
        assert facts.kind == "vllm"
        assert facts.model == "org/stand-in"
        assert facts.flags["max_batch"] == 4
        assert facts.flags["launch"] == (
            f"{Path(sys.executable).name} started_server.py serve org/stand-in "
            "--host 127.0.0.1 --port PORT --max-num-seqs 4"
        )
        assert one.pid() is not None
        assert not one.died()
        assert one.log_path is not None
        assert "loading org/stand-in" in one.log_path.read_text()
        pids = [one.pid() or 0]
    finally:
        await one.stop()
    assert alive(pids) == []
    assert one.pid() is None


@in_a_loop
async def test_one_that_dies_is_noticed_at_once_with_the_end_of_its_log(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(InputError, match="ended before it was ready") as raised:
        await engine(tmp_path, "dies").start()
    assert time.monotonic() - began < 10
    assert "RuntimeError: no such architecture" in raised.value.why
    assert "ended with code 3" in raised.value.why


@in_a_loop
async def test_one_that_never_gets_healthy_is_given_up_and_ended(tmp_path: Path) -> None:
    one = engine(tmp_path, "never-healthy", start_deadline_s=1.5)
    before = set(children_of([os.getpid()]))
    with pytest.raises(InputError, match=r"not healthy after 2 s.*status 503"):
        await one.start()
    assert alive(sorted(set(children_of([os.getpid()])) - before)) == []


@in_a_loop
async def test_all_that_it_started_is_ended(tmp_path: Path) -> None:
    """Children in its group and out of it, orphans, and those that do not hear SIGTERM."""
    one = engine(tmp_path, "forks", grace_s=1.0)
    before = set(children_of([os.getpid()]))
    await one.start()
    started = sorted(set(children_of([os.getpid()])) - before)
    assert len(alive(started)) >= 6, "guard, server, two children, a session and an orphan"
    await one.stop()
    assert alive(started) == []


@in_a_loop
async def test_one_that_ignores_sigterm_is_killed_after_its_grace(tmp_path: Path) -> None:
    one = engine(tmp_path, "stubborn", grace_s=0.5)
    await one.start()
    pid = one.pid()
    assert pid is not None
    began = time.monotonic()
    await one.stop()
    assert 0.4 < time.monotonic() - began < 6
    assert alive([pid]) == []


@in_a_loop
async def test_one_that_dies_later_is_seen_to_be_dead(tmp_path: Path) -> None:
    one = engine(tmp_path)
    await one.start()
    try:
        pid = one.pid()
        assert pid is not None
        os.kill(pid, signal.SIGKILL)
        await until_dead(one)
        assert one.log_path is not None
        assert "was ended by signal 9" in one.log_path.read_text()
    finally:
        await one.stop()


@in_a_loop
async def test_a_program_that_cannot_be_run_is_told(tmp_path: Path) -> None:
    options = LaunchOptions(program=("/does/not/exist",))
    one = LaunchedEngine(Vllm(), LaunchSettings(model="m"), options, log_dir=tmp_path)
    with pytest.raises(InputError, match="No such file"):
        await one.start()


@in_a_loop
async def test_cancelling_the_start_ends_the_server(tmp_path: Path) -> None:
    one = engine(tmp_path, "never-healthy")
    before = set(children_of([os.getpid()]))
    task = asyncio.create_task(one.start())
    while len(started := set(children_of([os.getpid()])) - before) < 2:
        await asyncio.sleep(0.02)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert left_after_a_while(sorted(started)) == []


def test_killing_the_program_ends_the_servers(tmp_path: Path) -> None:
    """``kill -9`` of the measuring program leaves no server behind, nor its children."""
    code = f"""
import asyncio, time
from pathlib import Path
from joulemark.engines.launch.launched import LaunchedEngine, LaunchOptions
from joulemark.engines.launch.settings import LaunchSettings
from joulemark.engines.launch.vllm import Vllm
async def main():
    settings = LaunchSettings(model="m", flags={{"stand-in": "forks"}})
    options = LaunchOptions(program={PROGRAM!r}, grace_s=1.0)
    await LaunchedEngine(Vllm(), settings, options, log_dir=Path({str(tmp_path)!r})).start()
    print("up", flush=True)
    time.sleep(600)
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"up\n"
        started = children_of([process.pid])
        assert len(alive(started)) >= 6
        process.kill()
        process.wait()
    assert left_after_a_while(started) == []


@in_a_loop
async def test_two_starts_of_one_command_are_one_server_to_the_record(tmp_path: Path) -> None:
    """Its port differs, and it does not say which weights it holds; its command does."""
    origins = []
    for batch in (4, 4, 8):
        settings = LaunchSettings(model="org/stand-in", max_batch=batch)
        one = LaunchedEngine(Vllm(), settings, LaunchOptions(program=PROGRAM), log_dir=tmp_path)
        await one.start()
        origins.append(one.endpoint.origin)
        await one.stop()
    assert origins[0] == origins[1] != origins[2]


@in_a_loop
async def test_roles_are_started_together_and_their_devices_recorded(tmp_path: Path) -> None:
    settings = LaunchSettings(
        model="org/stand-in", prefill_instances=1, decode_instances=1, devices=("0", "1"), max_batch=2
    )
    proxy = f"{COMMAND} org/stand-in --port {{port}} --prefill {{prefill}} --decode {{decode}}"
    router = split_command(proxy, "--router-command")
    one = LaunchedEngine(Vllm(), settings, LaunchOptions(program=PROGRAM, router=router), log_dir=tmp_path)
    await one.start()
    try:
        flags = one.describe().flags
        assert (flags["prefill_devices"], flags["decode_devices"]) == ("0", "1")
        assert (flags["prefill_instances"], flags["decode_instances"]) == (1, 1)
        assert str(flags["launch"]).count("started_server.py") == 3
        assert "--decode http://127.0.0.1:PORT" in str(flags["launch"])
        pid = one.pid()
        assert pid is not None
        servers = alive(children_of([pid]))
        assert len(servers) == 3, "all roles are below the process that is metered"
        logs = {path.name for path in tmp_path.glob("*.log")}
        assert logs >= {"prefill-0.log", "decode-0.log", "engine.log"}
        os.kill(servers[0], signal.SIGKILL)
        assert left_after_a_while(servers) == [], "without one role the others are of no use"
        await until_dead(one)
    finally:
        await one.stop()
