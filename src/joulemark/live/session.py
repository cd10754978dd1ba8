"""The meters that the blocks of a process share: opened at the first block, closed when the process ends."""

from __future__ import annotations

import atexit
import os
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from joulemark.live.meter_set import MeterSet

ENDED = "the process is ending, and no meter is opened any more"
_LEAVE_S = 0.5  # how long the end of the process waits for the sampler
_sets: dict[tuple[str, ...], MeterSet] = {}
_inherited: list[object] = []  # of the parent, in a forked child: they must not be torn down here
_held: dict[int, int] = {}  # since when readings are needed, by the block that needs them
_lock = threading.Lock()
_ended = False


def opened(meters: tuple[str, ...], test_s: float | None = None) -> MeterSet:
    """Return the open set of these meters; the first call opens it, which takes some seconds.

    At the end of the process nothing is opened any more: then it is an empty set, in which they are absent.
    Raises `InputError` for a meter that was named wrongly.
    """
    found = _sets.get(meters)
    if found is not None:
        return found
    with _lock:
        if meters not in _sets:
            from joulemark.live.meter_set import MeterSet

            if _ended:
                return MeterSet.unopened(meters, ENDED)
            _sets[meters] = MeterSet.open(meters, test_s=test_s, needed_from=_needed_from, stand_back=True)
        return _sets[meters]


def hold(block: object, t0_ns: int) -> None:
    """Keep the readings since ``t0_ns`` for a block until it is `release`d."""
    _held[id(block)] = t0_ns


def release(block: object) -> None:
    """Let go of the readings that were kept for a block."""
    _held.pop(id(block), None)


def _needed_from() -> int:
    return min(list(_held.values()), default=time.monotonic_ns())


def close_all() -> None:
    """Close every set; the next block opens its own again."""
    with _lock:
        closing = list(_sets.values())
        _sets.clear()
    for one in closing:
        one.close(_LEAVE_S)


def _at_exit() -> None:
    global _ended
    _ended = True
    close_all()


def _after_fork() -> None:
    global _sets, _held, _lock
    _inherited.append(_sets)
    _sets, _held, _lock = {}, {}, threading.Lock()


atexit.register(_at_exit)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
