"""CPU time of a real process tree, and who listens on a real port."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from joulemark.meters import listener
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.listener import find_listener
from joulemark.meters.process import ProcessSource, process_spec
from joulemark.meters.process_tree import children_of, read_stat
from joulemark.meters.source import SourceLost, SourceSpec

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads Linux's /proc")

BURN = "import time\nwhile time.process_time() < {s}: pass\n"


@contextmanager
def running(code: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def line_of(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline().strip()


def cpu_s(source: ProcessSource) -> float:
    return source.read(0).values["cpu_time_ns"] * 1e-9


def test_cpu_time_of_one_process() -> None:
    with running(BURN.format(s=0.3) + "print(time.process_time(), flush=True); input()") as process:
        source = open_source(process_spec(process.pid))
        assert float(line_of(process)) == pytest.approx(cpu_s(source), abs=0.02)
        reading = source.read(5)
        assert reading.segment == 5
        assert reading.scope == "engine"
        assert 1 < reading.values["rss_mib"] < 1000


def test_clock_ticks_stand_in_where_the_process_clock_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.meters.process._process_clock_ns", lambda _: None)
    with running(BURN.format(s=0.3) + "print(time.process_time(), flush=True); input()") as process:
        source = ProcessSource(process.pid)
        assert float(line_of(process)) == pytest.approx(cpu_s(source), abs=0.05)


def test_threads_that_ended_still_count() -> None:
    code = "import threading,time\n" + "def burn():\n    while time.thread_time() < 0.2: pass\n"
    code += "for _ in range(2):\n    t = threading.Thread(target=burn); t.start(); t.join()\n"
    with running(code + "print('done', flush=True); input()") as process:
        source = ProcessSource(process.pid)
        line_of(process)
        assert cpu_s(source) > 0.38


@pytest.mark.parametrize("reaps", [True, False])
def test_children_that_end_never_turn_the_counter_back(reaps: bool) -> None:
    code = "import signal, subprocess, sys, time\n"
    if not reaps:  # then the kernel adds the child's time to nobody's
        code += "signal.signal(signal.SIGCHLD, signal.SIG_IGN)\n"
    code += "for _ in range(3):\n"
    code += f"    p = subprocess.Popen([sys.executable, '-c', {BURN.format(s=0.3)!r}]); p.wait()\n"
    code += "print('done', flush=True); input()"
    with running(code) as process:
        source = ProcessSource(process.pid)
        done = threading.Event()
        threading.Thread(target=lambda: (line_of(process), done.set()), daemon=True).start()
        seen = []
        while not done.wait(0.02):
            source._next_scan_ns = 0  # look for children at every reading
            seen.append(cpu_s(source))
        seen += [cpu_s(source) for _ in range(3)]
        assert seen == sorted(seen)
        assert 0.85 < seen[-1] < 2.0


def test_a_grandchild_counts() -> None:
    inner = BURN.format(s=0.25) + "input()"
    middle = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {inner!r}])"
    with running(f"import subprocess, sys; subprocess.run([sys.executable, '-c', {middle!r}])") as process:
        deadline_s = time.monotonic() + 20
        source = ProcessSource(process.pid)
        while cpu_s(source) < 0.25:
            source._next_scan_ns = 0
            assert time.monotonic() < deadline_s
            time.sleep(0.02)
        below = children_of([process.pid])
        assert len(below) == 2
        process.kill()
        for pid in below:
            os.kill(pid, 9)


def test_an_ended_process_is_lost() -> None:
    with running("input()") as process:
        source = ProcessSource(process.pid)
        source.read(0)
        process.kill()
        deadline_s = time.monotonic() + 10
        while (stat := read_stat(process.pid)) is not None and not stat.is_zombie:
            assert time.monotonic() < deadline_s
            time.sleep(0.005)
        with pytest.raises(SourceLost, match="process_ended"):
            source.read(0)
        process.wait()
        with pytest.raises(SourceLost, match="process_ended"):
            source.read(0)
    with pytest.raises(SourceLost, match="process_gone"):
        ProcessSource(process.pid)


def test_a_reused_pid_is_another_process() -> None:
    spec = process_spec(os.getpid())
    wrong = SourceSpec("process", {**spec.args, "start_ticks": 1})
    with pytest.raises(SourceLost, match="process_gone"):
        open_source(wrong)


def test_another_system_has_no_process_source(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "platform", "darwin")
    finding = discover(["none"], engine_pid=os.getpid())[0]
    assert finding.spec is None
    assert "Linux" in finding.why


def test_discovery_finds_the_engine() -> None:
    (finding,) = discover(["none"], engine_pid=os.getpid())
    assert finding.spec is not None
    assert finding.info is not None
    assert finding.info.scope.path == "engine"
    (finding,) = discover(["none"], engine_pid=2**22 + 1)
    assert (finding.spec, bool(finding.fix)) == (None, True)


def test_names_with_brackets_and_spaces_are_parsed() -> None:
    code = "open('/proc/self/comm', 'w').write('a) R (b'); print('x', flush=True); input()"
    with running(code) as process:
        line_of(process)
        stat = read_stat(process.pid)
        assert stat is not None
        assert (stat.name, stat.parent) == ("a) R (b", os.getpid())


@pytest.mark.parametrize(
    ("family", "bound", "asked", "answers"),
    [
        (socket.AF_INET, "127.0.0.1", "127.0.0.1", True),
        (socket.AF_INET, "127.0.0.1", "localhost", True),
        (socket.AF_INET, "127.0.0.1", "127.0.0.2", False),
        (socket.AF_INET, "127.0.0.1", "192.0.2.7", False),
        (socket.AF_INET, "127.0.0.1", "no.such.host.invalid", False),
    ],
)
def test_the_listener_of_a_port(family: int, bound: str, asked: str, answers: bool) -> None:
    with socket.socket(family, socket.SOCK_STREAM) as server:
        server.bind((bound, 0))
        server.listen()
        port = server.getsockname()[1]
        found = find_listener(asked, port)
        assert (found.pid if found else None) == (os.getpid() if answers else None)
    assert find_listener(asked, port) is None


def test_a_listener_on_ipv6() -> None:
    if not socket.has_ipv6:
        pytest.skip("no IPv6 here")
    with socket.socket(socket.AF_INET6, socket.SOCK_STREAM) as server:
        try:
            server.bind(("::1", 0))
        except OSError:
            pytest.skip("no IPv6 loopback here")
        server.listen()
        found = find_listener("::1", server.getsockname()[1])
        assert found is not None
        assert found.pid == os.getpid()


def test_of_a_server_and_its_workers_the_server_is_meant() -> None:
    code = (
        "import os, socket\n"
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
        "pid = os.fork()\n"
        "if pid: print(s.getsockname()[1], pid, flush=True)\n"
        "input()\n"
    )
    with running(code) as process:
        port, worker = map(int, line_of(process).split())
        found = find_listener("127.0.0.1", port)
        assert found is not None
        assert found.pid == process.pid
        os.kill(worker, 9)


def test_a_forwarder_is_not_the_engine() -> None:
    code = (
        "import socket\n"
        "open('/proc/self/comm', 'w').write('docker-proxy')\n"
        "s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n"
        "print(s.getsockname()[1], flush=True); input()\n"
    )
    with running(code) as process:
        port = int(line_of(process))
        found = find_listener("127.0.0.1", port)
        assert found is not None
        assert (found.pid, found.name, found.forwards) == (process.pid, "docker-proxy", True)


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("0100007F", "127.0.0.1"),
        ("00000000000000000000000001000000", "::1"),
        ("0000000000000000FFFF00000100007F", "::ffff:127.0.0.1"),
    ],
)
@pytest.mark.skipif(sys.byteorder != "little", reason="the kernel prints words in host order")
def test_the_kernels_addresses(text: str, address: str) -> None:
    assert str(listener._address(text)).replace("::ffff:7f00:1", "::ffff:127.0.0.1") == address
