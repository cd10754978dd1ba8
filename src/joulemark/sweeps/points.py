"""A sweep as it can be read: each point with its operating point, everything computed from the runs anew."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.run_point import run_point
from joulemark.record.errors import InputError
from joulemark.runs.view import summary_of
from joulemark.sweeps.engine_state import EngineState, engine_state
from joulemark.sweeps.journal import FILE, PointRecord, State, SweepJournal, SweepRecord
from joulemark.sweeps.own_run import why_not_own

_MEASURED = ("done", "invalid", "partial")


@dataclass(frozen=True, slots=True)
class Measured:
    """What a point's run says: its operating point, how its engine was, and how many requests count."""

    point: OperatingPoint
    engine: EngineState
    n_requests: int


@dataclass(frozen=True, slots=True)
class SweptPoint:
    """A point of a sweep; ``measured`` is null where there is no run, and ``unread`` where it is broken
    or not its own."""

    record: PointRecord
    measured: Measured | None = None
    unread: str = ""

    @property
    def state(self) -> State:
        """How far it is; by its run, so that an older record of a client that was late is no ``done``."""
        late = self.measured is not None and self.measured.point.late
        return "invalid" if late and self.record.state == "done" else self.record.state

    @property
    def why(self) -> str:
        """Why it has no figures, or is not whole; empty where it is."""
        late = self.measured.point.late if self.measured is not None else ""
        return self.unread or self.record.why or late


@dataclass(frozen=True, slots=True)
class Swept:
    """A sweep: ``points`` are those of the grid in its order, ``earlier`` those that it no longer has."""

    root: Path
    record: SweepRecord
    points: tuple[SweptPoint, ...]
    earlier: tuple[SweptPoint, ...] = ()

    @property
    def operating_points(self) -> tuple[OperatingPoint, ...]:
        """The points that were measured to their end; a choice among them leaves out those that are late."""
        return tuple(
            one.measured.point
            for one in (*self.points, *self.earlier)
            if one.measured is not None and one.record.state in ("done", "invalid")
        )

    @property
    def counts(self) -> Mapping[str, int]:
        """Return how many points of the grid are in each state."""
        found: dict[str, int] = {}
        for one in self.points:
            found[one.state] = found.get(one.state, 0) + 1
        return found


def point_of_run(root: Path) -> Measured:
    """Read a run and return what it says; raises `InputError`."""
    view, summary = summary_of(root)
    return Measured(run_point(view, summary, str(root)), engine_state(summary), summary.n_requests)


def read_sweep(root: Path) -> Swept:
    """Return the sweep of a directory; raises `InputError` where there is none."""
    journal = SweepJournal(root)
    record = journal.read()
    if record is None:
        raise InputError(f"{root} holds no sweep", why=f"there is no {FILE} in it")
    found = [_read(journal, one, record.points) for one in record.points]
    return Swept(
        root,
        record,
        tuple(one for one in found if one.record.in_grid),
        tuple(one for one in found if not one.record.in_grid),
    )


def _read(journal: SweepJournal, record: PointRecord, points: Sequence[PointRecord]) -> SweptPoint:
    if record.name is None or record.state not in _MEASURED:
        return SweptPoint(record)
    if why := why_not_own(record, points, journal.run_dir(record)):
        return SweptPoint(record, unread=f"{why}; the same command measures it again")
    try:
        return SweptPoint(record, point_of_run(journal.run_dir(record)))
    except InputError as error:
        return SweptPoint(record, unread=error.what + (f": {error.why}" if error.why else ""))
