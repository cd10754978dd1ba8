"""Which devices a server gets."""

from __future__ import annotations

import os
from collections.abc import Sequence

from joulemark.engines.launch.command import VISIBLE
from joulemark.engines.launch.settings import CannotLaunch, LaunchSettings


def visible_devices() -> tuple[str, ...]:
    """Return the NVIDIA devices that this environment shows, as ``CUDA_VISIBLE_DEVICES`` names them."""
    named = os.environ.get(VISIBLE)
    if named is not None:
        return tuple(part.strip() for part in named.split(",") if part.strip())
    from joulemark.meters.boards import boards

    return tuple(str(board.index) for board in boards())


def devices_named(name: str) -> tuple[str, ...]:
    """Return the visible boards whose model's name holds ``name``, whatever the case.

    Raises `CannotLaunch` where there is none.
    """
    from joulemark.meters.boards import boards

    found = boards()
    visible = visible_devices()
    fitting = [
        str(board.index)
        for board in found
        if board.name is not None
        and name.casefold() in board.name.casefold()
        and (str(board.index) in visible or board.uuid in visible)
    ]
    if not fitting:
        here = ", ".join(dict.fromkeys(board.name or "an unnamed board" for board in found))
        raise CannotLaunch(f"there is no {name} on this machine", why=f"there is {here or 'no NVIDIA board'}")
    return tuple(fitting)


def server_devices(settings: LaunchSettings) -> tuple[str, ...]:
    """Return the devices of a single server; empty leaves it all that the environment shows.

    Raises `CannotLaunch` where fewer were named than it takes.
    """
    if not settings.devices:
        return ()
    wanted = settings.devices_each
    if len(settings.devices) < wanted:
        raise CannotLaunch(
            f"the server takes {wanted} devices",
            why=f"there are {len(settings.devices)}: tensor × pipeline parallel is {wanted}",
        )
    return settings.devices[:wanted]


def split_devices(settings: LaunchSettings) -> list[tuple[str, ...]]:
    """Return the devices of each prefill, then of each decode instance; none is shared.

    Raises `CannotLaunch` where there are too few.
    """
    each = settings.devices_each
    instances = (settings.prefill_instances or 0) + (settings.decode_instances or 0)
    devices: Sequence[str] = settings.devices or visible_devices()
    if len(devices) < each * instances:
        raise CannotLaunch(
            f"{settings.prefill_instances}P{settings.decode_instances}D takes {each * instances} devices",
            why=f"there are {len(devices)}, and each of the {instances} instances has {each} of its own",
        )
    return [tuple(devices[k * each : (k + 1) * each]) for k in range(instances)]
