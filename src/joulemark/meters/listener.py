"""Which process listens on a local TCP port: the engine behind a URL. Linux."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import Any

from joulemark.meters.process_tree import PROC, all_pids, read_stat

_LISTEN = "0A"  # TCP_LISTEN in include/net/tcp_states.h
_COMM_CHARS = 15  # the kernel cuts a process's name there: TASK_COMM_LEN in include/linux/sched.h
# These hold the port for a process elsewhere: behind a proxy, in a container or a virtual machine, on another
# machine. systemd holds the port of a service that it starts on demand, conmon that of a container.
_FORWARDER_PROGRAMS = """
    apache2 caddy envoy haproxy httpd lighttpd nginx systemd systemd-socket-proxyd traefik
    com.docker.backend conmon docker-proxy gvproxy limactl passt passt.avx2 pasta pasta.avx2
    rootlesskit rootlesskit-docker-proxy rootlessport slirp4netns vpnkit wslrelay
    autossh cloudflared dropbear frpc frps kubectl ncat ngrok socat ssh sshd sshd-session stunnel stunnel4
    tailscaled
"""
FORWARDERS = frozenset(name[:_COMM_CHARS] for name in _FORWARDER_PROGRAMS.split())
"""Names, as the kernel gives them, of programs that only pass a connection on."""


@dataclass(frozen=True, slots=True)
class Listener:
    """The process that holds a listening socket; ``forwards`` where it only passes the connection on."""

    pid: int
    name: str
    forwards: bool


def find_listener(host: str, port: int) -> Listener | None:
    """Return the listening process, forwarders included; null where there is none to be seen."""
    addresses = local_addresses(host)
    if not addresses:
        return None
    inodes = {inode for address, at, inode in _listening() if at == port and _answers(address, addresses)}
    holders = _holders(inodes) if inodes else []
    if not holders:
        return None
    # a server forks its workers with the socket open: the one whose parent does not hold it is the server
    stats = {pid: stat for pid in holders if (stat := read_stat(pid)) is not None}
    heads = [pid for pid, stat in stats.items() if stat.parent not in stats]
    if not heads:
        return None
    pid = min(heads, key=lambda head: (stats[head].start_ticks, head))
    name = stats[pid].name
    return Listener(pid, name, name in FORWARDERS)


_Address = IPv4Address | IPv6Address


def local_addresses(host: str) -> set[_Address]:
    """Return the addresses of ``host`` that are this machine's own; empty: the host is another machine.

    One is enough: a name such as ``localhost`` may have an address that is switched off here (IPv6).
    """
    try:
        answers = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return set()
    return {ip_address(str(answer[4][0]).split("%")[0]) for answer in answers if _is_local(answer)}


def _is_local(answer: tuple[Any, ...]) -> bool:
    """Tell whether an address is one of ours: only those can be bound."""
    with socket.socket(answer[0], socket.SOCK_STREAM) as probe:
        try:
            probe.bind(answer[4])
        except OSError:
            return False
    return True


def _answers(listening: _Address, asked: set[_Address]) -> bool:
    if listening in asked:
        return True
    if listening.is_unspecified:
        # a socket on :: takes IPv4 as well, unless it was told not to
        return listening.version == 6 or any(address.version == 4 for address in asked)
    mapped = listening.ipv4_mapped if isinstance(listening, IPv6Address) else None
    return mapped is not None and mapped in asked


def _listening() -> Iterator[tuple[_Address, int, str]]:
    """Yield address, port and inode of each listening TCP socket (proc_net_tcp(5))."""
    for table in ("tcp", "tcp6"):
        try:
            lines = (PROC / "net" / table).read_text().splitlines()[1:]
        except OSError:
            continue
        for line in lines:
            parts = line.split()
            if len(parts) > 9 and parts[3] == _LISTEN:
                address, _, port = parts[1].partition(":")
                yield _address(address), int(port, 16), parts[9]


def _address(text: str) -> _Address:
    """Parse the kernel's hexadecimal address: 32-bit words in host byte order."""
    raw = bytes.fromhex(text)
    words = [raw[place : place + 4] for place in range(0, len(raw), 4)]
    packed = b"".join(int.from_bytes(word, "big").to_bytes(4, sys.byteorder) for word in words)
    return ip_address(packed)


def _holders(inodes: set[str]) -> list[int]:
    """Return the processes with one of these sockets open, as far as this user may look."""
    wanted = {f"socket:[{inode}]" for inode in inodes}
    return [pid for pid in all_pids() if any(link in wanted for link in _open_files(pid))]


def _open_files(pid: int) -> Iterator[str]:
    try:
        entries = list(os.scandir(PROC / str(pid) / "fd"))
    except OSError:
        return
    for entry in entries:
        try:
            yield os.readlink(entry.path)
        except OSError:
            continue
