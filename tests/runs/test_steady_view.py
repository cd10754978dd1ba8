"""A loaded run as it is recorded, read back: window, joules and shares come from its journals alone."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import numpy as np
import pytest

from doubles import run_views
from doubles.steady_runs import S, items_of
from joulemark.metrics.input_aware import INPUT_AWARE
from joulemark.metrics.run_point import run_point
from joulemark.record.item import ItemRow
from joulemark.record.manifest import Engine, Load, Meter, Segment, Window
from joulemark.record.meter import QualifiedSource
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.runs.view import summary_of
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.readings import counter_ticks
from joulemark.simulate.virtual import SimulatedRun, run_closed
from joulemark.telemetry.journal import TelemetryJournal

LEAD, N, CONCURRENCY = 24, 240, 12
START = 100 * S


@pytest.fixture(scope="module")
def simulated() -> SimulatedRun:
    config = ServerConfig(H100, LLAMA_8B, max_batch=CONCURRENCY)
    return run_closed(config, draw_requests(LEAD + N, 400, 80, 6), CONCURRENCY, t0_ns=START)


def _page(age_s: float) -> Meter:
    """Return a source whose values may be so old when they are read, as an exporter's page has them."""
    plain = run_views.meter(quantities=("energy_j",)).qualified
    info = dataclasses.replace(plain.info, value_age_s=age_s)
    test = dataclasses.replace(plain.qualification, update_period_s=None, update_period_max_s=None)
    return Meter.of(QualifiedSource(info, test), 0)


