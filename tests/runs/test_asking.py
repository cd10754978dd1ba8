"""What is stored is counted, whenever the asking is ended."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.load.shape import LoadShape
from joulemark.meters.thermal import Advice
from joulemark.record.item import ItemRow
from joulemark.record.manifest import Sampling
from joulemark.runs.asking import Asking
from joulemark.runs.journal import ItemJournal, read_items
from joulemark.runs.observe import Recorder
from joulemark.runs.observer import Observer
from joulemark.runs.stopping import Stopping
from joulemark.runs.wanted import lead_up, wanted
from joulemark.tasks.registry import load_task
from runs.test_stopping import EnoughAfter

BODY = b'{"choices": [{"index": 0, "message": {"content": "4"}, "finish_reason": "stop"}]}'


class SlowDisk(ItemJournal):
    """A journal on a disk that takes its time."""

    def extend(self, rows: Sequence[ItemRow]) -> None:
        time.sleep(0.15)
        super().extend(rows)


class Client:
    """Answers after a while; ``asked`` counts."""

    def __init__(self, delay_s: float) -> None:
        self.delay_s, self.asked = delay_s, 0

    async def exchange(self, body: bytes) -> Exchange:
        self.asked += 1
        t_sent = time.monotonic_ns()
        await asyncio.sleep(self.delay_s)
        t_end = time.monotonic_ns()
        headers = {"content-type": "application/json"}
        return Exchange(t_sent, t_end, 200, headers, ((t_end, BODY),))


def asking(tmp_path: Path, client: Client, concurrency: int, stopping: Stopping | None = None) -> Asking:
    task = load_task("quick")
    engine = SimpleNamespace(
        request_body=lambda *_args, **_more: b"{}",
        died=lambda: False,
        endpoint=Endpoint("http", "127.0.0.1", 9),
    )
    plan: Any = SimpleNamespace(
        task=task,
        engine=engine,
        sampling=Sampling(max_tokens=8),
        retries=0,
        warmups=1,
        load=LoadShape.closed(concurrency),
        stop_rules=(),
    )
    metering: Any = SimpleNamespace(heat=lambda: Advice.GO, so_far=lambda *_: lambda: None)
    segment: Any = SimpleNamespace(index=0, now_ns=time.monotonic_ns, window_name="measure")
    made: Any = client
    recorder = Recorder(task.scorer, b"k", lambda text: text)
    journal = (SlowDisk if stopping is None else ItemJournal)(tmp_path / "items.jsonl")
    return Asking(plan, made, journal, metering, Observer(), segment, recorder, [], stopping=stopping)


@pytest.mark.parametrize("concurrency", [1, 4])
@pytest.mark.parametrize("after_s", [0.07, 0.2, 0.33, 0.5])
def test_what_reached_the_disk_is_what_counts(tmp_path: Path, concurrency: int, after_s: float) -> None:
    async def interrupted() -> Asking:
        running = asking(tmp_path, Client(0.05), concurrency)
        task = asyncio.create_task(running.run(wanted(running.plan.task, 2, ())))
        await asyncio.sleep(after_s)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        running.close()
        return running

    ended = asyncio.run(interrupted())
    rows, unreadable = read_items(tmp_path / "items.jsonl")
    stored = {row.item.key for row in rows if row.item.phase == "measure"}
    assert unreadable == 0
    assert {item.key for item in ended.items} == stored
    assert ended.last_t_end() == max((item.t_end for item in ended.items), default=0)
    cut_off = [row for row in rows if row.item.phase == "abandoned"]
    assert len({row.item.key for row in rows}) == len(rows)
    if concurrency == 1:
        assert not cut_off
    else:
        # everything that was sent is either an answer or a stretch of time
        assert len(stored) + len(cut_off) == ended.client.asked  # type: ignore[attr-defined]


class Windows:
    """A segment that notes its windows."""

    index = 0

    def __init__(self, name: str) -> None:
        self.window_name, self.opened = name, [name]

    def open_window(self, name: str) -> None:
        self.window_name = name
        self.opened.append(name)

    stamp_window = open_window

    def now_ns(self) -> int:
        return time.monotonic_ns()

    def save(self) -> None:
        pass


@pytest.mark.parametrize(
    ("hot_at", "opened"),
    [(2, ["warmup", "pause", "warmup", "measure"]), (7, ["warmup", "measure", "pause", "measure"])],
)
def test_a_pause_for_heat_drains_the_load_and_goes_on_where_it_was(
    tmp_path: Path, hot_at: int, opened: list[str]
) -> None:
    looks = iter(range(10_000))
    in_flight: list[int] = []

    class Hot(Client):
        def __init__(self) -> None:
            super().__init__(0.03)
            self.now = 0

        async def exchange(self, body: bytes) -> Exchange:
            self.now += 1
            try:
                return await super().exchange(body)
            finally:
                self.now -= 1

    client = Hot()

    def heat() -> Advice:
        look = next(looks)
        if look == hot_at + 1:
            in_flight.append(client.now)
        return Advice.PAUSE if look in (hot_at, hot_at + 1) else Advice.GO

    async def edge() -> None:
        pass

    async def asked() -> Asking:
        running = asking(tmp_path, client, 3)
        segment: Any = Windows("warmup")
        metering: Any = SimpleNamespace(heat=heat, edge=edge)
        running.segment, running.metering = segment, metering
        task = running.plan.task
        left = wanted(task, 1, (), 8)
        await running.run([*lead_up(task, 0, 4), *left])
        running.close()
        return running

    ended = asyncio.run(asked())
    assert ended.segment.opened == opened  # type: ignore[attr-defined]
    assert in_flight == [0], "the pause begins when nothing is in flight"
    rows, _ = read_items(tmp_path / "items.jsonl")
    assert len(ended.items) == 8
    assert sum(row.item.phase == "warmup" for row in rows) == 4


@pytest.mark.parametrize(("together", "whole"), [(10, False), (52, True)])
def test_a_stop_once_every_question_is_begun_leaves_no_repeat_unasked(
    tmp_path: Path, together: int, whole: bool
) -> None:
    """With all questions in one block each is begun before any is finished, so none can be saved."""
    task, repeats = load_task("quick"), 2
    stopping = Stopping.of_task(EnoughAfter(12), task, repeats, [])

    async def run() -> Asking:
        running = asking(tmp_path, Client(0.02), 4, stopping)
        await running.run(wanted(task, repeats, (), together=together))
        running.close()
        return running

    ended = asyncio.run(run())
    assert stopping is not None
    assert stopping.decision is not None
    assert (len(ended.items) == 52 * repeats) == whole
    assert len({item.index for item in ended.items}) < 52 or whole
