"""From a run to an operating point."""

from __future__ import annotations

import dataclasses

import pytest

from doubles import run_views, varied_runs
from joulemark.metrics import summarize
from joulemark.metrics.attribution import Slice
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.run_point import run_point
from joulemark.metrics.run_view import RunView
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.metrics.steady import longest_steady
from joulemark.metrics.steady_state import SteadyState, SteadyWindow
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason


def _point(view: RunView):
    summary = summarize(view)
    return run_point(view, summary, "runs/one"), summary


def _with(view: RunView, **fields: object) -> RunView:
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update=fields))


def test_a_sequential_run() -> None:
    view = run_views.with_counter()
    point, summary = _point(view)
    figures = summary.figures
    assert point.energy_j == figures["joules_per_request"]
    assert point.joules_per_correct == figures["joules_per_correct_answer"]
    assert point.accuracy == figures["accuracy"]
    assert point.mean_power_w == figures["mean_power_w"]
    assert (point.kind, point.tier, point.scope, point.unit) == ("measured", "C", "gpu", "request")
    assert (point.device, point.n_devices) == ("NVIDIA Testboard 90", 1)
    assert point.latencies_s["ttft_p50"] == summary.latency["ttft"].with_failures[50]
    samples = summary.latency["tpot"].samples_s
    assert point.latencies_s["tpot_mean"].value == pytest.approx(sum(samples) / len(samples))
    assert point.throughput.value == pytest.approx(summary.n_requests / summary.duration_s)
    assert point.settings == {"quantization": "Q4_1"}
    assert point.config_hash == view.manifest.config_hash
    assert point.tdp_energy_j.reason is Reason.NOT_REPORTED  # of no board that is on file


def test_the_estimate_by_rated_power_is_of_all_the_time() -> None:
    view = run_views.with_counter()
    board = view.manifest.devices[0].model_copy(update={"name": "NVIDIA L4"})
    point, summary = _point(_with(view, devices=[board]))
    assert point.tdp_energy_j.value == pytest.approx(72 * summary.duration_s / summary.n_requests)
    ratio = figure_of(point, "tdp_ratio").value
    assert ratio == pytest.approx(72 / summary.figures["mean_power_w"].value)


def test_a_percentile_counts_failures_and_a_mean_tells_of_them() -> None:
    point, summary = _point(run_views.with_counter(with_failures=True))
    assert point.latencies_s["e2el_p90"] == summary.latency["e2el"].with_failures[90]
    assert any("failed" in note for note in point.notes)


def test_without_a_meter_the_energy_is_withheld_with_its_reason() -> None:
    point, _ = _point(run_views.without_meter())
    assert (point.energy_j.reason, point.tier, point.scope) == (Reason.NO_METER, None, None)
    assert point.latencies_s["tpot_mean"].value is not None


def test_a_replayed_trace_is_no_measurement() -> None:
    assert _point(run_views.replayed())[0].kind == "simulated"


def _loaded(places: int = 4, seconds: int = 60, watts: float = 100.0) -> RunView:
    """Return a closed load: each place asks again every second, so a request costs watts / places joules."""
    items = tuple(
        run_views.item(k * places + place, start_s=10 + k + place / places, end_s=1.0, tokens=21)
        for k in range(seconds)
        for place in range(places)
    )
    load = Load(mode="closed", concurrency=places)
    view = dataclasses.replace(_with(run_views.without_meter(), load=load), items=items, chunks={})
    segment = SegmentLoad.of(0, items, {})
    part = Slice(0, run_views.T0 + 10 * run_views.S, run_views.T0 + (12 + seconds) * run_views.S)
    window = longest_steady(load, [(segment, part)])
    assert isinstance(window, SteadyWindow), window
    energy = run_views.measured(watts * window.duration_s, 1.0)
    return dataclasses.replace(
        view, headline_energy=energy, steady=SteadyState(window=window, load=segment, energy=energy)
    )


def test_a_loaded_run_is_its_steady_state() -> None:
    point, summary = _point(_loaded())
    assert point.energy_j == summary.figures["steady_joules_per_request"]
    assert point.energy_j.value == pytest.approx(25, rel=0.02)
    assert point.joules_per_correct.value == pytest.approx(25, rel=0.02)
    assert point.throughput.value == pytest.approx(4, rel=0.02)
    assert point.tokens_per_second.value == pytest.approx(84, rel=0.02)
    assert point.mean_power_w.value == pytest.approx(100)
    assert point.latencies_s["e2el_mean"].value == pytest.approx(1)
    assert point.latencies_s["tpot_mean"].value == pytest.approx(0.8 / 20)
    assert (point.settings["load"], point.settings["concurrency"]) == ("closed", 4)
    assert "concurrency 4" in point.label


def test_a_load_that_never_settled_gives_no_figures() -> None:
    view = _with(run_views.with_counter(), load=Load(mode="closed", concurrency=8))
    point, summary = _point(view)
    assert point.energy_j == summary.figures["steady_joules_per_request"]
    assert point.energy_j.value is None  # these requests came one after the other: nothing steady
    assert point.latencies_s["tpot_mean"].reason is point.energy_j.reason
    assert (point.settings["load"], point.settings["concurrency"]) == ("closed", 8)


def test_nothing_is_believed_of_a_client_that_was_too_busy() -> None:
    view = run_views.with_counter()
    proof = view.manifest.client[0].model_copy(update={"invalid": ["client_cpu"]})
    point, _ = _point(_with(view, client=[proof]))
    for name in ("energy_j", "joules_per_correct", "tpot_mean", "ttft_p50", "throughput"):
        assert figure_of(point, name).reason is Reason.CLIENT_INVALID, name


def test_money_and_carbon_are_of_the_same_joules() -> None:
    point, _ = _point(varied_runs.priced())
    assert point.usd.value == pytest.approx(point.energy_j.value / 3.6e6 * 0.30 * 1.2)
    assert point.gco2e.value == pytest.approx(point.energy_j.value / 3.6e6 * 381.0 * 1.2)


def test_flags_of_a_sweep_are_its_settings() -> None:
    view = run_views.with_counter()
    engine = view.manifest.engine.model_copy(
        update={"flags": {"max_batch": 64, "tensor_parallel": 2, "preemption": None, "n_ctx": 4096}}
    )
    point, _ = _point(_with(view, engine=engine))
    assert point.settings == {"max_batch": 64, "tensor_parallel": 2, "quantization": "Q4_1"}
    assert point.label == "Testboard 90, batch 64, TP 2, quantization Q4_1"


def test_other_questions_are_another_task() -> None:
    view = run_views.with_counter()
    task = view.manifest.task.model_copy(update={"subset_key": "first-50", "preset": "short"})
    assert _point(_with(view, task=task))[0].task == f"{task.name}:short (subset first-50)"