def written(root: Path, run: SimulatedRun, load: Load, *, renewal_s: float = 0.1) -> Path:
    """Write the journals that a client and a sampler would have left of a simulated run.

    The counter shows a new value every ``renewal_s`` seconds, however often it is read.
    """
    layout = RunLayout(root)
    layout.create()
    items, chunks = items_of(run.finished, LEAD)
    first = next(item.t_sent for item in items if item.phase == "measure")
    last = max(item.t_end for item in items) + S // 10
    described = run_views.manifest(
        load=load,
        engine=Engine(kind="vllm", model="m", flags={"max_num_seqs": CONCURRENCY}, local=True),
        segments=[
            Segment(
                index=0,
                boot_id="b",
                host_hash="h",
                engine_local=True,
                wall_anchor_ns=0,
                t0=START - S,
                t1=last + S,
                end="done",
            )
        ],
        windows=[
            Window(name="warmup", segment=0, t0=START, t1=first),
            Window(name="measure", segment=0, t0=first, t1=last),
        ],
        meters=[_page(renewal_s) if renewal_s > 1 else run_views.meter(quantities=("energy_j",))],
        devices=[run_views.device()],
        headline_scope=[str(Scope.gpu(0))],
    )
    task = described.task.model_copy(update={"n_items": N})
    longest = max(done.request.output_tokens for done in run.finished)
    sampling = described.sampling.model_copy(update={"max_tokens": longest})
    layout.write_manifest(described.model_copy(update={"task": task, "sampling": sampling}))
    journal = ItemJournal(layout.items_journal)
    for item in items:
        journal.append(ItemRow(item, chunks[item.key]))
    journal.close()
    ticks_ns, joules = counter_ticks(run.books, 0, renewal_s, t0_ns=START - S, t1_ns=last + S)
    reads_ns = np.arange(int(ticks_ns[0]) + 1, int(ticks_ns[-1]), S // 50, dtype=np.int64)
    shown = joules[np.searchsorted(ticks_ns, reads_ns, "right") - 1]
    sampled = TelemetryJournal(layout.telemetry_journal)
    sampled.append(
        Reading(0, t_ns, "nvml:0", str(Scope.gpu(0)), {"energy_j": value}, read_ns=50_000)
        for t_ns, value in zip((reads_ns + 50_000).tolist(), shown.tolist(), strict=True)
    )
    sampled.close()
    return root


def test_a_recorded_load_has_a_steady_state_and_shares(tmp_path: Path, simulated: SimulatedRun) -> None:
    load = Load(mode="closed", concurrency=CONCURRENCY, lead_requests=LEAD, n_requests=N)
    view, summary = summary_of(written(tmp_path / "run", simulated, load))
    state = view.steady
    _, t0, t1 = state.window.part
    assert state.energy.joules == pytest.approx(simulated.books.between_j(t0, t1), rel=0.005)
    assert len(state.block_energies) == len(state.blocks) == len(state.block_tokens) >= 6
    document = summary.to_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    per_request = document["steady_joules_per_request"]
    stamps = np.concatenate([done.token_ns for done in simulated.finished])
    tokens = ((stamps > t0) & (stamps <= t1)).sum()
    counted = [done for done in simulated.finished if int(done.request.request_id) >= LEAD]
    mean = np.mean([done.request.output_tokens for done in counted])
    assert per_request == pytest.approx(simulated.books.between_j(t0, t1) / tokens * mean, rel=0.01)
    assert document["intervals"]["steady_joules_per_request"]["kind"] == "ci95"
    assert document["intervals"]["steady_joules_per_request_bound"]["kind"] == "bound"
    assert document["steady"]["rules"]["events"]["joules_per_token"] is not None
    methods = {check["method"]: check for check in document["attribution"]}
    assert set(methods) == {"equal_share", INPUT_AWARE}
    assert view.headline_method == "equal_share"
    aware = methods[INPUT_AWARE]
    assert aware["reason"] is None
    assert aware["items_j"] + aware["idle_j"] + aware["residual_j"] == pytest.approx(aware["total_j"])
    assert abs(aware["residual_j"]) < 0.01 * aware["total_j"]
    truly = {f"q{done.request.request_id}": done.energy_j for done in counted}
    found = {row.item_id: row.joules for row in view.attributions if row.method == INPUT_AWARE}
    assert set(truly) <= set(found)
    assert sum(found[one] for one in truly) == pytest.approx(sum(truly.values()), rel=0.015)


@pytest.mark.parametrize("renewal_s", [5.0, 30.0])
def test_a_window_of_few_renewals_of_its_meter_has_no_joules(
    tmp_path: Path, simulated: SimulatedRun, renewal_s: float
) -> None:
    load = Load(mode="closed", concurrency=CONCURRENCY, lead_requests=LEAD, n_requests=N)
    view, summary = summary_of(written(tmp_path / "run", simulated, load, renewal_s=renewal_s))
    assert view.steady.window.duration_s < 10 * renewal_s
    document = summary.to_json()
    for name in ("steady_joules_per_request", "steady_joules_per_correct_answer", "steady_power_w"):
        assert document[name] is None
        assert document["reasons"][name]["code"] in ("shorter_than_step", "no_samples")
    assert view.input_aware.weights is None
    assert document["steady_requests_per_second"] > 0
    point = run_point(view, summary, "run")
    assert point.energy_j.value is None
    assert point.mean_power_w.value is None


def test_a_window_of_some_renewals_has_joules_and_a_bound_and_no_interval(
    tmp_path: Path, simulated: SimulatedRun
) -> None:
    load = Load(mode="closed", concurrency=CONCURRENCY, lead_requests=LEAD, n_requests=N)
    view, summary = summary_of(written(tmp_path / "run", simulated, load, renewal_s=0.5))
    assert 10 * 0.5 <= view.steady.window.duration_s < 6 * 10 * 0.5
    document = summary.to_json()
    _, t0, t1 = view.steady.window.part
    assert view.steady.energy.lo <= simulated.books.between_j(t0, t1) <= view.steady.energy.hi
    assert document["steady_joules_per_request"] > 0
    assert "steady_joules_per_request" not in document["intervals"]
    assert document["intervals"]["steady_joules_per_request_bound"]["kind"] == "bound"
    told = summary.figures["steady_joules_per_request"].detail
    assert "tells something new every 0." in told, told
    point = run_point(view, summary, "run")
    assert (point.energy_j.interval, point.energy_j.lo, point.energy_j.hi) == (
        "bound",
        *(document["intervals"]["steady_joules_per_request_bound"][end] for end in ("lo", "hi")),
    )


def test_a_sequential_run_has_neither(tmp_path: Path) -> None:
    config = ServerConfig(H100, LLAMA_8B, max_batch=1)
    alone = run_closed(config, draw_requests(LEAD + 20, 200, 30, 7), 1, t0_ns=START)
    view, summary = summary_of(written(tmp_path / "run", alone, Load()))
    document = summary.to_json()
    assert document["steady_joules_per_request"] is None
    assert document["reasons"]["steady_joules_per_request"]["code"] == "not_loaded"
    assert document["reasons"]["loaded_joules_per_prompt_token"]["code"] == "not_loaded"
    assert {row.method for row in view.attributions} == {"sequential"}
