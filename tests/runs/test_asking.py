"""What is stored is counted, whenever the asking is ended."""

from __future__ import annotations

import asyncio
import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from joulemark.engines.exchange import Endpoint, Exchange
from joulemark.meters.thermal import Advice
from joulemark.record.item import ItemRow
from joulemark.record.manifest import Sampling
from joulemark.runs.asking import Asking
from joulemark.runs.journal import ItemJournal, read_items
from joulemark.runs.observe import Recorder
from joulemark.runs.observer import Observer
from joulemark.runs.wanted import wanted
from joulemark.tasks.registry import load_task

BODY = b'{"choices": [{"index": 0, "message": {"content": "4"}, "finish_reason": "stop"}]}'


class SlowDisk(ItemJournal):
    """A journal on a disk that takes its time."""

    def append(self, row: ItemRow) -> None:
        time.sleep(0.15)
        super().append(row)


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


def asking(tmp_path: Path, client: Client, concurrency: int) -> Asking:
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
        concurrency=concurrency,
        stop_rules=(),
    )
    metering: Any = SimpleNamespace(heat=lambda: Advice.GO)
    segment: Any = SimpleNamespace(index=0, now_ns=time.monotonic_ns)
    made: Any = client
    recorder = Recorder(task.scorer, b"k", lambda text: text)
    journal = SlowDisk(tmp_path / "items.jsonl")
    return Asking(plan, made, journal, metering, Observer(), segment, recorder, [])


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
