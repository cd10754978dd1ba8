"""Which joules are the headline: those of the part of the machine that runs the model, and no other."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass

from joulemark.record.meter import QualifiedSource, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

_BOARDS = frozenset({"gpu", "module"})
PROCESSORS = frozenset({"package", "soc"})


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
    packages, when the engine is local and every board denies it. A board that cannot say withholds: its
    joules may be an idle board's. A replayed trace is taken at its word, for it says that it is one.
    """
    believed = [source for source in sources if source.qualification.trust is not Trust.ABSENT]
    replayed = [source.info.name for source in believed if source.info.kind == "replay"]
    if replayed:
        return Headline(_antichain(believed, replayed))
    if not believed:
        return Headline((), Reason.METER_NOT_QUALIFIED if sources else Reason.NO_METER)
    if declared:
        boards = [source.info.name for source in believed if source.info.scope.path in declared]
        note = "that the engine runs on the measured board was declared with --board, not seen"
        return Headline(_antichain(believed, boards), notes=(note,))
    if engine_local is False:
        return Headline((), Reason.ENGINE_REMOTE)
    kinds = frozenset() if on_processor else _BOARDS
    boards = [source.info.name for source in believed if source.info.scope.kind in kinds]
    scope_of = {source.info.name: source.info.scope.path for source in believed}
    seen = [name for name in boards if on_board.get(scope_of[name]) is True]
    if seen:
        unknown = [name for name in boards if on_board.get(scope_of[name]) is None]
        note = f"whether {', '.join(unknown)} runs the engine too could not be seen: joules may be missing"
        return Headline(_antichain(believed, seen), notes=(note,) if unknown else ())
    if engine_local is None or any(on_board.get(scope_of[name]) is None for name in boards):
        return Headline((), Reason.ENGINE_NOT_VISIBLE)
    packages = [source.info.name for source in believed if source.info.scope.kind in PROCESSORS]
    if packages:
        return Headline(_antichain(believed, packages))
    return Headline((), Reason.ENGINE_NOT_ON_DEVICE if boards else Reason.NO_METER)


def _antichain(sources: Sequence[QualifiedSource], names: Sequence[str]) -> tuple[str, ...]:
    """Leave out a source whose scope another chosen one holds already."""
    scopes: dict[str, Scope] = {s.info.name: s.info.scope for s in sources if s.info.name in names}
    chosen: list[str] = []
    for name in sorted(scopes, key=lambda name: (scopes[name].path.count("/"), name)):
        if not any(scopes[name].overlaps(scopes[other]) for other in chosen):
            chosen.append(name)
    return tuple(chosen)
