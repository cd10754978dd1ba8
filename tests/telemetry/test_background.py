"""A meter whose reads hang is read beside the others: it delays no edge, and is left behind at the end."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field

import pytest

from joulemark.meters.source import SourceLost
from joulemark.record.clock import SystemClock
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.background import READ_ON_S, BackgroundReader
from joulemark.telemetry.sampler import SourcePlan

PERIOD_NS = 20_000_000


@dataclass
class Slow:
    """A source that answers after ``takes_s``, or never once ``hang`` is set."""

    takes_s: float = 0.0
    fails: bool = False
    hang: threading.Event = field(default_factory=threading.Event)
    free: threading.Event = field(default_factory=threading.Event)
    reads: int = 0
    closed: bool = False
    info: SourceInfo = field(
        default_factory=lambda: SourceInfo("plug", "test", Scope("wall"), ("energy_j",), read_period_s=0.02)
    )

    def read(self, segment: int) -> Reading:
        begin_ns = time.monotonic_ns()
        if self.hang.is_set():
            self.free.wait(30)
        if self.fails:
            raise SourceLost("timeout")
        time.sleep(self.takes_s)
        self.reads += 1
        t_ns = time.monotonic_ns()
        return Reading(
            segment, t_ns, "plug", "wall", {"energy_j": float(self.reads)}, read_ns=t_ns - begin_ns
        )

    def close(self) -> None:
        self.closed = True


def reader_of(source: Slow, period_ns: int = PERIOD_NS, age_s: float = 0.0) -> BackgroundReader:
    plan = SourcePlan("plug", "wall", period_ns, None, lambda: source)
    return BackgroundReader(plan, SystemClock(), 3, first_flags=("sampler_lost",), age_s=age_s)


def until(condition: object, timeout_s: float = 10.0) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():  # type: ignore[operator]
        assert time.monotonic() < deadline_s
        time.sleep(0.005)


def test_it_reads_on_its_own_schedule_and_takes_a_last_reading() -> None:
    source = Slow()
    reader = reader_of(source)
    until(lambda: source.reads >= 5)
    reader.request_stop()
    reader.join(5)
    rows = reader.take_rows()
    assert len(rows) == source.reads
    assert [row.values["energy_j"] for row in rows] == sorted(row.values["energy_j"] for row in rows)
    assert rows[0].flags == ("sampler_lost",)
    assert {row.segment for row in rows} == {3}
    assert source.closed
    assert reader.latest["plug"] == rows[-1]
    assert not reader.take_rows()


def test_an_edge_is_read_soon_and_never_sooner_than_the_meter_allows() -> None:
    source = Slow()
    reader = reader_of(source, 300_000_000)
    until(lambda: source.reads >= 1)
    for _ in range(50):
        reader.request_edge()
        time.sleep(0.002)
    until(lambda: source.reads >= 2)
    reader.request_stop()
    reader.join(5)
    rows = reader.take_rows()
    assert len(rows) <= 4  # fifty edges in a tenth of a second are one read
    assert rows[1].t_ns - rows[0].t_ns > 200_000_000


def test_a_read_that_hangs_keeps_nobody_waiting() -> None:
    source = Slow()
    reader = reader_of(source)
    until(lambda: source.reads >= 2)
    source.hang.set()
    time.sleep(0.1)
    begin_s = time.monotonic()
    reader.request_edge()
    rows = reader.take_rows()
    reader.request_stop()
    reader.join(0.2)
    assert time.monotonic() - begin_s < 2
    assert len(rows) == source.reads
    source.free.set()


def test_a_lost_meter_says_so_and_is_tried_again() -> None:
    source = Slow()
    reader = reader_of(source)
    until(lambda: source.reads >= 1)
    source.fails = True
    until(lambda: reader.latest["plug"].flags == ("lost:timeout",))
    source.fails = False
    seen = source.reads
    until(lambda: source.reads > seen)
    reader.request_stop()
    reader.join(5)


def test_the_last_reading_begins_after_the_end_whatever_was_being_read() -> None:
    source = Slow(takes_s=0.1)
    reader = reader_of(source, 10_000_000_000)
    time.sleep(0.03)  # in the middle of the first read
    stop_ns = time.monotonic_ns()
    reader.request_stop()
    reader.join(5)
    last = reader.take_rows()[-1]
    assert last.t_ns - last.read_ns >= stop_ns


@pytest.mark.parametrize(("age_s", "read_on_s"), [(0.3, 0.3), (READ_ON_S + 0.1, 0.0)])
def test_old_values_are_read_on_until_they_show_the_end(age_s: float, read_on_s: float) -> None:
    source = Slow()
    reader = reader_of(source, 100_000_000, age_s)
    until(lambda: source.reads >= 1)
    stop_ns = time.monotonic_ns()
    reader.request_stop()
    reader.join(5)
    begun_s = [(row.t_ns - row.read_ns - stop_ns) * 1e-9 for row in reader.take_rows()]
    assert min(begun for begun in begun_s if begun >= 0) < 0.1, "at once"
    assert read_on_s <= begun_s[-1] < read_on_s + 0.2
    assert sum(begun > 0.05 for begun in begun_s) >= 10 * read_on_s - 1, "and on its schedule meanwhile"
    assert source.closed


@dataclass
class Counting(Slow):
    """A counter that is renewed every 0.2 s."""

    def read(self, segment: int) -> Reading:
        t_ns = time.monotonic_ns()
        self.reads += 1
        return Reading(segment, t_ns, "plug", "wall", {"energy_j": float(t_ns // 200_000_000)})


def test_a_counter_is_read_on_until_a_younger_value_has_changed() -> None:
    source = Counting()
    plan = SourcePlan("plug", "wall", 50_000_000, 200_000_000, lambda: source)
    reader = BackgroundReader(plan, SystemClock(), 3, age_s=0.25)
    until(lambda: source.reads >= 1)
    stop_ns = time.monotonic_ns()
    reader.request_stop()
    reader.join(5)
    rows = reader.take_rows()
    base = next(row for row in rows if row.t_ns - 250_000_000 >= stop_ns)
    assert rows[-1].values["energy_j"] > base.values["energy_j"]
    assert rows[-1].t_ns - stop_ns < 700_000_000
