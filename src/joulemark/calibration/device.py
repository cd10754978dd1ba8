"""Which sources see the part of the machine that runs the model."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from joulemark.meters.boards import boards, placement
from joulemark.record.meter import QualifiedSource

_BOARDS, _PROCESSORS = ("gpu", "module"), ("package", "soc")


def device_sources(
    sources: Sequence[QualifiedSource],
    *,
    engine_pid: int | None,
    engine_local: bool | None,
    on_processor: bool,
    declared: Collection[int] = (),
) -> tuple[list[QualifiedSource], str]:
    """Return the sources of the device, disjoint, and where there are none a sentence that says why.

    The order is that of a run's headline: what a replayed trace says, boards declared by index, boards that
    list the engine's process, processors where the engine is local and no board may run it.
    """
    replayed = [source for source in sources if source.info.kind == "replay"]
    if replayed:
        return _disjoint(replayed), ""
    of_boards = [s for s in sources if s.info.scope.kind in _BOARDS and not on_processor]
    indices = {board.uuid: board.index for board in boards()} if declared else {}
    chosen = [s for s in of_boards if indices.get(s.info.device_id or "") in declared] if declared else []
    if chosen:
        return _disjoint(chosen), ""
    places = {
        s.info.name: placement(s.info.device_id, engine_pid).engine_on_device
        for s in of_boards
        if s.info.device_id is not None
    }
    seen = [s for s in of_boards if places.get(s.info.name) is True]
    if seen:
        return _disjoint(seen), ""
    unknown = [s.info.scope.label for s in of_boards if places.get(s.info.name) is None]
    if unknown:
        why = f"whether the engine runs on {', '.join(unknown)} could not be seen: declare it with --board"
        return [], why
    if engine_local is not True:
        return [], "the engine's process could not be seen on this machine"
    processors = [s for s in sources if s.info.scope.kind in _PROCESSORS]
    return _disjoint(processors), "" if processors else "no meter sees the processors, which run the engine"


def _disjoint(sources: Sequence[QualifiedSource]) -> list[QualifiedSource]:
    """Leave out a source whose scope another one holds, or shows too."""
    kept: list[QualifiedSource] = []
    for source in sorted(sources, key=lambda one: (one.info.scope.path.count("/"), one.info.name)):
        if not any(source.info.scope.overlaps(other.info.scope) for other in kept):
            kept.append(source)
    return kept
