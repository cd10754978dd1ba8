"""A sweep from its first point to its last: engines kept up, points journalled, failures survived."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Protocol

from joulemark.engines.engine import Engine
from joulemark.engines.launch.described import DescribedEngine
from joulemark.engines.launch.launched import LOG_FOLLOWS
from joulemark.engines.log_folder import log_tail
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.record.errors import InputError, JoulemarkError
from joulemark.record.item import Verdict
from joulemark.runs.execute import RunOutcome
from joulemark.runs.executor import Executor
from joulemark.runs.layout import RunLayout
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.sweeps.ending import heed_requests, heeded_requests
from joulemark.sweeps.journal import PointRecord, SweepJournal, SweepRecord
from joulemark.sweeps.kept import KeptEngine
from joulemark.sweeps.late import late_client
from joulemark.sweeps.own_run import note_run, why_not_own
from joulemark.sweeps.plan import SweepPlan
from joulemark.sweeps.point import SweepPoint
from joulemark.sweeps.points import point_of_run
from joulemark.sweeps.power import power_limit
from joulemark.sweeps.resume import record_to_begin_with
from joulemark.sweeps.saturation import is_saturated, saturation_text

_NOT_STARTED = "the engine does not start with these settings: see {name}"


class Bench(Protocol):
    """What a front end brings: it knows the options of a load."""

    def engine(self, point: SweepPoint) -> Engine:
        """Return the engine of a point, not started; raises `InputError`."""
        ...

    def plan(self, point: SweepPoint, engine: Engine, out: Path) -> RunPlan:
        """Return the run of a point in a directory; raises `InputError`."""
        ...


class SweepObserver(Observer):
    """Is told of points beside what an `Observer` is told of each; this one does nothing."""

    def point(self, number: int, total: int, record: PointRecord) -> None:
        """A point is begun, the ``number``-th of ``total`` that are measured."""

    def ended(self, record: PointRecord, outcome: RunOutcome | None) -> None:
        """A point is over, in the state that it has now; ``outcome`` null where there is no run."""


@dataclass(frozen=True, slots=True)
class SweepOutcome:
    """The sweep as it is recorded, and whether somebody ended it early."""

    record: SweepRecord
    interrupted: bool


def _figures(root: Path) -> OperatingPoint:
    return point_of_run(root).point


def sweep(
    plan: SweepPlan,
    journal: SweepJournal,
    bench: Bench,
    executor: Executor,
    observer: SweepObserver,
    *,
    figures: Callable[[Path], OperatingPoint] = _figures,
) -> SweepOutcome:
    """Measure every point that is not measured yet, and leave a valid record whatever ends it.

    A point that fails is recorded and the sweep goes on; so is one whose client did not keep up (invalid).
    ``figures`` reads a run that is done, to tell saturation. Raises `InputError` where the directory holds
    another sweep or cannot be written.
    """
    with journal.held():
        record = record_to_begin_with(plan, journal)
        journal.save(record)
        sweeping = _Sweeping(plan, journal, record, bench, executor, observer, figures)
        try:
            with heeded_requests():
                sweeping.run()
        except KeyboardInterrupt:
            sweeping.interrupted = True
        return SweepOutcome(record, sweeping.interrupted)


@dataclass
class _Sweeping:
    plan: SweepPlan
    journal: SweepJournal
    record: SweepRecord
    bench: Bench
    executor: Executor
    observer: SweepObserver
    figures: Callable[[Path], OperatingPoint]
    interrupted: bool = False
    measured: dict[str, OperatingPoint] = field(default_factory=dict)
    number: int = 0

    def run(self) -> None:
        """Go through the points, one engine after the other."""
        self._set_strange_runs_aside([record for _, record in self._pairs])
        for _, engines in itertools.groupby(self._pairs, lambda pair: pair[0].key):
            group = list(engines)
            kept = KeptEngine(_maker(self.bench, group[0][0]))
            try:
                for watts, limited in itertools.groupby(group, lambda pair: pair[0].power_limit_w):
                    self._under_limit(watts, list(limited), kept)
                    if self.interrupted:
                        return
            finally:
                kept.close()

    @cached_property
    def _pairs(self) -> list[tuple[SweepPoint, PointRecord]]:
        """The points that are to be measured, in order, each with the record of its name."""
        records = {record.name: record for record in self.record.points if record.in_grid}
        return [(point, records[point.name]) for point in self.plan.points if not point.skipped]

    def _set_strange_runs_aside(self, records: Sequence[PointRecord]) -> None:
        """Move runs that are not their points' own out of the way, so that these are measured."""
        points = self.record.points
        strange = [one for one in records if why_not_own(one, points, self.journal.run_dir(one))]
        for record in strange:  # all are found out by the old records, before one of them changes
            self.journal.set_aside(record)
            record.state, record.why, record.detail = "planned", "", ""
            record.run_id = record.config_hash = ""
        if strange:
            self.journal.save(self.record)

    def _under_limit(
        self, watts: float | None, pairs: Sequence[tuple[SweepPoint, PointRecord]], kept: KeptEngine
    ) -> None:
        """Measure the points of one engine and one power limit."""
        left = [(point, record) for point, record in pairs if not self._settled(record)]
        if not left:
            return
        try:
            with power_limit(watts, left[0][0].launch.devices, self.plan.boards):
                for point, record in left:
                    self._one(point, record, kept)
                    if self.interrupted:
                        return
        except JoulemarkError as error:  # of the limit alone: a point keeps its own errors
            why = _told(error)[0] + (f" ({error.fix})" if error.fix else "")
            for _, record in left:
                if record.state in ("planned", "partial"):
                    self._end(record, "failed", why)

    def _settled(self, record: PointRecord) -> bool:
        """Tell whether nothing is left to do for a point."""
        if not _is_complete(self.journal.run_dir(record)):
            return False
        if late_client(self.journal.run_dir(record)):
            return False
        changed = note_run(record, self.journal.run_dir(record))
        if record.state not in ("done", "failed"):
            # killed between the end of its run and the journal
            record.state, record.why, changed = "done", "", True
        if changed:
            self.journal.save(self.record)
        return True

    def _one(self, point: SweepPoint, record: PointRecord, kept: KeptEngine) -> None:
        if self.plan.early_stop and (why := self._saturated(point)):
            self._end(record, "saturated", why)
            return
        if kept.failed_at is not None:
            self._end(record, "failed", _NOT_STARTED.format(name=kept.failed_at))
            return
        self.number += 1
        record.state, record.why, record.detail = "running", "", ""
        self.journal.save(self.record)
        self.observer.point(self.number, len(self._pairs), record)
        engine: Engine = kept
        if point.power_limit_w is not None:
            engine = DescribedEngine(kept, {"power_limit_w": point.power_limit_w})
        root = self.journal.run_dir(record)
        try:
            if _is_complete(root):  # by a client that did not keep up
                self.journal.set_aside(record)
            try:
                outcome = self.executor.run(self.bench.plan(point, engine, root), self.observer)
            finally:
                heed_requests()  # the run heard them itself
        except KeyboardInterrupt:
            note_run(record, root)
            self._end(record, _state_on_disk(root))
            raise
        except JoulemarkError as error:
            if kept.start_failed:
                kept.failed_at = record.name
            self._end(record, "failed", *_told(error, kept))
            return
        self._judge(record, outcome, kept)

    def _judge(self, record: PointRecord, outcome: RunOutcome, kept: KeptEngine) -> None:
        """Record how a run ended, and which it was."""
        note_run(record, self.journal.run_dir(record))
        if outcome.error is not None:
            self._end(record, "failed", *_told(outcome.error, kept), outcome)
        elif outcome.end in ("done", "stopped"):
            if why := _nothing_answered(outcome):
                self._end(record, "failed", why, _tail(kept), outcome)
            else:
                late = late_client(self.journal.run_dir(record))
                self._end(record, "invalid" if late else "done", late, outcome=outcome)
        elif outcome.end == "interrupted":
            self._end(record, "partial", outcome=outcome)
        else:
            self._end(record, "failed", "the run ended early", _tail(kept), outcome)
        self.interrupted |= outcome.end == "interrupted" or outcome.asked_to_end

    def _end(
        self,
        record: PointRecord,
        state: str,
        why: str = "",
        detail: str = "",
        outcome: RunOutcome | None = None,
    ) -> None:
        record.state, record.why, record.detail = state, why, detail  # type: ignore[assignment]
        self.journal.save(self.record)
        self.observer.ended(record, outcome)

    def _saturated(self, point: SweepPoint) -> str:
        """Say why a point need not be measured: those of less load were saturated. Empty where it must."""
        if point.level is None:
            return ""
        axis, level = point.level
        below = [
            (one.level[1], record)
            for one, record in self._pairs
            if one.chain() == point.chain()
            and one.level is not None
            and one.level[0] == axis
            and one.level[1] < level
            and record.state == "done"
        ]
        below.sort(key=lambda pair: pair[0])
        for n in range(len(below)):
            if is_saturated([self._point(record) for _, record in below[: n + 1]]):
                return saturation_text(axis, below[n][0])
        return ""

    def _point(self, record: PointRecord) -> OperatingPoint:
        assert record.name is not None
        if record.name not in self.measured:
            self.measured[record.name] = self.figures(self.journal.run_dir(record))
        return self.measured[record.name]


