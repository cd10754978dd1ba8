"""On which of the metered boards the engine's process is, as far as drivers and the kernel show it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from joulemark.meters.boards import Board, Placement, boards, placement
from joulemark.meters.drm_board import drm_board
from joulemark.meters.drm_clients import drm_placement
from joulemark.meters.drm_place import pci_address
from joulemark.record.errors import InputError
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope

_BY_ADDRESS = frozenset({"hwmon", "zeus"})  # kinds that meter cards by their place on the PCI bus


@dataclass(frozen=True, slots=True)
class MeteredBoard:
    """A board that a source measures as ``scope``, and whether the engine was seen on it."""

    scope: Scope
    board: Board
    place: Placement


def metered_boards(sources: Iterable[SourceInfo], engine_pid: int | None) -> list[MeteredBoard]:
    """Return each board that one of ``sources`` measures and that can be looked at, with the engine's place.

    NVIDIA's boards by NVML, other cards by what the kernel shows of their users. A board that is left out
    cannot be looked at: nothing is known of who is on it.
    """
    nvidia = {board.uuid: board for board in boards()}
    found = []
    for info in sources:
        address = pci_address(info.scope) if info.kind in _BY_ADDRESS else None
        if address is not None:
            if (card := drm_board(address)) is not None:
                found.append(MeteredBoard(info.scope, card, drm_placement(address, engine_pid)))
        elif (board := nvidia.get(info.device_id or "")) is not None:
            found.append(MeteredBoard(info.scope, board, placement(board.uuid, engine_pid)))
    return found


def require_boards(indices: Iterable[int], *, measured: bool = True) -> None:
    """Raise `InputError` for an index of NVML's that no board here has; ``measured``: meters are read."""
    wanted = list(indices)
    there = {board.index for board in boards()} if wanted and measured else set()
    for index in wanted:
        if index not in there:
            raise InputError(
                f"--board {index} is not measured here",
                why=f"this machine's boards are {sorted(there)}" if measured else "no meter is read",
                fix="`joulemark doctor` lists them",
            )
