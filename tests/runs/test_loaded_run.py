"""Runs under load: what is sent when, what counts, and what a resumed one goes on with."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

from doubles.loaded import carried_out, plan_of, task_of
from doubles.working_engine import WorkingEngine
from joulemark.load.arrivals import Arrivals
from joulemark.load.lengths import RequestLengths
from joulemark.load.shape import LoadShape
from joulemark.load.trace import Row, Trace
from joulemark.metrics.latency import latencies
from joulemark.metrics.summary import summarize
from joulemark.record.item import Item, Phase
from joulemark.record.manifest import Engine
from joulemark.runs.observer import Observer
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.view import view_of


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def measured(run: RecordedRun) -> list[Item]:
    return [item for item in run.items if item.phase == Phase.MEASURE]


def leads(run: RecordedRun) -> list[Item]:
    """Return the lead requests, without the one that tries the engine out."""
    return [item for item in run.items if item.phase == Phase.WARMUP and item.repeat < -1000]


def window(run: RecordedRun, name: str) -> tuple[int, int]:
    found = [one for one in run.manifest.windows if one.name == name]
    assert len(found) == 1
    assert found[0].t1 is not None
    return found[0].t0, found[0].t1


def in_flight(items: list[Item], t_ns: int) -> int:
    return sum(item.t_begin <= t_ns < item.t_end for item in items)


def test_a_capped_open_loop_omits_no_waiting(tmp_path: Path) -> None:
    """Requests come five times as fast as the engine answers: their users wait, the engine's time stays."""
    shape = LoadShape.open(Arrivals("constant", 25.0), cap=1, n_requests=12)
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.05) as engine:
        _, run = carried_out(plan_of(engine.url, task_of(12), shape, tmp_path / "run"))
    items = sorted(measured(run), key=lambda item: item.index)
    assert len(items) == 12
    sent_s = [(item.t_end - item.t_sent) / 1e9 for item in items]
    due_s = [(item.t_end - item.t_scheduled) / 1e9 for item in items if item.t_scheduled is not None]
    assert len(due_s) == 12
    # each answer takes 0.2 s, and one is due each 0.04 s: the last one waits for eleven others
    assert due_s[-1] > 11 * (0.2 - 0.04)
    assert all(later > earlier for earlier, later in pairwise(due_s))
    assert sent_s[-1] < due_s[-1] / 3
    gaps = {b - a for a, b in pairwise([item.t_scheduled or 0 for item in items])}
    assert gaps == {40_000_000}
    found = latencies(measured(run), run.chunks)
    scheduled, sent = found["e2el_scheduled"].answered[90], found["e2el"].answered[90]
    assert scheduled.value is not None
    assert sent.value is not None
    assert scheduled.value > 3 * sent.value
    # waiting for a place is the load's, not the client's lateness
    assert run.manifest.client[0].late_sends <= 9


def test_an_open_loop_sends_whatever_is_unanswered(tmp_path: Path) -> None:
    shape = LoadShape.open(Arrivals("constant", 20.0), n_requests=10)
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.25) as engine:
        _, run = carried_out(plan_of(engine.url, task_of(10), shape, tmp_path / "run"))
    items = measured(run)
    last_sent = max(item.t_sent for item in items)
    assert in_flight(items, last_sent) == 10
    assert run.manifest.load.mode == "open"
    assert run.manifest.load.concurrency is None
    assert all("t_scheduled" not in item.reasons for item in items)


def test_lead_requests_bring_the_load_up_and_the_counted_ones_follow_without_a_drain(tmp_path: Path) -> None:
    shape = LoadShape.closed(4, n_requests=12, lead_requests=6)
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.05) as engine:
        outcome, run = carried_out(plan_of(engine.url, task_of(5), shape, tmp_path / "run"))
    assert outcome.completed == outcome.total == 12
    assert len(measured(run)) == 12
    assert len(leads(run)) == 6
    t0, t1 = window(run, "measure")
    warm_0, warm_1 = window(run, "warmup")
    assert warm_1 == t0, "no time lies between the two windows"
    assert min(item.t_begin for item in measured(run)) >= t0
    assert max(item.t_end for item in measured(run)) <= t1
    assert all(warm_0 <= item.t_begin < t0 for item in leads(run))
    # when counting begins the other workers are in the middle of their lead requests
    assert in_flight(leads(run), t0) >= 2
    assert all(item.verdict is None for item in leads(run))
    # four are in flight all the way to the last one that is sent
    together = measured(run) + leads(run)
    sends = [item.t_begin for item in measured(run)]
    assert max(in_flight(together, t) for t in sends) <= 4
    last = max(sends)
    busy_ns = sum(max(min(item.t_end, last) - max(item.t_begin, t0), 0) for item in together)
    assert busy_ns / (last - t0) > 3


