"""Which joules are the headline: those of the part of the machine that runs the model, and no other.

A meter outside (wall, power supply) is a reference beside it, and leads only where the device has no source.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from joulemark.meters.notes import MIG_SHARED, VGPU_SHARED, has_note
from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

_BOARDS = frozenset({"gpu", "module"})
PROCESSORS = frozenset({"package", "soc"})
OUTSIDE = ("wall", "psu")


@dataclass(frozen=True, slots=True)
class Headline:
    """The sources of the headline, by name, or the reason why there is none; ``notes`` are caveats."""

    sources: tuple[str, ...]
    reason: Reason | None = None
    notes: tuple[str, ...] = ()


def choose_headline(
    sources: Sequence[QualifiedSource],
    *,
    engine_local: bool | None,
    on_board: Mapping[str, bool | None],
    declared: Set[str] = frozenset(),
    on_processor: bool = False,
) -> Headline:
    """Choose by evidence.

    ``engine_local``: whether the engine is a process of this machine (null: cannot be told).
    ``on_board``: for each board's scope path, whether the engine's process was seen on it (null: the driver
    does not say). ``declared``: scope paths of boards that the user declares to run it. ``on_processor``: the
    engine itself says that it uses no board. Boards that run the engine come first; then the processor
    packages, when the engine is local and every board denies it; then one meter outside, when there is no
    source of the processors either. A board that cannot say withholds: its joules may be an idle board's. A
    replayed trace is taken at its word, for it says that it is one.
    """
    believed = [source for source in sources if source.qualification.trust is not Trust.ABSENT]
    replayed = [source for source in believed if source.info.kind == "replay"]
    if replayed:
        inside = [source for source in replayed if source.info.scope.kind not in OUTSIDE]
        return Headline(_antichain(believed, [source.info.name for source in inside or replayed]))
    if not believed:
        return Headline((), Reason.METER_NOT_QUALIFIED if sources else Reason.NO_METER)
    if declared:
        boards = [source.info.name for source in believed if source.info.scope.path in declared]
        note = "that the engine runs on the measured board was declared with --board, not seen"
        return Headline(_antichain(believed, boards), notes=(note,))
    if engine_local is False:
        return Headline((), Reason.ENGINE_REMOTE)
    kinds = frozenset() if on_processor else _BOARDS
    boards = [
        source.info.name
        for source in believed
        if source.info.scope.kind in kinds and not _is_module_sensor(source)
    ]
    scope_of = {source.info.name: source.info.scope.path for source in believed}
    seen = [name for name in boards if on_board.get(scope_of[name]) is True]
    shared = {source.info.name for source in believed if _is_shared(source)}
    if shared.intersection(seen):
        # the whole board's energy is that of all its instances, and of none of them
        return Headline((), Reason.SHARED_DEVICE)
    if seen:
        unknown = [name for name in boards if on_board.get(scope_of[name]) is None]
        note = f"whether {', '.join(unknown)} runs the engine too could not be seen: joules may be missing"
        return Headline(_antichain(believed, seen), notes=(note,) if unknown else ())
    if engine_local is None or any(on_board.get(scope_of[name]) is None for name in boards):
        return Headline((), Reason.ENGINE_NOT_VISIBLE)
    packages = [source.info.name for source in believed if source.info.scope.kind in PROCESSORS]
    if packages:
        return Headline(_antichain(believed, packages))
    outside = _outside(believed)
    if outside is not None:
        note = f"no meter of the part that runs the model was found: the joules are all that {outside} saw"
        return Headline((outside,), notes=(note,))
    return Headline((), Reason.ENGINE_NOT_ON_DEVICE if boards else Reason.NO_METER)


def _is_module_sensor(source: QualifiedSource) -> bool:
    """Tell whether a firmware shows a socket with all on it: a witness beside the module's own meters."""
    return source.info.kind == "hwmon" and source.info.scope.kind == "module"


def _is_shared(source: QualifiedSource) -> bool:
    return any(has_note(source.info, code) for code in (MIG_SHARED, VGPU_SHARED))


def _outside(believed: Sequence[QualifiedSource]) -> str | None:
    """Return the meter outside that is believed most: wall before supply, an analyzer, a register, power."""
    found = [source for source in believed if source.info.scope.kind in OUTSIDE]
    found.sort(
        key=lambda source: (
            source.qualification.trust is not Trust.QUALIFIED,
            OUTSIDE.index(source.info.scope.kind),
            source.info.kind != "analyzer",
            not source.info.is_register,
            source.info.name,
        )
    )
    return found[0].info.name if found else None


def _antichain(sources: Sequence[QualifiedSource], names: Sequence[str]) -> tuple[str, ...]:
    """Leave out a source whose scope another chosen one holds already."""
    scopes: dict[str, Scope] = {s.info.name: s.info.scope for s in sources if s.info.name in names}
    chosen: list[str] = []
    for name in sorted(scopes, key=lambda name: (scopes[name].path.count("/"), name)):
        if not any(scopes[name].overlaps(scopes[other]) for other in chosen):
            chosen.append(name)
    return tuple(chosen)
