"""Whether an engine's port belongs to a process of this machine, and to which."""

from __future__ import annotations

import socket
from dataclasses import dataclass

from joulemark.record.reason import Reason


@dataclass(frozen=True, slots=True)
class Place:
    """Where an engine runs. ``local`` is null where that cannot be told; each null has its reason."""

    local: bool | None
    pid: int | None
    reasons: dict[str, str]


def locate(host: str, port: int) -> Place:
    """Tell whether ``host:port`` is served by a process of this machine.

    An address of this machine alone is no proof: a tunnel or a container's proxy may listen there. So the
    listening process is looked up, and a forwarder leaves the question open.
    """
    if not _address_is_ours(host):
        return Place(False, None, {"pid": str(Reason.NOT_LOCAL)})
    from joulemark.meters.listener import find_listener

    found = find_listener(host, port)
    if found is None:
        return Place(None, None, dict.fromkeys(("local", "pid"), str(Reason.NOT_PERMITTED)))
    if found.forwards:
        return Place(None, None, dict.fromkeys(("local", "pid"), str(Reason.ENGINE_UNKNOWN)))
    return Place(True, found.pid, {})


def _address_is_ours(host: str) -> bool:
    """Tell whether ``host`` has addresses, all of them this machine's: only those can be bound."""
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
        for family, _, _, _, address in found:
            with socket.socket(family, socket.SOCK_STREAM) as probe:
                probe.bind(address)
    except OSError:
        return False
    return bool(found)
