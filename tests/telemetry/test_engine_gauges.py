"""The engine's page read by the real sampler process, beside another source, whatever the page does."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.engine_pages import MODEL, PAGES, Batch, EnginePages, Said
from joulemark.meters.discovery import open_source
from joulemark.meters.engine_gauges import PERIOD_S, EngineAddress, find_engine_gauges
from joulemark.meters.machine_load import machine_spec
from joulemark.meters.source import SourceSpec
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.record.telemetry import Reading
from joulemark.telemetry.journal import JournalReader
from joulemark.telemetry.supervisor import Sampler
from joulemark.telemetry.timeline import Timeline

KEY = "Bearer sk-never-on-disk"
Sources = list[tuple[SourceSpec, QualifiedSource]]


def source_of(server: EnginePages) -> Sources:
    place = EngineAddress(
        server.kind, MODEL, "http", "127.0.0.1", server.port, headers={"Authorization": KEY}
    )
    found = find_engine_gauges(place)
    assert found is not None
    assert found.spec is not None
    assert found.info is not None
    test = Qualification(Trust.QUALIFIED, poll_period_s=PERIOD_S)
    return [(found.spec, QualifiedSource(found.info, test))]


@pytest.fixture
def machine() -> Sources:
    """A source that answers at once: its edges must not wait for the engine's page."""
    spec = machine_spec()
    source = open_source(spec)
    source.close()
    return [(spec, QualifiedSource(source.info, Qualification(Trust.QUALIFIED)))]


def rows_of(path: Path) -> list[Reading]:
    return [row for row in JournalReader(path) if row.source == "engine"]


def until(condition: Callable[[], bool], timeout_s: float = 15.0) -> None:
    deadline_s = time.monotonic() + timeout_s
    while not condition():
        assert time.monotonic() < deadline_s, "it did not happen in time"
        time.sleep(0.02)


@pytest.mark.parametrize("kind", sorted(PAGES))
def test_the_page_of_each_engine_becomes_rows(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    with EnginePages(kind, Batch(running=2, waiting=1, prompt=10)) as server:
        sources = source_of(server)
        server.asked.clear()
        begin_s = time.monotonic()
        with Sampler.start(sources, path, 4):
            until(lambda: len(server.asked) >= 3)
            server.batch.running, server.batch.prompt = 7, 500
            until(lambda: len(server.asked) >= 5)
        took_s = time.monotonic() - begin_s
    rows = rows_of(path)
    assert {(row.segment, row.source, row.scope) for row in rows} == {(4, "engine", "engine")}
    assert [row.flags for row in rows] == [()] * len(rows)
    running = [row.values["requests_running"] for row in rows]
    assert running[0] == 2
    assert running[-1] == 7
    assert running == sorted(running)
    series = Timeline.from_journal(path).series(4, "engine", "prompt_tokens")
    assert series is not None
    assert list(series.value[[0, -1]]) == [10.0, 500.0]
    assert len(server.asked) <= took_s / PERIOD_S + 3, "it is asked twice a second, no more"
    assert KEY.encode() not in path.read_bytes()


def test_edges_of_a_run_do_not_hurry_the_engine(tmp_path: Path, machine: Sources) -> None:
    with EnginePages("vllm") as server:
        sources = source_of(server)
        with Sampler.start([*sources, *machine], tmp_path / "t.jsonl", 0) as sampler:
            server.asked.clear()
            for _ in range(100):
                sampler.edge()
                time.sleep(0.01)
            assert len(server.asked) <= 5


@pytest.mark.slow
def test_a_page_that_hangs_delays_nobody_and_is_asked_seldom(tmp_path: Path, machine: Sources) -> None:
    path = tmp_path / "telemetry.jsonl"
    with EnginePages("vllm") as server:
        sources = source_of(server)
        server.instead["/metrics"] = Said("", hangs_s=20)
        server.asked.clear()
        with Sampler.start([*sources, *machine], path, 0) as sampler:
            for _ in range(20):
                begin_s = time.monotonic()
                sampler.edge()
                assert time.monotonic() - begin_s < 0.4, "an edge waits for the engine's page"
                time.sleep(0.2)
            begin_s = time.monotonic()
        assert time.monotonic() - begin_s < 8, "the end waits for the engine's page"
        assert len(server.asked) <= 3
        assert sampler.health.notes == ()
    rows = rows_of(path)
    assert rows
    assert {row.flags for row in rows} == {("lost:timeout",)}
    assert not any(row.values for row in rows)


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (Said("<html>oops</html>", content_type="text/html"), "not_metrics"),
        (Said("I am fine, thank you"), "no_gauges"),
        (Said("vllm:num_requests_running{ 3"), "malformed_page"),
        (Said("vllm:num_requests_running NaN\n"), "no_gauges"),
        (Said("", 503), "http_503"),
    ],
)
def test_a_page_that_turns_to_lies_is_a_gap_and_comes_back(said: Said, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    with EnginePages("vllm", Batch(running=3)) as server:
        sources = source_of(server)
        with Sampler.start(sources, path, 0) as sampler:
            until(lambda: bool(sampler.latest()))
            server.instead["/metrics"] = said
            until(lambda: any(flag.startswith("lost") for flag in sampler.latest()["engine"].flags))
            del server.instead["/metrics"]
            until(lambda: bool(sampler.latest()["engine"].values))
    rows = rows_of(path)
    lost = [row for row in rows if not row.values]
    assert lost
    assert {row.flags for row in lost} == {(f"lost:{reason}",)}
    assert {row.values["requests_running"] for row in rows if row.values} == {3.0}


def test_an_engine_that_is_started_anew_counts_from_zero(tmp_path: Path) -> None:
    path = tmp_path / "telemetry.jsonl"
    with EnginePages("vllm", Batch(running=3, preemptions=40, generated=1000)) as server:
        sources = source_of(server)
        with Sampler.start(sources, path, 0) as sampler:
            until(lambda: bool(sampler.latest()))
            server.close()
            until(lambda: "lost:connection_refused" in sampler.latest()["engine"].flags)
            server.batch = Batch(running=1, preemptions=2, generated=10)
            server.open_again()
            until(lambda: bool(sampler.latest()["engine"].values))
    series = Timeline.from_journal(path).series(0, "engine", "preemptions")
    assert series is not None
    assert series.value[0] == 40
    assert series.value[-1] == 2
