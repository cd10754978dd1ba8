"""Which machine this is, without naming it."""

from __future__ import annotations

import platform

from joulemark.meters.privacy import hashed, load_salt


def host_hash() -> str:
    """Return the salted hash by which runs name this machine; raises `InputError` without a salt."""
    return hashed(platform.node(), load_salt())