def test_questions_are_repeated_up_to_the_number_of_requests(tmp_path: Path) -> None:
    shape = LoadShape.closed(3, n_requests=7)
    with WorkingEngine(lambda _: "ok", tokens=2, gap_s=0.01) as engine:
        outcome, run = carried_out(plan_of(engine.url, task_of(3), shape, tmp_path / "run"))
    assert outcome.total == 7
    assert Counter(item.repeat for item in measured(run)) == {0: 3, 1: 3, 2: 1}
    assert run.manifest.state == "complete"
    assert run.manifest.repeats == 3
    assert run.manifest.load.n_requests == 7
    assert view_of(run).wanted == 7


def test_a_run_whose_load_is_another_is_another_run(tmp_path: Path) -> None:
    loads = [
        LoadShape.closed(2),
        LoadShape.closed(2, lead_requests=2),
        LoadShape.closed(2, ramp_s=1.0),
        LoadShape.open(Arrivals("poisson", 5.0)),
        LoadShape.open(Arrivals("poisson", 6.0)),
        LoadShape.open(Arrivals("poisson", 5.0, seed=1)),
        LoadShape.open(Arrivals("gamma", 5.0, 0.5)),
        LoadShape.open(Arrivals("gamma", 5.0, 0.7)),
        LoadShape.open(Arrivals("constant", 5.0), cap=3),
        LoadShape("trace", None, trace="a@1", trace_speed=1.0, trace_ns=(0, 1)),
        LoadShape("trace", None, trace="a@2", trace_speed=1.0, trace_ns=(0, 1)),
        LoadShape("trace", None, trace="a@1", trace_speed=2.0, trace_ns=(0, 1)),
    ]
    facts = Engine(kind="vllm", model="m")
    hashes = {plan_of("http://x", task_of(2), shape, tmp_path).config_hash(facts) for shape in loads}
    assert len(hashes) == len(loads)
    again = plan_of("http://x", task_of(2), LoadShape.open(Arrivals("poisson", 5.0)), tmp_path)
    assert again.config_hash(facts) in hashes


class Ends(Observer):
    """Sends Ctrl-C's signal to this process after some answers."""

    def __init__(self, after: int) -> None:
        self.left = after

    def item(self, item: Item) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), 2)


@pytest.mark.parametrize("kind", ["closed", "open"])
@pytest.mark.slow
def test_ctrl_c_ends_a_load_with_what_was_measured_and_the_same_plan_goes_on(
    tmp_path: Path, kind: str
) -> None:
    shapes = {
        "closed": LoadShape.closed(4, n_requests=20, lead_requests=4),
        "open": LoadShape.open(Arrivals("poisson", 25.0, seed=2), n_requests=20, lead_requests=4),
    }
    shape, out = shapes[kind], tmp_path / "run"
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.05) as engine:
        first, run = carried_out(plan_of(engine.url, task_of(20), shape, out), Ends(6))
        assert first.end == "interrupted"
        assert 6 <= first.completed < 20
        before = {item.key: item for item in measured(run)}
        cut = [item for item in run.items if item.phase == Phase.ABANDONED]
        assert cut, "what was in flight leaves its stretch of time"
        second, run = carried_out(plan_of(engine.url, task_of(20), shape, out))
    assert second.end == "done"
    assert second.completed == 20
    assert run.manifest.state == "complete"
    items = measured(run)
    assert len({item.key for item in items}) == len(items) == 20
    assert all(item == before[item.key] for item in items if item.segment == 0)
    again = [item for item in leads(run) if item.segment == 1]
    assert len(again) == 4, "a segment is led up to anew"
    assert len({item.key for item in run.items}) == len(run.items)
    if kind == "open":
        offsets = shape.offsets_ns(24).tolist()
        resumed = sorted(
            (item for item in (*items, *again) if item.segment == 1), key=lambda i: i.t_scheduled or 0
        )
        first_left = min(item.index for item in items if item.segment == 1)
        places = {item.key: item.index + 4 for item in items}
        places.update({item.key: first_left + number for number, item in enumerate(again)})
        start = resumed[0].t_scheduled or 0
        for item in resumed:
            gap = offsets[places[item.key]] - offsets[first_left]
            assert (item.t_scheduled or 0) - start == gap, "the timetable goes on as it was"