def _maker(bench: Bench, point: SweepPoint) -> Callable[[], Engine]:
    return lambda: bench.engine(point)


def _is_complete(root: Path) -> bool:
    try:
        return RunLayout(root).read_manifest().state == "complete"
    except InputError:
        return False


def _state_on_disk(root: Path) -> str:
    return "partial" if RunLayout(root).manifest.exists() else "planned"


def _nothing_answered(outcome: RunOutcome) -> str:
    """Say that no request was answered, and what the first one met; empty where one was."""
    items = outcome.view.measured_items if outcome.view is not None else ()
    if not items or any(item.verdict != Verdict.FAILED for item in items):
        return ""
    met = next((attempt.error for item in items for attempt in item.attempts if attempt.error), None)
    return f"none of {len(items)} requests was answered" + (f" (the first: {met})" if met else "")


def _tail(kept: KeptEngine) -> str:
    return log_tail(kept.log_path) if kept.log_path is not None else ""


def _told(error: JoulemarkError, kept: KeptEngine | None = None) -> tuple[str, str]:
    """Return what went wrong as a sentence, and the end of the engine's log."""
    why, _, log = error.why.partition(LOG_FOLLOWS)
    sentence = f"{error.what}: {why}" if why else error.what
    return sentence, log.strip() or ("" if kept is None else _tail(kept))
