"""One life of the sampler process: how it begins, what goes wrong then, and what is left when it is over."""

from __future__ import annotations

import gc
import os
import resource
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from joulemark.meters.source import SourceSpec
from joulemark.record.errors import InputError
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.scope import Scope
from joulemark.telemetry import link as link_module
from joulemark.telemetry.link import SamplerLink
from joulemark.telemetry.supervisor import Sampler
from joulemark.telemetry.wire import SamplerConfig

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def config(tmp_path: Path) -> SamplerConfig:
    return SamplerConfig(str(tmp_path / "telemetry.jsonl"), 0, os.getpid(), ())


def open_files() -> int:
    return len(os.listdir("/proc/self/fd"))


def left_open() -> int:
    """Count them once what nobody holds any more is gone: a mapping keeps its file."""
    gc.collect()
    return open_files()


def wait_for(condition: Callable[[], bool], timeout_s: float = 10.0) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        time.sleep(0.01)


def others(tmp_path: Path) -> list[Path]:
    """Files that are opened after a sampler is gone, by whoever: they get the numbers that were its own."""
    paths = [tmp_path / f"items{i}.jsonl" for i in range(12)]
    fds = [os.open(path, os.O_CREAT | os.O_WRONLY) for path in paths]
    _opened.extend(fds)
    return paths


_opened: list[int] = []


@pytest.fixture(autouse=True)
def closed_again() -> object:
    yield
    while _opened:
        os.close(_opened.pop())


def test_who_is_stopped_twice_writes_into_nobody_elses_file(tmp_path: Path) -> None:
    sampler = Sampler.start([], tmp_path / "telemetry.jsonl", 0)
    sampler.stop()
    paths = others(tmp_path)
    sampler.stop()
    sampler.mark(1)
    sampler.edge()
    assert [path.read_bytes() for path in paths] == [b""] * len(paths)


def test_a_sampler_that_was_given_up_writes_into_nobody_elses_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joulemark.telemetry.supervisor.MAX_RESTARTS", 0)
    sampler = Sampler.start([], tmp_path / "telemetry.jsonl", 0)
    assert sampler.pid is not None
    os.kill(sampler.pid, 9)
    wait_for(lambda: sampler.health.gave_up)
    paths = others(tmp_path)
    sampler.stop()
    assert [path.read_bytes() for path in paths] == [b""] * len(paths)


def test_a_process_that_was_reaped_has_no_number_any_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settled = []
    monkeypatch.setattr(os, "sched_setscheduler", lambda pid, *_: settled.append(pid))
    link = SamplerLink(config(tmp_path))
    pid = link.pid
    link.stand_back()
    assert settled == [pid]
    link.tell_stop()
    assert [event["event"] for event in link.events()][-1] == "done"
    link.reap()
    assert link.pid is None
    link.stand_back()
    assert settled == [pid]


def test_a_start_that_fails_for_want_of_files_leaves_none_open(tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    before, failed = open_files(), 0
    for limit in range(before, before + 60):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(limit, soft), hard))
        try:
            link = SamplerLink(config(tmp_path))
        except OSError:
            failed += 1
        else:
            link.kill()
            link.reap()
            break
        finally:
            resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
        assert left_open() == before
    assert failed >= 5


def large(length: int) -> list[tuple[SourceSpec, QualifiedSource]]:
    info = SourceInfo("large", "rapl", Scope("wall"), ())
    spec = SourceSpec("rapl", {"root": "/nonexistent/" + "x" * length, "domain": "package-0"})
    return [(spec, QualifiedSource(info, Qualification(Trust.QUALIFIED)))]


@pytest.mark.parametrize("length", [1_000, 200_000])  # a pipe holds 64 KiB
def test_a_configuration_of_any_length_is_handed_over(tmp_path: Path, length: int) -> None:
    with Sampler.start(large(length), tmp_path / "telemetry.jsonl", 0, timeout_s=10) as sampler:
        wait_for(lambda: "large" in sampler.latest())
        assert sampler.latest()["large"].flags[0].startswith("lost:")


def test_a_process_that_takes_no_configuration_is_ended_and_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deaf = tmp_path / "deaf"
    deaf.write_text("#!/bin/sh\nexec sleep 60\n")
    deaf.chmod(0o755)
    monkeypatch.setattr(link_module.sys, "executable", str(deaf))
    monkeypatch.setattr(link_module, "CONFIG_TIMEOUT_S", 0.2)
    before, begin_s = open_files(), time.monotonic()
    with pytest.raises(InputError) as caught:
        Sampler.start(large(200_000), tmp_path / "telemetry.jsonl", 0)
    assert "configuration" in caught.value.why
    assert time.monotonic() - begin_s < 20
    del caught
    assert left_open() == before
