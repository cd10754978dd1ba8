"""The kernel's resource limits, each at most what the hard limit allows."""

from __future__ import annotations

import resource
import sys
from collections.abc import Mapping


def limit(limits: Mapping[str, int]) -> None:
    """Set limits by name. One that this system does not know, or does not keep, is left out.

    Raises ``OSError`` where Linux refuses one.
    """
    for name, wanted in limits.items():
        which = getattr(resource, name, None)
        if which is None:
            continue
        _, hard = resource.getrlimit(which)
        value = wanted if hard == resource.RLIM_INFINITY else min(wanted, hard)
        try:
            resource.setrlimit(which, (value, value))
        except (OSError, ValueError):
            if sys.platform == "linux":
                raise
