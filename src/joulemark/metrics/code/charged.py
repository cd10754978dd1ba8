"""What a program does around its call, charged to its call: rows as every figure reads them.

A program says itself when its call has ended, so it may say so first and work then; and it runs before it
is called, while it is loaded and while its input is read. The rows tell what that took, by readings from
outside. Giving a result takes time and memory of an honest program too, and so does reading an input: the
reference's rows on the same input say how much. What is more than that belongs to the call.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import median

from joulemark.metrics.code.baseline import MIB
from joulemark.metrics.code.level_draw import draw_of_run
from joulemark.metrics.code.outside_call import SLACK_NS, SLACK_SHARE, load_ns
from joulemark.metrics.code.pairs import neighbours
from joulemark.record.code_run import CANDIDATE, REFERENCE, WORK_OUTSIDE_CALL, CodeRun, Outcome, Purpose
from joulemark.record.reason import Reason

LEVEL_SLACK_NS = 100_000.0
_MOST_CREDIT = 0.2  # of the call: a median of pairs is the same, and one short run is not halved by chance
_MEDDLED_NS = 100_000.0
AROUND_SLACK_NS = 300_000.0  # 15 empty calls on a busy two-core machine: at most 0.12 ms above their median
WALL_SLACK_NS = 50e6  # a busy machine may keep a program waiting for more than its queue tells
MEMORY_SLACK_BYTES = float(1 << 20)
_USUAL_QUANTILE = 0.75  # a machine that runs at two speeds shows both in the reference's rows
_COMPARED = (Purpose.PAIRED, Purpose.SAME, Purpose.GROWTH, Purpose.WHOLE, Purpose.LEVEL)

_AROUND = ("cpu_before_ns", "cpu_after_ns")

_Key = tuple[str, Purpose, int | None, int | None, int | None, int]
_Read = Callable[[CodeRun], int | None]


@dataclass(frozen=True, slots=True)
class _Quantity:
    """Something that the reference takes around its call: usually, and above what it is more than that."""

    usual: float
    at_most: float

    def excess(self, value: int | None) -> float:
        """Return how much more than usual a value is; 0 where it is no more than the reference's may be."""
        return 0.0 if value is None or value <= self.at_most else value - self.usual

    def beyond(self, value: int | None) -> float:
        """Return how much more a value is than the reference's may be, 0 for none."""
        return 0.0 if value is None else max(0.0, value - self.at_most)


@dataclass(frozen=True, slots=True)
class _Usual:
    """What the reference takes around its calls on one input; null where nobody read it."""

    before: _Quantity | None
    after: _Quantity | None
    load: _Quantity | None
    own_wall_after: _Quantity | None
    wall_after: _Quantity | None
    peak_before: _Quantity | None
    peak_after: _Quantity | None
    n_memory_samples: int
    least_around_ns: int
    most_around_ns: int


@dataclass(slots=True)
class _Charge:
    """What is charged to one run, and the fields that say so."""

    cpu_ns: float = 0.0
    hidden_ns: float = 0.0
    wall_ns: float = 0.0
    peak_bytes: float = 0.0
    is_work: bool = False
    changes: dict[str, int] = field(default_factory=dict)


class Charged(tuple[CodeRun, ...]):
    """Rows of `charged`. A problem's rows of one purpose are charged by each other alone."""

    __slots__ = ()


def charged(runs: Sequence[CodeRun]) -> Charged:
    """Return the rows of `runs` with what candidates did around their calls in the time and memory of these.

    CPU time before the start and after the end of a call counts as it is, less that of the run of the
    reference beside it (of all tests in one process: of the same repeat), once they differ by 0.3 ms: chance
    goes either way, and a share that is free would be more than the call where an input is large. On levels,
    of which the least of several runs counts, what is beyond 0.1 ms above the reference's slowest run is
    charged: not all of it, for results of another type (floats for integers, say) cost an honest program a
    tenth of a millisecond too. Of all tests in one process loading is charged too, from 20 % and 2 ms on;
    memory from 20 % and 1 MiB on. It counts as wall time too, and with the whole peak where memory is counted
    over time. Rows that have a fifth and 0.3 ms more than the reference's (on levels: than its slowest run)
    have `WORK_OUTSIDE_CALL` among their flags, and no count of instructions. Doing it twice changes nothing.
    """
    if isinstance(runs, Charged):
        return runs
    of_reference: dict[_Key, list[CodeRun]] = {}
    for run in runs:
        if run.role == REFERENCE and run.purpose in _COMPARED and run.outcome is Outcome.RETURNED:
            of_reference.setdefault(_key(run), []).append(run)
    usual = {key: _usual(mine) for key, mine in of_reference.items()}
    beside = {**neighbours(runs), **_whole_beside(runs)}
    meddled = _meddled(runs, usual)
    return Charged(
        _charged(
            run, usual.get(_key(run)), beside.get(id(run)), may_save=(run.program, _key(run)) not in meddled
        )
        if run.role == CANDIDATE
        else run
        for run in runs
    )


