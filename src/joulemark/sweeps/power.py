"""Points under a power limit: it is set for as long as they are measured, and put back whatever happens."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator, Sequence

from joulemark.calibration.lock import calibration_lock
from joulemark.calibration.power_limits import NVML, PowerLimit, power_limits, set_limit_w
from joulemark.calibration.restore import held_limits
from joulemark.record.errors import InputError
from joulemark.record.scope import Scope

_SETTLE_S = 1.0  # for a device to follow its limit


def limits_for(devices: Sequence[str], boards: Sequence[int]) -> list[PowerLimit]:
    """Return the limits of the devices that run the engine.

    They are the boards that it was given (``devices``, as ``CUDA_VISIBLE_DEVICES`` has them) or that were
    declared (``boards``); else all boards, and the processor's packages where there is none.
    """
    found = power_limits()
    of_boards = [limit for limit in found if limit.kind == NVML]
    chosen = {Scope.gpu(int(name)).path for name in devices if name.isdecimal()}
    chosen |= {Scope.gpu(index).path for index in boards}
    if chosen or any(not name.isdecimal() for name in devices):
        return [limit for limit in of_boards if limit.scope in chosen or limit.address in devices]
    return of_boards or found


@contextlib.contextmanager
def power_limit(watts: float | None, devices: Sequence[str], boards: Sequence[int]) -> Iterator[None]:
    """Hold every device at ``watts`` in the body; null changes nothing.

    Raises `InputError` where there is no limit to set, it is outside what the device allows, is shared by
    other users, or may not be set.
    """
    if watts is None:
        yield
        return
    limits = limits_for(devices, boards)
    what = f"the power limit cannot be set to {watts:g} W"
    if not limits:
        raise InputError(what, why="no device here has a power limit that can be read")
    for one in limits:
        if one.is_shared:
            raise InputError(what, why=f"{Scope(one.scope).label} is shared with others (MIG)")
        low, high = one.lowest_w, one.highest_w
        if (low is not None and watts < low) or (high is not None and watts > high):
            raise InputError(what, why=f"{Scope(one.scope).label} allows {low:g} to {high:g} W")
    with calibration_lock(), held_limits(limits, [[watts]] * len(limits)):
        for one in limits:
            set_limit_w(one.kind, one.address, watts)
        time.sleep(_SETTLE_S)
        yield
