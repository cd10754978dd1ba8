"""Whose port it is: addresses of this machine, forwarders, owners out of sight."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
from collections.abc import Iterator

import pytest

from joulemark.meters import listener
from joulemark.meters.listener import FORWARDERS, find_listener, local_addresses

LISTENING = """
import os, socket, sys
open("/proc/self/comm", "w").write(sys.argv[1])
server = socket.socket()
server.bind(("127.0.0.1", 0))
server.listen()
print(server.getsockname()[1], flush=True)
input()
"""


@contextlib.contextmanager
def listening_as(name: str) -> Iterator[int]:
    command = [sys.executable, "-c", LISTENING, name]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield int(process.stdout.readline())
        finally:
            process.kill()


def test_a_name_with_one_address_that_is_ours_is_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``localhost`` where IPv6 is off: ``::1`` is in the hosts file and cannot be bound."""
    asked = socket.getaddrinfo("127.0.0.1", None, type=socket.SOCK_STREAM)
    unbindable = socket.getaddrinfo("192.0.2.7", None, type=socket.SOCK_STREAM)
    monkeypatch.setattr(listener.socket, "getaddrinfo", lambda *_args, **_kwargs: unbindable + asked)
    assert {str(address) for address in local_addresses("localhost")} == {"127.0.0.1"}


@pytest.mark.parametrize("host", ["192.0.2.7", "no.such.host.invalid", ""])
def test_another_machine_has_no_address_here(host: str) -> None:
    assert local_addresses(host) == set()


@pytest.mark.parametrize(
    "program",
    [
        *("nginx", "haproxy", "envoy", "traefik", "caddy", "cloudflared", "ngrok", "autossh", "gvproxy"),
        *("kubectl", "docker-proxy", "rootlessport", "rootlesskit", "slirp4netns", "pasta", "ssh", "sshd"),
        *("sshd-session", "socat", "wslrelay", "tailscaled", "systemd-socket-proxyd", "com.docker.backend"),
    ],
)
def test_a_forwarder_is_known_by_the_name_that_the_kernel_shows(program: str) -> None:
    assert program[:15] in FORWARDERS


def test_a_long_name_is_cut_by_the_kernel_and_still_known() -> None:
    with listening_as("rootlesskit-docker-proxy") as port:
        found = find_listener("127.0.0.1", port)
    assert found is not None
    assert (found.name, found.forwards) == ("rootlesskit-doc", True)


def test_an_engine_is_no_forwarder() -> None:
    for name in ("llama-server", "python3", "ollama", "VLLM::EngineCor", "sglang::schedul"):
        assert name not in FORWARDERS
    with listening_as("llama-server") as port:
        found = find_listener("127.0.0.1", port)
    assert found is not None
    assert not found.forwards
    assert found.pid != os.getpid()
