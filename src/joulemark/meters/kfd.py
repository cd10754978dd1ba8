"""Who computes on AMD GPUs through ROCm: the driver's own list, which needs no permission to be read.

Format: ``/sys/class/kfd/kfd/proc/PID/vram_GPUID`` (bytes) and ``…/queues/N/gpuid`` for each process that has
opened ``/dev/kfd``; ``…/topology/nodes/N/{gpu_id,properties}`` give a GPU's id and PCI address (Linux
drivers/gpu/drm/amd/amdkfd/kfd_process.c and kfd_topology.c). The pids are those of the first pid namespace.
"""

from __future__ import annotations

from pathlib import Path

from joulemark.meters.sysfs import number, sys_root, text


def users(address: str, least_bytes: int) -> dict[int, bool] | None:
    """Return each process known to ROCm and whether it uses the GPU at PCI ``address``.

    It uses it when it has a queue there or holds ``least_bytes`` of its memory. Null where there is no such
    list, or where it does not name this GPU (a container that may not see it).
    """
    root = sys_root() / "class" / "kfd" / "kfd"
    ids = _gpu_ids(root, address)
    try:
        entries = [entry for entry in (root / "proc").iterdir() if entry.name.isdigit()]
    except OSError:
        return None
    if not ids:
        return None
    return {int(entry.name): any(_uses(entry, gpu, least_bytes) for gpu in ids) for entry in entries}


def _gpu_ids(root: Path, address: str) -> set[int]:
    """Return the ids of a GPU: one, or one for each partition of it."""
    try:
        nodes = list((root / "topology" / "nodes").iterdir())
    except OSError:
        return set()
    return {
        gpu_id
        for node in nodes
        if (gpu_id := number(node / "gpu_id")) and _address(node / "properties") == address
    }


def _address(properties: Path) -> str | None:
    facts: dict[str, int] = {}
    for line in (text(properties) or "").splitlines():
        name, _, value = line.partition(" ")
        if name in ("location_id", "domain"):
            try:
                facts[name] = int(value)
            except ValueError:
                return None
    if "location_id" not in facts:
        return None
    location = facts["location_id"]  # bus << 8 | device << 3 | function
    bus, device, function = location >> 8 & 0xFF, location >> 3 & 0x1F, location & 7
    return f"{facts.get('domain', 0):04x}:{bus:02x}:{device:02x}.{function}"


def _uses(process: Path, gpu_id: int, least_bytes: int) -> bool:
    if (number(process / f"vram_{gpu_id}") or 0) >= least_bytes:
        return True
    try:
        queues = list((process / "queues").iterdir())
    except OSError:
        return False
    return any(number(queue / "gpuid") == gpu_id for queue in queues)
