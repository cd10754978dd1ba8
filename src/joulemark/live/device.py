"""Which source is the device: the part of the machine that runs the model, and no other.

A run, a calibration and the energy of a block of code all ask here. A meter outside (wall, power supply) is a
reference beside the device, and leads only where the device has no source.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import combinations

from joulemark.meters.notes import MIG_SHARED, MODULE_SCOPE, VGPU_SHARED, has_note
from joulemark.metrics.tier import is_trace
from joulemark.record.meter import QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import WALL_KINDS, disjoint
from joulemark.record.simulated import is_simulated_board

BOARDS = frozenset({"gpu", "module"})
PROCESSORS = frozenset({"package", "soc"})
_ONLY_SIMULATED = "a SIMULATED board, and the engine is no simulation: its joules are not the engine's."
_OTHER_MAKERS = frozenset({"hwmon", "zeus"})  # drivers of boards that are not NVIDIA's, so none of NVML's


@dataclass(frozen=True, slots=True)
class Headline:
    """The sources of the headline, by name, or why there is none; ``notes`` are caveats."""

    sources: tuple[str, ...]
    reason: Reason | None = None
    notes: tuple[str, ...] = ()
    detail: str = ""


def choose_headline(
    sources: Sequence[QualifiedSource],
    *,
    engine_local: bool | None,
    on_board: Mapping[str, bool | None],
    declared: Set[str] = frozenset(),
    on_processor: bool = False,
    simulated: bool = False,
) -> Headline:
    """Choose by evidence.

    ``engine_local``: whether the engine is a process of this machine (null: cannot be told).
    ``on_board``: for each board's scope path, whether the engine's process was seen on it (null: the driver
    does not say). ``declared``: scope paths of boards that the user declares to run it. ``on_processor``: the
    engine itself says that it uses no board. Boards that run the engine come first; then the processor
    packages, when the engine is local and every board denies it; then one meter outside, when there is no
    source of the processors either. A board that cannot say withholds: its joules may be an idle board's. A
    replayed trace is taken at its word, for it says that it is one. ``simulated``: the engine says that it is
    a simulation; its own boards lead then and nothing else, and for any other engine they are not there.
    """
    usable = [source for source in sources if is_simulated_board(source.info) is simulated]
    believed = [source for source in usable if source.qualification.trust is not Trust.ABSENT]
    if simulated:
        return _headline(believed) if believed else Headline((), Reason.NO_METER)
    replayed = [source for source in believed if is_trace(source)]
    if replayed:
        inside = [source for source in replayed if source.info.scope.kind not in WALL_KINDS]
        return _headline(inside or replayed)
    if sources and not usable:
        named = ", ".join(source.info.name for source in sources)
        return Headline((), Reason.NO_METER, detail=f"{named}: {_ONLY_SIMULATED}")
    if not believed:
        return Headline((), Reason.METER_NOT_QUALIFIED if sources else Reason.NO_METER)
    if declared:
        note = "that the engine runs on the measured board was declared with --board, not seen"
        boards = [source for source in believed if source.info.scope.path in declared]
        return _headline(boards, note)
    if engine_local is False:
        return Headline((), Reason.ENGINE_REMOTE)
    boards = [] if on_processor else boards_of(believed)
    seen = [board for board in boards if on_board.get(board.info.scope.path) is True]
    unknown = [board for board in boards if on_board.get(board.info.scope.path) is None]
    if any(is_shared(board.info) for board in seen):
        # the whole board's energy is that of all its instances, and of none of them
        return Headline((), Reason.SHARED_DEVICE)
    if seen:
        named = ", ".join(board.info.name for board in unknown)
        note = f"whether {named} runs the engine too could not be seen: joules may be missing"
        return _headline(seen, *([note] if unknown else []))
    if engine_local is None or unknown:
        return Headline((), Reason.ENGINE_NOT_VISIBLE)
    packages = [source for source in believed if source.info.scope.kind in PROCESSORS]
    if packages:
        return _headline(packages)
    outside = sorted((s for s in believed if s.info.scope.kind in WALL_KINDS), key=by_belief)
    if outside:
        name = outside[0].info.name
        note = f"no meter of the part that runs the model was found: the joules are all that {name} saw"
        return Headline((name,), notes=(note,))
    return Headline((), Reason.ENGINE_NOT_ON_DEVICE if boards else Reason.NO_METER)


def boards_of(sources: Sequence[QualifiedSource]) -> list[QualifiedSource]:
    """Return the sources of boards and modules, a firmware's sensor of a module left out."""
    return [one for one in sources if one.info.scope.kind in BOARDS and not is_module_sensor(one.info)]


def is_module_sensor(info: SourceInfo) -> bool:
    """Tell whether a firmware shows a socket with all on it: a witness beside the module's own meters."""
    return info.kind == "hwmon" and info.scope.kind == "module"


def told_twice(infos: Iterable[SourceInfo]) -> str:
    """Say which two of the devices may be, or hold, one thing, so that their sum is refused; else nothing."""
    for one, other in combinations(infos, 2):
        if _may_be_one_board(one, other):
            return (
                f"{one.name} ({one.scope.label}) and {other.name} ({other.scope.label}) cannot be told "
                "apart: one board is named by its place, the other by a number"
            )
        for board, processor in ((one, other), (other, one)):
            if _holds_processors(board) and processor.scope.kind in PROCESSORS:
                return f"processor cores that {processor.name} counts are in {board.name} too"
    return ""


def _may_be_one_board(one: SourceInfo, other: SourceInfo) -> bool:
    if {one.scope.kind, other.scope.kind} != {"gpu"}:
        return False
    by_number = [info.scope.label.partition(":")[2].isdigit() for info in (one, other)]
    kinds = {one.kind, other.kind}
    return by_number[0] != by_number[1] and not ("nvml" in kinds and kinds & _OTHER_MAKERS)


def _holds_processors(info: SourceInfo) -> bool:
    return info.scope.kind == "gpu" and has_note(info, MODULE_SCOPE)


def is_shared(info: SourceInfo) -> bool:
    """Tell whether others have their own part of the board (MIG, vGPU), whose joules are in its figure."""
    return any(has_note(info, code) for code in (MIG_SHARED, VGPU_SHARED))


def by_belief(outside: QualifiedSource) -> tuple[bool, int, bool, bool, str]:
    """Order the meters outside: what passed its test, wall before supply, an analyzer, a register, power.

    They are opinions of one thing, of which one is taken.
    """
    info, test = outside.info, outside.qualification
    place = WALL_KINDS.index(info.scope.kind)
    return test.trust is not Trust.QUALIFIED, place, info.kind != "analyzer", not info.is_register, info.name


def _headline(sources: Sequence[QualifiedSource], *notes: str) -> Headline:
    """Return the sources that no other one holds, or why they make no sum."""
    by_name = sorted(sources, key=lambda source: source.info.name)
    kept = disjoint(by_name, lambda source: source.info.scope)
    if doubt := told_twice(source.info for source in kept):
        return Headline((), Reason.NOT_APPLICABLE, notes=(doubt,))
    return Headline(tuple(source.info.name for source in kept), notes=notes)
