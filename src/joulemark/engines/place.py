"""Whether an engine's port belongs to a process of this machine, and to which."""

from __future__ import annotations

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
    listening process is looked up; one that only forwards, or cannot be seen and so may, leaves the question
    open.
    """
    from joulemark.meters.listener import find_listener, local_addresses

    if not local_addresses(host):
        return Place(False, None, {"pid": str(Reason.NOT_LOCAL)})
    found = find_listener(host, port)
    if found is None or found.forwards:
        return Place(None, None, dict.fromkeys(("local", "pid"), str(Reason.ENGINE_NOT_VISIBLE)))
    return Place(True, found.pid, {})