def test_a_client_that_is_held_up_sends_late_and_says_so(tmp_path: Path) -> None:
    class Blocks(Observer):
        """Holds up the loop as a busy client would."""

        def item(self, item: Item) -> None:
            time.sleep(0.06)

    shape = LoadShape.open(Arrivals("constant", 20.0), n_requests=30)
    with WorkingEngine(lambda _: "ok", tokens=2, gap_s=0.005) as engine:
        _, run = carried_out(plan_of(engine.url, task_of(30), shape, tmp_path / "run"), Blocks())
    proof = run.manifest.client[0]
    assert proof.late_sends > 0
    assert "late_sends" in proof.invalid
    assert "late_sends" in summarize(view_of(run)).invalid


def test_requests_that_fail_under_load_count_as_failed(tmp_path: Path) -> None:
    shape = LoadShape.open(Arrivals("constant", 50.0), n_requests=10)
    with WorkingEngine(lambda _: "ok", tokens=2, gap_s=0.01) as engine:
        engine.refuse_after = 6  # one tries the engine out, one warms it up
        _, run = carried_out(plan_of(engine.url, task_of(10), shape, tmp_path / "run"))
    verdicts = Counter(str(item.verdict) for item in measured(run))
    assert verdicts["failed"] == 10 - verdicts["correct"] >= 5


def test_an_engine_that_goes_away_in_mid_load_ends_the_run_and_costs_nothing(tmp_path: Path) -> None:
    from joulemark.runs.storing import EngineGone

    shape = LoadShape.closed(4, n_requests=40)
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.02) as engine:
        engine.on_request = lambda number: (
            threading.Thread(target=engine.close).start() if number == 20 else None
        )
        with pytest.raises(EngineGone):
            carried_out(plan_of(engine.url, task_of(40), shape, tmp_path / "run"))
    from joulemark.runs.recorded import read_run

    run = read_run(tmp_path / "run")
    assert 0 < len(measured(run)) < 40
    assert run.manifest.state == "partial"
    assert all(item.verdict is not None and item.verdict != "failed" for item in measured(run))


@pytest.mark.slow
def test_a_ramp_starts_the_workers_one_after_the_other(tmp_path: Path) -> None:
    shape = LoadShape.closed(4, n_requests=8, ramp_s=0.8)
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.3) as engine:
        _, run = carried_out(plan_of(engine.url, task_of(8), shape, tmp_path / "run"))
    t0, _ = window(run, "measure")
    sends_s = [(t - t0) / 1e9 for t in sorted(item.t_begin for item in measured(run))]
    assert all(sent_s >= 0.2 * number - 0.005 for number, sent_s in enumerate(sends_s[:4]))
    assert sends_s[3] < 1.2, "the last of them waits no longer than the ramp"


def test_a_trace_is_replayed_at_its_times(tmp_path: Path) -> None:
    times = (0, 0, 200_000_000, 210_000_000, 700_000_000)
    trace = Trace("t", "1", tuple(Row(t_ns, RequestLengths(1, 1)) for t_ns in times))
    shape = LoadShape.replay(trace, lead_requests=1)
    with WorkingEngine(lambda _: "ok", tokens=2, gap_s=0.01) as engine:
        _, run = carried_out(plan_of(engine.url, task_of(5), shape, tmp_path / "run"))
    (lead,) = leads(run)
    items = sorted(measured(run), key=lambda item: item.index)
    assert lead.item_id == "q-4", "the last question leads up to the first"
    start = lead.t_scheduled or 0
    assert [(item.t_scheduled or 0) - start for item in items] == list(times[1:])
    assert all(item.t_sent >= (item.t_scheduled or 0) for item in items)
    assert math.isclose((items[-1].t_sent - start) / 1e9, 0.7, abs_tol=0.3)
