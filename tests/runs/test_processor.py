"""Who used the processors: told from the kernel's account, the engine's tree and the client's own."""

from __future__ import annotations

import time

import pytest

from joulemark.meters.machine_load import MachineLoad
from joulemark.record.manifest import ClientProof, Manifest
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.record.telemetry import Reading
from joulemark.runs.processor import processor_use
from joulemark.telemetry.timeline import Timeline

S = 1_000_000_000


def manifest(client_s: float = 1.0) -> Manifest:
    facts = {
        "run_id": "r",
        "config_hash": "h",
        "created_utc": "2026-01-01T00:00:00+00:00",
        "joulemark_version": "0",
        "host": {"os": "Linux", "python": "3.11"},
        "engine": {"kind": "x", "model": "m"},
        "task": {"name": "t", "revision": "r", "n_items": 1, "template_hash": "h"},
        "sampling": {"max_tokens": 8},
        "load": {},
    }
    made = Manifest.model_validate(facts)
    made.client.append(ClientProof(segment=0, cpu_seconds=client_s))
    return made


def timeline(engine_share: float, busy_share: float, stolen_share: float = 0.0) -> Timeline:
    """Ten seconds on two processors; shares are of one processor."""
    rows = []
    for second in range(11):
        t = second * S
        rows.append(Reading(0, t, "process:engine", "engine", {"cpu_time_ns": engine_share * t}))
        account = {"cpu_busy_ns": busy_share * t, "cpu_stolen_ns": stolen_share * t, "cpu_count": 2.0}
        rows.append(Reading(0, t, "machine", "machine", account))
    return Timeline.from_readings(rows)


def test_what_is_neither_the_engines_nor_the_clients_is_foreign() -> None:
    use = processor_use(timeline(1.2, 1.7, 0.1), manifest(1.0), [Span(0, 0, 10 * S)], [])
    assert use.engine_s == pytest.approx(12.0)
    # 17 s busy, 12 s of the engine, 1 s of the client: 4 s of the 20 s that two processors had
    assert use.foreign_share == pytest.approx(0.2)
    assert use.stolen_share == pytest.approx(0.05)
    assert not use.forwards


def test_a_process_that_uses_nothing_only_forwards() -> None:
    assert processor_use(timeline(0.01, 0.2), manifest(), [Span(0, 0, 10 * S)], []).forwards


def test_what_was_not_observed_is_null() -> None:
    use = processor_use(Timeline({}), manifest(), [Span(0, 0, 10 * S)], [])
    assert (use.engine_s, use.foreign_share, use.stolen_share) == (None, None, None)
    assert use.reason is Reason.CPU_NOT_OBSERVED


def test_the_kernels_account_counts_what_this_process_burns() -> None:
    load = MachineLoad()
    before, burned_s = load.read(0).values, 0.3
    end = time.process_time() + burned_s
    while time.process_time() < end:
        pass
    after = load.read(0).values
    assert after["cpu_count"] >= 1
    assert after["cpu_busy_ns"] - before["cpu_busy_ns"] >= 0.8 * burned_s * S