def _meddled(runs: Sequence[CodeRun], usual: Mapping[_Key, _Usual]) -> set[tuple[str, _Key]]:
    """Return which programs, on which inputs, take less around most calls than the reference ever did.

    Its input is read and its result is given by us: chance goes either way there, and what is always quicker
    than the reference's quickest run has meddled with how it is called.
    """
    around: dict[tuple[str, _Key], list[int]] = {}
    for run in runs:
        if run.role == CANDIDATE and run.outcome is Outcome.RETURNED and _key(run) in usual:
            around.setdefault((run.program, _key(run)), []).append(_around_ns(run))
    return {
        of
        for of, taken_ns in around.items()
        if len(taken_ns) > 1 and median(taken_ns) < usual[of[1]].least_around_ns - _MEDDLED_NS
    }


def _whole_beside(runs: Sequence[CodeRun]) -> dict[int, CodeRun]:
    """Return the reference's run of all tests for each of a candidate's: of the same repeat, or its first."""
    whole = [run for run in runs if run.purpose is Purpose.WHOLE and run.outcome is Outcome.RETURNED]
    reference: dict[tuple[str, int | None], CodeRun] = {}
    for run in whole:
        if run.role == REFERENCE:
            reference.setdefault((run.problem, run.pair), run)
            reference.setdefault((run.problem, None), run)
    found = {}
    for run in whole:
        first = reference.get((run.problem, None))
        if run.role == CANDIDATE and first is not None:
            found[id(run)] = reference.get((run.problem, run.pair), first)
    return found


def _own_wall_after_ns(run: CodeRun) -> int | None:
    """Return the time by the wall from the end to the result without what it was kept waiting."""
    return None if run.wall_after_ns is None else max(0, run.wall_after_ns - (run.queued_after_ns or 0))


def _key(run: CodeRun) -> _Key:
    is_level = run.purpose is Purpose.LEVEL
    case, draw = (run.case, draw_of_run(run)) if is_level else (None, 0)
    return run.problem, run.purpose, run.size, run.level, case, draw


def _usual(runs: Sequence[CodeRun]) -> _Usual:
    return _Usual(
        _around(runs, lambda run: run.cpu_before_ns),
        _around(runs, lambda run: run.cpu_after_ns),
        _quantity(runs, load_ns, SLACK_NS),
        _quantity(runs, _own_wall_after_ns, WALL_SLACK_NS),
        _quantity(runs, lambda run: run.wall_after_ns, 0.0),
        _quantity(runs, lambda run: run.peak_before_bytes, MEMORY_SLACK_BYTES),
        _quantity(runs, lambda run: run.peak_after_bytes, MEMORY_SLACK_BYTES),
        round(median(run.n_memory_samples or 0 for run in runs)),
        min(map(_around_ns, runs), default=0),
        max(map(_around_ns, runs), default=0),
    )


def _around_ns(run: CodeRun) -> int:
    return sum(getattr(run, name) or 0 for name in _AROUND)


def _around(runs: Sequence[CodeRun], read: _Read) -> _Quantity | None:
    """Return CPU time around the calls of one input: above the slowest of several runs is no chance."""
    known = [value for run in runs if (value := read(run)) is not None]
    if not known:
        return None
    return _Quantity(float(median(known)), float(max(known)) + LEVEL_SLACK_NS)


def _quantity(runs: Sequence[CodeRun], read: _Read, slack: float) -> _Quantity | None:
    known = [value for run in runs if (value := read(run)) is not None]
    if not known:
        return None
    return _Quantity(float(median(known)), _high(known) * (1 + SLACK_SHARE) + slack)


def _high(values: Sequence[int]) -> float:
    """Return the quantile of what is usual, between two values in proportion (the lists are short)."""
    ordered = sorted(values)
    below, share = divmod((len(ordered) - 1) * _USUAL_QUANTILE, 1)
    first, second = ordered[int(below)], ordered[min(int(below) + 1, len(ordered) - 1)]
    return first + share * (second - first)


def _charged(run: CodeRun, usual: _Usual | None, beside: CodeRun | None, *, may_save: bool) -> CodeRun:
    if usual is None or run.outcome is not Outcome.RETURNED:
        return run
    charge = _Charge()
    if beside is None:
        _add_time(charge, run, usual)
    else:
        _add_difference(charge, run, beside, may_save=may_save)
    _add_load(charge, run, usual)
    _add_wall(charge, run, usual)
    _add_memory(charge, run, usual)
    return _with(run, charge, usual) if charge.changes else run


def _add_time(charge: _Charge, run: CodeRun, usual: _Usual) -> None:
    for name, quantity in zip(_AROUND, (usual.before, usual.after), strict=True):
        if quantity is not None and (more := quantity.beyond(getattr(run, name))) > 0:
            charge.cpu_ns += more
            charge.changes[name] = round(quantity.at_most)
    # results of another type, or memory that was freed elsewhere, move honest programs by less
    is_more = _around_ns(run) > (1 + SLACK_SHARE) * usual.most_around_ns + AROUND_SLACK_NS
    charge.is_work = charge.cpu_ns > 0 and is_more


