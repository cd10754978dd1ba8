"""When conversations begin: in a closed loop, and by a timetable."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass, field
from itertools import pairwise

import pytest

from doubles.loaded import task_of
from joulemark.load.arrivals import Arrivals
from joulemark.load.shape import LoadShape
from joulemark.runs import open_files
from joulemark.runs.pacing import Timetable, Workers
from joulemark.runs.timing import timing_of
from joulemark.runs.wanted import Conversation, conversations, wanted

MS = 1_000_000


@dataclass
class Asked:
    """Takes ``takes_s`` for each conversation; pauses as ``pauses_ns`` says, by position."""

    takes_s: float = 0.0
    pauses_ns: dict[int, int] = field(default_factory=dict)
    stop_after: int = 10**9
    begun: list[tuple[int, int | None, int | None, int]] = field(default_factory=list)
    at_once: int = 0
    most: int = 0

    @property
    def stopped(self) -> bool:
        return len(self.begun) >= self.stop_after

    async def admit(self, conversation: Conversation) -> int:
        pause_ns = self.pauses_ns.get(conversation[0].position, 0)
        await asyncio.sleep(pause_ns / 1e9)
        return pause_ns

    async def converse(
        self, conversation: Conversation, t_scheduled: int | None = None, t_ready: int | None = None
    ) -> None:
        self.begun.append((conversation[0].position, t_scheduled, t_ready, time.monotonic_ns()))
        self.at_once += 1
        self.most = max(self.most, self.at_once)
        await asyncio.sleep(self.takes_s)
        self.at_once -= 1


def talks(n: int) -> list[Conversation]:
    return conversations(wanted(task_of(n), 1, ()))


def run(pacing: Workers | Timetable, asked: Asked, n: int) -> Asked:
    asyncio.run(pacing.run(talks(n), asked))
    return asked


def every(n: int, gap_ns: int) -> dict[int, int]:
    return {position: position * gap_ns for position in range(n)}


@pytest.mark.parametrize("concurrency", [1, 3])
def test_workers_keep_their_number_in_flight_and_the_order(concurrency: int) -> None:
    asked = run(Workers(concurrency), Asked(0.01), 12)
    assert [position for position, *_ in asked.begun] == list(range(12))
    assert asked.most == concurrency


def test_nothing_is_begun_after_a_stop() -> None:
    for pacing in (Workers(2), Timetable(every(20, 10 * MS), 100, 1.0)):
        assert len(run(pacing, Asked(0.001, stop_after=5), 20).begun) <= 6


@pytest.mark.parametrize("tolerance_s", [1.0, 0.0001])
def test_nothing_is_sent_before_it_is_due(tolerance_s: float) -> None:
    asked = run(Timetable(every(15, 7 * MS), 100, tolerance_s), Asked(0.2), 15)
    for _, t_scheduled, t_ready, t_begun in asked.begun:
        assert t_scheduled is not None
        assert t_ready == t_scheduled
        assert t_begun >= t_scheduled
    dues = [t for _, t, _, _ in asked.begun if t is not None]
    assert {b - a for a, b in pairwise(dues)} == {7 * MS}


def test_a_cap_bounds_what_is_under_way_and_keeps_the_times() -> None:
    timetable = Timetable(every(12, MS), 3, 1.0)
    asked = run(timetable, Asked(0.03), 12)
    assert asked.most == 3
    assert timetable.held_up >= 8
    last = asked.begun[-1]
    assert last[1] is not None
    assert last[2] is not None
    assert last[2] - last[1] > 50 * MS, "it was due long before the load let it be sent"
    assert last[3] - last[2] < last[2] - last[1], "and was sent soon after that"


def test_the_timetable_waits_as_long_as_a_pause() -> None:
    asked = run(Timetable(every(6, 10 * MS), 100, 1.0), Asked(pauses_ns={3: 150 * MS}), 6)
    dues = [t or 0 for _, t, _, _ in asked.begun]
    assert [t - dues[0] for t in dues] == [0, 10 * MS, 20 * MS, 180 * MS, 190 * MS, 200 * MS]


def test_all_at_once_is_all_at_once() -> None:
    asked = run(Timetable(dict.fromkeys(range(50), 0), 1000, 0.0), Asked(0.2), 50)
    assert asked.most == 50
    assert len({t for _, t, _, _ in asked.begun}) == 1


def test_what_is_left_of_a_timetable_keeps_its_gaps() -> None:
    shape = LoadShape.open(Arrivals("poisson", 5.0, seed=4), n_requests=40, lead_requests=6)
    task = task_of(40)
    whole = timing_of(shape, task, wanted(task, 1, (), 40))
    left = [one for one in wanted(task, 1, (), 40) if one.index not in (0, 1, 2, 5)]
    resumed = timing_of(shape, task, left)
    assert [one.position for one in whole.asked] == list(range(-6, 40))
    assert [one.position for one in resumed.asked] == [-3, -2, -1, 0, 1, 2, 3, 4, *range(6, 40)]
    assert isinstance(whole.pacing, Timetable)
    assert isinstance(resumed.pacing, Timetable)
    assert resumed.pacing.due_ns.items() <= whole.pacing.due_ns.items()
    offsets = shape.offsets_ns(46)
    assert [whole.pacing.due_ns[position] for position in range(-6, 40)] == offsets.tolist()
    assert whole.mean_gap_s == pytest.approx((offsets[45] - offsets[6]) / 1e9 / 39)


def test_a_request_may_be_late_by_a_tenth_of_the_gap_and_no_more() -> None:
    shape = LoadShape.open(Arrivals("constant", 4.0), n_requests=8)
    timing = timing_of(shape, task_of(8), wanted(task_of(8), 1, (), 8))
    assert isinstance(timing.pacing, Timetable)
    assert timing.pacing.tolerance_s == pytest.approx(0.025)


def test_a_closed_loop_has_no_times() -> None:
    timing = timing_of(LoadShape.closed(4, ramp_s=2.0), task_of(3), wanted(task_of(3), 1, ()))
    assert timing.pacing == Workers(4, 2.0)
    assert timing.mean_gap_s is None
    assert timing.limit_met is None


def test_for_want_of_open_files_a_load_is_bounded_and_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.runs.timing.connections_at_once", lambda: 2)
    shape = LoadShape.open(Arrivals("constant", 1000.0))
    timing = timing_of(shape, task_of(8), wanted(task_of(8), 1, ()))
    assert isinstance(timing.pacing, Timetable)
    assert timing.limit_met is None
    assert run(timing.pacing, Asked(0.02), 8).most == 2
    assert timing.limit_met is not None
    assert "open no more files" in timing.limit_met
    assert 1 <= open_files.connections_at_once() <= 16_384


def test_a_loop_that_was_held_up_does_not_pass_for_a_full_load() -> None:
    class Blocks(Asked):
        async def admit(self, conversation: Conversation) -> int:
            if conversation[0].position == 2:
                time.sleep(0.1)
            return 0

    asked = run(Timetable(every(8, 10 * MS), 100, 1.0), Blocks(), 8)
    late_ns = [t_begun - (t_ready or 0) for _, _, t_ready, t_begun in asked.begun]
    assert all(t_ready == t_scheduled for _, t_scheduled, t_ready, _ in asked.begun)
    assert late_ns[3] > 80 * MS
    assert late_ns[4] > 70 * MS
