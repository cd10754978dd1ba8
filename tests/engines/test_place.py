"""Where an engine runs: only a process that is seen, and is no forwarder, is called local."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from joulemark.engines.place import locate
from joulemark.meters import listener

NOT_VISIBLE = {"local": "engine_not_visible", "pid": "engine_not_visible"}
FORWARDER = """
import os, socket
open("/proc/self/comm", "w").write("nginx")
server = socket.socket(); server.bind(("127.0.0.1", 0)); server.listen()
print(server.getsockname()[1], flush=True)
input()
"""
# Looks as a user who may not see the files of another; once before that, while all can be imported.
LOOKER = """
import os, sys
from joulemark.engines.place import locate
port = int(sys.argv[1])
assert locate("127.0.0.1", port).local
os.setgid(65534); os.setuid(65534)
place = locate("127.0.0.1", port)
print(place.local, place.pid, sorted(place.reasons.items()))
"""


@pytest.fixture
def port() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_a_process_of_ours_is_local(port: int) -> None:
    place = locate("127.0.0.1", port)
    assert (place.local, place.pid, place.reasons) == (True, os.getpid(), {})


def test_localhost_is_here_though_one_of_its_addresses_is_switched_off(
    port: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = socket.getaddrinfo("127.0.0.1", None, type=socket.SOCK_STREAM)
    off = socket.getaddrinfo("192.0.2.7", None, type=socket.SOCK_STREAM)
    monkeypatch.setattr(listener.socket, "getaddrinfo", lambda *_args, **_kwargs: off + here)
    place = locate("localhost", port)
    assert (place.local, place.pid) == (True, os.getpid())


def test_another_machine_is_remote() -> None:
    place = locate("192.0.2.7", 8000)
    assert (place.local, place.pid, place.reasons) == (False, None, {"pid": "not_local"})


def test_behind_a_forwarder_nothing_is_claimed() -> None:
    command = [sys.executable, "-c", FORWARDER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        place = locate("127.0.0.1", int(process.stdout.readline()))
        process.kill()
    assert (place.local, place.pid, place.reasons) == (None, None, NOT_VISIBLE)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may become another user")
def test_an_owner_out_of_sight_may_be_a_forwarder(port: int) -> None:
    looked = subprocess.run(
        [sys.executable, "-c", LOOKER, str(port)], capture_output=True, text=True, check=False
    )
    assert looked.stdout.strip() == f"None None {sorted(NOT_VISIBLE.items())}", looked.stderr
