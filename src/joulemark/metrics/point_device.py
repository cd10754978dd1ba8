"""Which devices ran the model of a run, by name and number, as far as it is known."""

from __future__ import annotations

from typing import TYPE_CHECKING

from joulemark.record.energy import MeasuredEnergy
from joulemark.record.scope import WALL_KINDS

if TYPE_CHECKING:
    from joulemark.metrics.run_view import RunView

UNKNOWN_DEVICE = "The device is not known: nothing says what ran the model."
_BOARDS = frozenset({"gpu", "module"})
_MACHINE = frozenset({"package", "soc", "psys", "core"})


def point_devices(run: RunView) -> tuple[str | None, int | None]:
    """Return the boards that ran the model, else those that were metered for it, else the processor.

    The processor of this machine stands for the device only where its own joules lead, or where there are
    none, no board, and an engine on this machine: a client's processor is not what ran a model elsewhere.
    """
    manifest = run.manifest
    boards = {board.uuid_hash: board.name for board in manifest.devices if board.engine_on_device}
    if boards:
        return _named([name for name in boards.values() if name is not None], len(boards))
    here, chip = manifest.engine.local, manifest.host.cpu_model
    processor = (chip, None if chip is None else 1)
    energy = run.headline_energy
    if not isinstance(energy, MeasuredEnergy):
        return processor if here and not manifest.devices else (None, None)
    kinds = {scope.kind for scope in energy.scopes}
    if kinds <= _BOARDS:
        leading = set(energy.source.split("+"))
        metered = {one.info.name: one.info for one in run.sources if one.info.name in leading}
        names = [info.device_name for info in metered.values() if info.device_name is not None]
        return _named(names, len(energy.scopes)) if names else (None, None)
    if (kinds <= _MACHINE and here is not False) or (kinds <= {*_MACHINE, *WALL_KINDS} and here):
        return processor
    return None, None


def _named(names: list[str], number: int) -> tuple[str | None, int]:
    return (" + ".join(sorted(set(names))) or None), number
