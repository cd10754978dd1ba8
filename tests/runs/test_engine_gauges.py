"""A run keeps what the engine says of its batch, and by it tells whether others used the engine."""

from __future__ import annotations

import json
import os
import re
import threading
import urllib.request
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from doubles.loaded import carried_out, plan_of, task_of
from doubles.served_simulation import ServedSimulation
from doubles.simulation_client import simulation
from doubles.working_engine import WorkingEngine
from joulemark.engines.embedded import EmbeddedEngine, EmbeddedOptions
from joulemark.load.shape import LoadShape
from joulemark.metrics.run_view import RunView
from joulemark.metrics.summary import summarize
from joulemark.metrics.value import Value
from joulemark.record.item import Item
from joulemark.record.manifest import Sampling
from joulemark.record.reason import Reason
from joulemark.record.telemetry import Reading
from joulemark.runs.engine_gauges import engine_gauges, why_lost
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.view import view_of
from joulemark.telemetry.journal import JournalReader
from joulemark.telemetry.timeline import Timeline

pytestmark = pytest.mark.slow  # whole runs

TOKENS = 100
FIGURES = (
    "mean_running_requests",
    "mean_waiting_requests",
    "kv_used_share_mean",
    "kv_used_share_max",
    "preemptions",
    "decode_token_share",
)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def loaded(url: str, out: Path, shape: LoadShape, **changes: Any) -> RunPlan:
    sampling = Sampling(max_tokens=TOKENS)
    return plan_of(url, task_of(8, max_tokens=TOKENS), shape, out, sampling=sampling, **changes)


def figures_of(view: RunView) -> dict[str, Value]:
    found = summarize(view).figures
    return {name: found[name] for name in FIGURES}


def engine_rows(run: RecordedRun) -> list[Reading]:
    path = run.layout.telemetry_journal
    return [row for row in JournalReader(path) if row.source == "engine"] if path.exists() else []


@pytest.mark.parametrize(
    ("profile", "unknown"),
    [
        ("vllm", set()),
        ("sglang", set()),
        ("llamacpp", {"kv_used_share_mean", "kv_used_share_max", "preemptions"}),
    ],
)
def test_the_batch_of_a_loaded_engine_is_in_the_run(profile: str, unknown: set[str], tmp_path: Path) -> None:
    """Eight clients of an engine that works on three at once: three run, five wait."""
    shape = LoadShape.closed(8, n_requests=24)
    engine = simulation(profile, max_batch=3, mean_tokens=TOKENS)
    with ServedSimulation(engine) as served:
        _, run = carried_out(loaded(served.url, tmp_path / "run", shape))
    view = view_of(run)
    figures = figures_of(view)
    running, waiting = figures["mean_running_requests"], figures["mean_waiting_requests"]
    assert running.value is not None
    assert waiting.value is not None
    assert 2.5 < running.value <= 3
    assert 2.5 < waiting.value <= 5
    share = figures["decode_token_share"].value
    prompts = {item.prompt_tokens for item in view.measured_items}
    assert share is not None
    assert share == pytest.approx(TOKENS / (TOKENS + float(np.mean([n or 0 for n in prompts]))), abs=0.05)
    withheld = {name for name, value in figures.items() if value.value is None}
    assert withheld == unknown
    assert {figures[name].reason for name in withheld} <= {Reason.NOT_REPORTED}
    assert not [note for note in run.manifest.notes if "batch" in note]


def test_preemptions_and_a_full_cache_are_seen(tmp_path: Path) -> None:
    """Four answers of 100 tokens and more do not fit into 320 tokens of context."""
    shape = LoadShape.closed(8, n_requests=24)
    engine = simulation("vllm", max_batch=4, mean_tokens=TOKENS, kv_tokens=320)
    with ServedSimulation(engine) as served:
        _, run = carried_out(loaded(served.url, tmp_path / "run", shape))
        counted = re.search(r"num_preemptions_total\{.*\} (\d+)", served.get("/metrics"))
    figures = figures_of(view_of(run))
    preemptions, largest = figures["preemptions"].value, figures["kv_used_share_max"].value
    assert preemptions is not None
    assert largest is not None
    assert counted is not None
    assert 0 < preemptions <= int(counted[1])
    assert 0.7 < largest <= 1


