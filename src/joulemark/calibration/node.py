"""Which machine this is, without naming it, and which boot of it."""

from __future__ import annotations

import platform
from pathlib import Path

from joulemark.meters.privacy import hashed, load_salt

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def host_hash() -> str:
    """Return the salted hash by which runs name this machine; raises `InputError` without a salt."""
    return hashed(platform.node(), load_salt())


def boot_id() -> str | None:
    """Return the kernel's boot id; null where there is none. A power limit does not outlive a boot."""
    try:
        return _BOOT_ID.read_text().strip() or None
    except OSError:
        return None
