"""Going on with a sweep: what an earlier life of it reached, as far as the grid is the same."""

from __future__ import annotations

from datetime import UTC, datetime

import joulemark
from joulemark.record.errors import InputError
from joulemark.sweeps.journal import PointRecord, SweepJournal, SweepRecord
from joulemark.sweeps.late import late_client
from joulemark.sweeps.plan import SweepPlan


def record_to_begin_with(plan: SweepPlan, journal: SweepJournal) -> SweepRecord:
    """Return the record to begin with: what an earlier life of the sweep reached is kept.

    Raises `InputError` where the directory holds a sweep of another base.
    """
    before = journal.read()
    known: dict[str, PointRecord] = {}
    if before is not None:
        differing = sorted(
            name
            for name in {*before.base, *plan.base}
            if before.base.get(name) != plan.base.get(name) or (name in before.base) != (name in plan.base)
        )
        if differing:
            raise InputError(
                f"{journal.root} holds another sweep",
                why=f"it differs in {', '.join(differing)}, which all of its points share",
                fix="choose another directory with --out DIR",
            )
        known = {record.name: record for record in before.points if record.name is not None}
    points = []
    for point, command in zip(plan.points, plan.commands, strict=True):
        record = PointRecord(
            name=None if point.skipped else point.name,
            values=dict(point.values),
            state="skipped" if point.skipped else "planned",
            why=point.skipped,
            command="" if point.skipped else command,
            launch=[] if point.skipped else list(point.lines),
        )
        old = known.pop(point.name, None) if not point.skipped else None
        if old is not None and old.state not in ("planned", "skipped", "saturated"):
            record.state = "partial" if old.state == "running" else old.state
            record.why, record.detail = old.why, old.detail
            record.run_id, record.config_hash = old.run_id, old.config_hash
            if record.state == "done" and (late := late_client(journal.run_dir(record))):
                record.state, record.why = "invalid", late
        points.append(record)
    for old in known.values():
        if old.state in ("done", "invalid", "partial", "running", "failed"):
            old.in_grid = False
            points.append(old)
    return SweepRecord(
        created_utc=before.created_utc if before else datetime.now(UTC).isoformat(timespec="seconds"),
        joulemark_version=joulemark.__version__,
        title=plan.title,
        axes=plan.axes,
        base=plan.base,
        skip=plan.skip,
        points=points,
    )