def test_it_is_no_meter_of_the_run(tmp_path: Path) -> None:
    with ServedSimulation(simulation("vllm", max_batch=4, mean_tokens=TOKENS)) as served:
        _, run = carried_out(loaded(served.url, tmp_path / "run", LoadShape.closed(4, n_requests=8)))
    view = view_of(run)
    assert engine_rows(run)
    assert run.manifest.meters == []
    assert run.manifest.headline_scope is None
    assert view.headline_energy.reason is Reason.NO_METER_ASKED_FOR  # type: ignore[union-attr]
    assert view.other_energy == {}
    assert view.timelines == ()


class Others:
    """Another client of the engine: one long prompt after another, each answered with one token."""

    def __init__(self, url: str, model: str) -> None:
        self._url, self._ended = f"{url}/v1/chat/completions", threading.Event()
        self._body = {"model": model, "max_tokens": 1, "messages": [{"role": "user", "content": "x " * 4000}]}
        self._thread = threading.Thread(target=self._ask)

    def __enter__(self) -> Others:
        self._thread.start()
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._ended.set()
        self._thread.join(20)

    def _ask(self) -> None:
        headers = {"Content-Type": "application/json"}
        while not self._ended.wait(0.1):
            request = urllib.request.Request(self._url, json.dumps(self._body).encode(), headers)
            urllib.request.urlopen(request, timeout=20).read()


@pytest.mark.parametrize("shape", [LoadShape.closed(1, n_requests=16), LoadShape.closed(4, n_requests=80)])
@pytest.mark.parametrize("others", [False, True])
def test_others_who_send_long_prompts_are_seen(shape: LoadShape, others: bool, tmp_path: Path) -> None:
    engine = simulation("vllm", max_batch=8, mean_tokens=TOKENS)
    with ServedSimulation(engine) as served, ExitStack() as beside:
        if others:
            beside.enter_context(Others(served.url, served.model))
        _, run = carried_out(loaded(served.url, tmp_path / "run", shape))
    view = view_of(run)
    assert engine_rows(run)
    codes = {caveat.code: caveat.loud for caveat in summarize(view).caveats}
    assert codes.get("foreign_load", False) is others
    assert "engine_not_watched" not in codes
    if not shape.overlaps:
        assert {value.reason for value in figures_of(view).values()} == {Reason.NOT_LOADED}


def test_an_engine_of_unknown_kind_reports_nothing_and_is_no_note(tmp_path: Path) -> None:
    with WorkingEngine(lambda _: "ok", tokens=4, gap_s=0.05) as engine:
        _, run = carried_out(plan_of(engine.url, task_of(8), LoadShape.closed(4), tmp_path / "run"))
    assert {value.reason for value in figures_of(view_of(run)).values()} == {Reason.NOT_REPORTED}
    assert run.manifest.notes == []


class Ends(Observer):
    """Sends Ctrl-C's signal to this process after some answers."""

    def __init__(self, after: int) -> None:
        self.left = after

    def item(self, item: Item) -> None:
        self.left -= 1
        if self.left == 0:
            os.kill(os.getpid(), 2)


def test_a_resumed_run_has_the_batch_of_each_segment(tmp_path: Path) -> None:
    shape, out = LoadShape.closed(6, n_requests=36), tmp_path / "run"
    with ServedSimulation(simulation("vllm", max_batch=3, mean_tokens=TOKENS)) as served:
        first, _ = carried_out(loaded(served.url, out, shape), Ends(18))
        assert first.end == "interrupted"
        second, run = carried_out(loaded(served.url, out, shape))
    assert second.end == "done"
    gauges = engine_gauges(run.timeline)
    assert {(gauge.segment, gauge.quantity) for gauge in gauges} >= {
        (segment, name) for segment in (0, 1) for name in ("requests_running", "preemptions", "prompt_tokens")
    }
    assert all(np.all(np.diff(gauge.t_ns) > 0) for gauge in gauges)
    segments = {gauge.segment: gauge.t_ns for gauge in gauges if gauge.quantity == "requests_running"}
    assert segments[0][-1] < segments[1][0]
    # of a steady window only one segment would count
    figures = figures_of(replace(view_of(run), steady=RunView(run.manifest, ()).steady))
    running = figures["mean_running_requests"].value
    assert running is not None
    assert 2 < running <= 3
    assert figures["preemptions"].value == 0
    assert figures["decode_token_share"].value is not None


