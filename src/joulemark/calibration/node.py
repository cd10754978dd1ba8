"""Which machine this is, without naming it.

A name and a salt are not enough: machines that share a data volume share the salt, and two of them may have
one name. So the hash takes in what the operating system's installation is numbered with, and the processor.
"""

from __future__ import annotations

import platform
from pathlib import Path

from joulemark.meters.machine import processor_name
from joulemark.meters.privacy import hashed, load_salt

EARLIER = "it was made by an earlier version, which knew a machine by its name alone"
_INSTALLATION = ("etc/machine-id", "var/lib/dbus/machine-id")
# Root alone may read it, so it must not count where another number does: `sudo` is no other machine.
_FIRMWARE = "sys/class/dmi/id/product_uuid"
_NONE = frozenset({"", "uninitialized"})


def host_hash(root: Path = Path("/")) -> str:
    """Return the salted hash by which runs name this machine; raises `InputError` without a salt.

    Of its name, its number (`machine_number`) and its processor's model, as far as there are any.
    """
    told = (platform.node(), machine_number(root), processor_name(root / "proc/cpuinfo"))
    return hashed("\n".join(one or "" for one in told), load_salt())


def earlier_host_hash() -> str:
    """Return the hash that earlier versions knew this machine by; raises as `host_hash` does."""
    return hashed(platform.node(), load_salt())


def machine_number(root: Path = Path("/")) -> str | None:
    """Return the number that the system's installation has, else the firmware's; null where neither shows."""
    for place in (*_INSTALLATION, _FIRMWARE):
        try:
            number = (root / place).read_text(errors="replace").strip().lower()
        except OSError:
            continue
        if number not in _NONE and number.strip("0-"):
            return number
    return None
