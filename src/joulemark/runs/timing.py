"""From the load of a plan to the pacing of one segment of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.engines.client.proof import LATE_SEND_MAX_OF_GAP
from joulemark.load.shape import LoadShape
from joulemark.record.item import Phase
from joulemark.runs.open_files import connections_at_once
from joulemark.runs.pacing import Pacing, Timetable, Workers
from joulemark.runs.wanted import Wanted, lead_up
from joulemark.tasks.task import TaskSet


@dataclass(frozen=True, slots=True)
class Timing:
    """How one segment is paced: ``asked`` in order, lead requests first.

    ``mean_gap_s`` is the mean time between the requests that count, null where they have no times.
    """

    pacing: Pacing
    asked: tuple[Wanted, ...]
    mean_gap_s: float | None = None
    room: int | None = None

    @property
    def limit_met(self) -> str | None:
        """Say that requests waited for want of open files, which the load did not ask for; null: none did."""
        if self.room is None or not isinstance(self.pacing, Timetable) or not self.pacing.held_up:
            return None
        return (
            f"{self.pacing.held_up:,} requests were sent late: {self.room:,} were in flight, and this process"
            " may open no more files (`ulimit -n`)"
        )


def timing_of(shape: LoadShape, task: TaskSet, left: Sequence[Wanted]) -> Timing:
    """Return the pacing of what is ``left`` of a run.

    A run that goes on is led up to anew, and goes on with its timetable from the first request that is left:
    the gaps between requests stay what they were.
    """
    leads = lead_up(task, left[0].position, shape.lead_requests) if left else []
    asked = (*leads, *left)
    if not shape.timed or not asked:
        return Timing(Workers(shape.concurrency or 1, shape.ramp_s or 0.0), asked)
    due_ns = _due_ns(shape, task, asked)
    counted = sorted({due_ns[one.position] for one in left if one.phase == Phase.MEASURE})
    n = len({one.position for one in left})
    mean_gap_s = (counted[-1] - counted[0]) / 1e9 / (n - 1) if len(counted) > 1 else None
    room = connections_at_once()
    tolerance_s = LATE_SEND_MAX_OF_GAP * (mean_gap_s or 0.0)
    cap = min(shape.concurrency or room, room)
    return Timing(
        Timetable(due_ns, cap, tolerance_s), asked, mean_gap_s, None if cap == shape.concurrency else room
    )


def _due_ns(shape: LoadShape, task: TaskSet, asked: Sequence[Wanted]) -> dict[int, int]:
    """Return when each position is due: the first lead request of the whole run is at 0."""
    before = -min((one.position for one in lead_up(task, 0, shape.lead_requests)), default=0)
    last = max(one.position for one in asked)
    offsets = shape.offsets_ns(last + before + 1, requests_each=_turns_each(task))
    return {one.position: int(offsets[max(one.position + before, 0)]) for one in asked}


def _turns_each(task: TaskSet) -> float:
    sessions = {question.session or number for number, question in enumerate(task.questions)}
    return len(task.questions) / len(sessions)