def test_a_page_that_was_gone_at_the_end_is_noted() -> None:
    lost = Reading(0, 5, "engine", "engine", flags=("lost:timeout",))
    assert "(timeout)" in why_lost(lost)
    assert why_lost(replace(lost, flags=(), values={"requests_running": 1.0})) == ""
    assert why_lost(None) == ""


def test_a_failed_read_is_a_gap_and_no_value() -> None:
    rows = [
        Reading(0, 10, "engine", "engine", {"requests_running": 2.0}),
        Reading(0, 20, "engine", "engine", flags=("lost:timeout",)),
        Reading(0, 30, "engine", "engine", {"requests_running": 3.0, "preemptions": 1.0}),
        Reading(0, 15, "process:engine", "engine", {"cpu_time_ns": 1.0}),
    ]
    gauges = {gauge.quantity: gauge for gauge in engine_gauges(Timeline.from_readings(rows))}
    assert set(gauges) == {"requests_running", "preemptions"}
    assert gauges["requests_running"].t_ns.tolist() == [10, 30]
    assert gauges["requests_running"].value.tolist() == [2.0, 3.0]


@pytest.mark.slow
def test_the_embedded_engine_tells_its_batch(built_in_model: Path, tmp_path: Path) -> None:
    """A real llama.cpp with four slots and six clients."""
    engine = EmbeddedEngine(EmbeddedOptions(model=built_in_model, n_ctx=512, n_parallel=4))
    plan = loaded("http://unused", tmp_path / "run", LoadShape.closed(6, n_requests=12))
    plan = replace(plan, engine=engine, sampling=Sampling(max_tokens=16))
    _, run = carried_out(replace(plan, task=task_of(6, max_tokens=16)))
    view = view_of(run)
    figures = figures_of(view)
    running, waiting = figures["mean_running_requests"].value, figures["mean_waiting_requests"].value
    assert running is not None
    assert waiting is not None
    assert 2 < running <= 4
    assert 0.5 < waiting <= 2
    assert figures["decode_token_share"].value is not None
    assert figures["kv_used_share_mean"].reason is Reason.NOT_REPORTED
    assert figures["preemptions"].reason is Reason.NOT_REPORTED
    secret = engine.endpoint.headers["Authorization"].rpartition(" ")[2].encode()
    assert not [path for path in run.layout.root.rglob("*") if path.is_file() and secret in path.read_bytes()]


def test_a_real_engine_counts_no_more_than_it_was_asked(built_in_model: Path, tmp_path: Path) -> None:
    """A real llama.cpp, asked one at a time with its prompt cache on: nothing of it is anybody else's."""
    engine = EmbeddedEngine(EmbeddedOptions(model=built_in_model, n_ctx=512, allow_cache=True))
    plan = loaded("http://unused", tmp_path / "run", LoadShape.closed(1, n_requests=8))
    plan = replace(plan, engine=engine, sampling=Sampling(max_tokens=16), task=task_of(8, max_tokens=16))
    _, run = carried_out(plan)
    view = view_of(run)
    rise = {gauge.quantity: gauge.value[-1] - gauge.value[0] for gauge in view.engine_gauges}
    assert 0 < rise["prompt_tokens"] <= sum(item.prompt_tokens or 0 for item in view.items)
    assert 0 < rise["generation_tokens"] <= sum(item.completion_tokens or 0 for item in view.items)
    assert "foreign_load" not in {caveat.code for caveat in summarize(view).caveats}