def _add_difference(charge: _Charge, run: CodeRun, beside: CodeRun, *, may_save: bool) -> None:
    """Charge the time around the call beyond that of the reference's run beside it, or credit it.

    What does not ``may_save`` gets no credit (`_meddled`).
    """
    names = [name for name in _AROUND if getattr(run, name) is not None and getattr(beside, name) is not None]
    mine = sum(getattr(run, name) for name in names)
    theirs = sum(getattr(beside, name) for name in names)
    mine = mine if may_save else max(mine, theirs)
    if abs(mine - theirs) > AROUND_SLACK_NS:
        charge.cpu_ns = max(float(mine - theirs), -_MOST_CREDIT * (run.cpu_ns or 0))
        charge.changes |= {name: getattr(beside, name) for name in names}
        charge.is_work = mine - theirs > SLACK_SHARE * theirs + AROUND_SLACK_NS


def _add_load(charge: _Charge, run: CodeRun, usual: _Usual) -> None:
    if run.purpose is Purpose.WHOLE and usual.load is not None:
        more = usual.load.excess(load_ns(run))
        charge.cpu_ns += more
        if more > 0:
            charge.changes["cpu_around_ns"] = 0
            charge.is_work = True


def _add_wall(charge: _Charge, run: CodeRun, usual: _Usual) -> None:
    own = usual.own_wall_after
    idles = own is not None and own.excess(_own_wall_after_ns(run)) > 0
    charge.is_work |= idles
    charge.wall_ns = charge.cpu_ns
    works_after = charge.is_work and (run.cpu_after_ns or 0) > charge.changes.get("cpu_after_ns", math.inf)
    if usual.wall_after is not None and run.wall_after_ns is not None and (idles or works_after):
        # what it was kept waiting is in the wall time of every call, and so in this
        charge.wall_ns = max(charge.cpu_ns, run.wall_after_ns - usual.wall_after.usual)
        charge.changes["wall_after_ns"] = round(usual.wall_after.usual)
        charge.changes["queued_after_ns"] = min(run.queued_after_ns or 0, round(usual.wall_after.usual))
    charge.hidden_ns = max(0.0, charge.wall_ns)


def _add_memory(charge: _Charge, run: CodeRun, usual: _Usual) -> None:
    early, late = usual.peak_before, usual.peak_after
    if early is not None and (more := early.excess(run.peak_before_bytes)) > 0:
        charge.peak_bytes = more
        charge.hidden_ns = max(charge.hidden_ns, float((run.cpu_around_ns or 0) - (run.cpu_after_ns or 0)))
        charge.is_work = True
        charge.changes["peak_before_bytes"] = round(early.usual)
    if late is not None and (more := late.excess(run.peak_after_bytes)) > 0:
        charge.peak_bytes = max(charge.peak_bytes, more + (run.ended_bytes or 0))
        charge.hidden_ns = max(charge.hidden_ns, float(run.wall_after_ns or 0), float(run.cpu_after_ns or 0))
        charge.is_work = True
        charge.changes["peak_after_bytes"] = round(late.usual)


def _with(run: CodeRun, charge: _Charge, usual: _Usual) -> CodeRun:
    """Return a run with its charge; its memory over time is then an upper bound: the peak all the while."""
    changes: dict[str, object] = dict(charge.changes)
    if run.cpu_around_ns is not None:
        changes["cpu_around_ns"] = max(0, run.cpu_around_ns - round(charge.cpu_ns))
    if run.cpu_ns is not None:
        changes["cpu_ns"] = run.cpu_ns + round(charge.cpu_ns)
    if run.cpu_inside_ns is not None:
        changes["cpu_inside_ns"] = max(0, run.cpu_inside_ns + round(charge.cpu_ns))
    if run.wall_ns is not None:
        changes["wall_ns"] = max(0, run.wall_ns + round(charge.wall_ns))
    peak = run.peak_bytes
    if peak is not None:
        peak = max(peak, round(charge.peak_bytes))
        changes["peak_bytes"] = peak
    if charge.is_work and peak is not None and run.resident_bytes is not None and run.wall_ns is not None:
        hidden_s, whole_s = charge.hidden_ns / 1e9, (charge.hidden_ns + run.wall_ns) / 1e9
        above, resident = peak / MIB, run.resident_bytes / MIB
        seen, seen_above = run.memory_mib_s, run.memory_above_mib_s
        changes["memory_mib_s"] = (
            (above + resident) * whole_s if seen is None else seen + (above + resident) * hidden_s
        )
        changes["memory_above_mib_s"] = (
            above * whole_s if seen_above is None else seen_above + above * hidden_s
        )
        changes["n_memory_samples"] = max(run.n_memory_samples or 0, usual.n_memory_samples) or None
    reasons = dict(run.reasons)
    if charge.is_work and run.instructions is not None:
        changes["instructions"] = None
        reasons["instructions"] = Reason.NOT_MEASURED
    if charge.is_work and WORK_OUTSIDE_CALL not in run.flags:
        changes["flags"] = (*run.flags, WORK_OUTSIDE_CALL)
    return replace(run, reasons=reasons, **changes)  # type: ignore[arg-type]
