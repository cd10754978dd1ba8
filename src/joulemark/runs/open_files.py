"""How many connections this process may hold at once: each is an open file."""

from __future__ import annotations

import contextlib
import sys

_ENOUGH = 16_384
_OTHERS = 256  # journals, libraries, the listener's pages
_UNKNOWN = 400  # where the system does not say


def connections_at_once() -> int:
    """Return how many connections may be open together, after asking the system for as many as it allows."""
    if sys.platform == "win32":
        return _UNKNOWN
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _ENOUGH + _OTHERS if hard == resource.RLIM_INFINITY else min(hard, _ENOUGH + _OTHERS)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return _ENOUGH if soft == resource.RLIM_INFINITY else max(1, min(soft - _OTHERS, _ENOUGH))
