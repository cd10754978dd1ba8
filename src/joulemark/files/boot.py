"""Which boot of the machine this is."""

from __future__ import annotations

from pathlib import Path

_BOOT_ID = Path("/proc/sys/kernel/random/boot_id")


def boot_id() -> str | None:
    """Return the kernel's boot id, which changes when the monotonic clock starts anew; null if unknown."""
    try:
        return _BOOT_ID.read_text().strip() or None
    except OSError:
        return None
