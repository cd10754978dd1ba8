"""Who uses a GPU that is not NVIDIA's: what the kernel shows of each process's open graphics devices.

A process that opened ``/dev/dri/…`` has a text for it under ``/proc/PID/fdinfo`` (Linux
Documentation/gpu/drm-usage-stats.rst). Having it open proves nothing, for a program that only looks at which
GPUs there are opens all of them; time on an engine does, and so does memory of the size of a model. ROCm
computes past these accounts, so the list of its own driver (`kfd`) is a second witness.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from enum import Enum

from joulemark.meters import drm_place, kfd, process_tree
from joulemark.meters.boards import Placement

# More than a program takes that only opens a device to look at it, less than any model does.
LEAST_BYTES = 32 << 20
_LEAST_BUSY = {"engine": 10_000_000, "cycles": 200_000}  # ns; cycles of xe's 19.2 MHz clock: both about 10 ms

_UNITS = {"": 1, "B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30, "kB": 1 << 10}
_BUSY = re.compile(r"drm-(engine|cycles)-(?!capacity-)")
_MEMORY = re.compile(r"drm-(?:memory|total|resident)-(?!cycles-)|vram mem\Z|gtt mem\Z")


class Use(Enum):
    """What is seen of one process and one GPU."""

    USES = "uses"
    NOT = "does not use"
    UNREADABLE = "its files may not be read"
    UNTOLD = "the driver does not say what it does there"
    GONE = "it has ended"


@dataclass(slots=True)
class _Client:
    """The text of one open graphics device. ``told``: the driver says what the client does with it."""

    address: str | None = None
    told: bool = False
    works: bool = False


@dataclass(slots=True)
class _Open:
    """A process's open graphics devices; ``computes``: it has opened ROCm's device too."""

    clients: list[_Client] = field(default_factory=list)
    computes: bool = False


def drm_placement(address: str, engine_pid: int | None) -> Placement:
    """Tell whether ``engine_pid`` or a descendant uses the GPU at PCI ``address``, and name the others there.

    The others are those that this user may look into, and all that compute through ROCm. Where the engine's
    own files cannot be read, or the driver does not say what it does, the answer is null and ``why`` says so.
    """
    engine = set() if engine_pid is None else {engine_pid, *process_tree.children_of([engine_pid])}
    rocm = kfd.users(address, LEAST_BYTES)
    uses = {pid: _use(pid, address, rocm) for pid in {*process_tree.all_pids(), *engine}}
    on_device = {pid for pid, use in uses.items() if use is Use.USES}
    on_device |= {pid for pid, there in (rocm or {}).items() if there}
    others = tuple(process_tree.label(pid) for pid in sorted(on_device - engine))
    if engine_pid is None:
        return Placement(None, others, "the engine's process is not known")
    if engine & on_device:
        return Placement(True, others)
    if uses[engine_pid] is Use.GONE:
        return Placement(None, others, "the engine's process has ended")
    if any(uses[pid] is Use.UNREADABLE for pid in engine):
        files = process_tree.PROC / str(engine_pid) / "fdinfo"
        return Placement(None, others, f"{files} may be read by the engine's user and by root only")
    if any(uses[pid] is Use.UNTOLD for pid in engine):
        return Placement(None, others, f"the driver {Use.UNTOLD.value.removeprefix('the driver ')}")
    return Placement(False, others, "no process of the engine works on this GPU")


def _use(pid: int, address: str, rocm: dict[int, bool] | None) -> Use:
    try:
        opened = _open_devices(pid)
    except PermissionError:
        return Use.UNREADABLE
    except OSError:
        return Use.GONE
    here = [client for client in opened.clients if client.address in (address, None)]
    if any(client.works and client.address == address for client in here):
        return Use.USES
    if opened.computes and (rocm is None or pid not in rocm):
        return Use.UNTOLD  # ROCm's list is not there, or it is that of another pid namespace
    if any(not client.told or client.address is None for client in here):
        return Use.UNTOLD
    return Use.NOT


def _open_devices(pid: int) -> _Open:
    """Return a process's open graphics devices; raises ``OSError`` where it may not be looked into."""
    place = process_tree.PROC / str(pid)
    found = _Open()
    for descriptor in os.listdir(place / "fd"):
        try:
            target = os.readlink(place / "fd" / descriptor)
        except FileNotFoundError:  # closed meanwhile
            continue
        if target == "/dev/kfd":
            found.computes = True
        elif target.startswith("/dev/dri/"):
            try:
                text = (place / "fdinfo" / descriptor).read_text(errors="replace")
            except FileNotFoundError:
                continue
            client = _client(text)
            client.address = client.address or drm_place.address_of_node(target.removeprefix("/dev/dri/"))
            found.clients.append(client)
    return found


def _client(text: str) -> _Client:
    client = _Client()
    for line in text.splitlines():
        key, colon, value = line.partition(":")
        key, value = key.strip(), value.strip()
        if not colon:
            continue
        if key in ("drm-pdev", "pdev"):  # the second is amdgpu's before Linux 5.19
            client.address = value
        elif busy := _BUSY.match(key):
            client.told = True
            client.works = client.works or (_amount(value) or 0) >= _LEAST_BUSY[busy[1]]
        elif _MEMORY.match(key):
            client.told = True
            client.works = client.works or (_amount(value) or 0) >= LEAST_BYTES
    return client


def _amount(value: str) -> int | None:
    """Return a number of fdinfo: bytes for memory, nanoseconds or cycles else; null for what is none."""
    number, _, unit = value.partition(" ")
    if not (number.isascii() and number.isdigit()):
        return None
    return int(number) * _UNITS.get(unit.strip(), 1)
