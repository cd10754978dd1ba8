"""Whether an engine's port belongs to a process of this machine, and to which."""

from __future__ import annotations

import ipaddress
import socket
from dataclasses import dataclass
from pathlib import Path

from joulemark.record.reason import Reason

# Programs that pass requests on: the engine is somewhere behind them, perhaps on another machine.
_FORWARDERS = frozenset(
    {"ssh", "sshd", "autossh", "socat", "kubectl", "docker-proxy", "rootlessport", "slirp4netns", "pasta"}
    | {"gvproxy", "nginx", "haproxy", "envoy", "caddy", "traefik", "cloudflared", "ngrok", "tailscaled"}
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where an engine runs. ``local`` is null where that cannot be told; each null has its reason."""

    local: bool | None
    pid: int | None
    reasons: dict[str, str]


def locate(host: str, port: int) -> Place:
    """Tell whether ``host:port`` is served by a process of this machine.

    An address of this machine alone is no proof: a tunnel or a container's proxy may listen there. So the
    listening process is looked up, and known forwarders leave the question open.
    """
    if not _address_is_ours(host):
        return Place(False, None, {"pid": str(Reason.NOT_LOCAL)})
    from joulemark.meters.process import listener_pid

    pid = listener_pid(port)
    if pid is None:
        return Place(None, None, dict.fromkeys(("local", "pid"), str(Reason.NOT_PERMITTED)))
    if _program(pid) in _FORWARDERS:
        return Place(None, None, dict.fromkeys(("local", "pid"), str(Reason.ENGINE_UNKNOWN)))
    return Place(True, pid, {})


def _program(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return ""


def _address_is_ours(host: str) -> bool:
    """Tell whether every address of ``host`` is one of this machine's."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return False
    return bool(found) and all(_can_bind(family, str(address[0])) for family, _, _, _, address in found)


def _can_bind(family: int, address: str) -> bool:
    """Tell whether the address is ours: only then the kernel lets a socket be bound to it."""
    if ipaddress.ip_address(address.split("%")[0]).is_loopback:
        return True
    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.bind((address, 0))
    except OSError:
        return False
    return True
