"""From a run to an operating point."""

from __future__ import annotations

import dataclasses

import pytest

from doubles import run_views, varied_runs
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.load.lengths import parse_lengths
from joulemark.load.made_up import MadeUp
from joulemark.load.token_rate import TokenRate
from joulemark.metrics import summarize
from joulemark.metrics.late_client import JOULES_HOLD
from joulemark.metrics.limits import Limit
from joulemark.metrics.point_device import UNKNOWN_DEVICE
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.point_settings import point_task, questions_digest
from joulemark.metrics.recommendation import Wish, recommend
from joulemark.metrics.run_point import _with_bound, run_point
from joulemark.metrics.run_view import RunView
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.metrics.steady_state import SteadyState, SteadyWindow
from joulemark.metrics.steady_window import longest_steady
from joulemark.metrics.value import Value
from joulemark.record.energy import Method
from joulemark.record.manifest import Load, Sampling, Task
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.runs.plan import RunPlan
from joulemark.runs.steady_energy import max_batch


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
    expected = {"max_batch": 1, "n_ctx": 4096, "prefix_cache": False, "quantization": "Q4_1"}
    assert point.settings == expected
    assert point.label == "Testboard 90, batch 1, quantization Q4_1"
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
    part = Span(0, run_views.T0 + 10 * run_views.S, run_views.T0 + (12 + seconds) * run_views.S)
    window = longest_steady(load, [(segment, part)])
    assert isinstance(window, SteadyWindow), window
    energy = run_views.measured(watts * window.duration_s, 1.0)
    return dataclasses.replace(
        view, headline_energy=energy, steady=SteadyState(window=window, load=segment, energy=energy)
    )


def test_a_loaded_run_is_its_steady_state() -> None:
    point, summary = _point(_loaded())
    bound = summary.figures["steady_joules_per_request_bound"]
    assert point.energy_j.value == summary.figures["steady_joules_per_request"].value
    assert (point.energy_j.lo, point.energy_j.hi) == (bound.lo, bound.hi)  # two blocks tell no interval
    assert point.energy_j.value == pytest.approx(25, rel=0.02)
    assert point.joules_per_correct.value == pytest.approx(25, rel=0.02)
    assert point.throughput.value == pytest.approx(4, rel=0.02)
    assert point.tokens_per_second.value == pytest.approx(84, rel=0.02)
    assert point.mean_power_w.value == pytest.approx(100)
    assert point.latencies_s["e2el_mean"].value == pytest.approx(1)
    assert point.latencies_s["tpot_mean"].value == pytest.approx(0.8 / 20)
    assert (point.settings["load"], point.settings["concurrency"]) == ("closed", 4)
    assert "concurrency 4" in point.label


@pytest.mark.parametrize(
    ("slack_j", "lo", "hi"), [(0.1, 80, 120), (4000.0, 60, 140)], ids=["blocks", "the meter"]
)
def test_the_interval_of_an_energy_is_the_wider_of_what_the_requests_and_the_meter_leave_open(
    slack_j: float, lo: float, hi: float
) -> None:
    """A hundred joules a request: the requests leave 20 % open, the meter 40 % or nothing."""
    found = _with_bound(
        Value(100.0, "J", 80.0, 120.0, "ci95"),
        Value(100.0, "J", 100 - slack_j / 100, 100 + slack_j / 100, "bound"),
    )
    assert (found.lo, found.hi, found.interval) == (lo, hi, "ci95")


def test_a_run_whose_counter_and_gauge_disagree_has_no_energy_to_choose_by() -> None:
    view = run_views.with_counter()
    energy = view.headline_energy
    off = dataclasses.replace(
        energy, joules=1.5 * energy.joules, lo=energy.joules, hi=2 * energy.joules, method=Method.INTEGRATED
    )
    point, _ = _point(dataclasses.replace(view, integrated_energy=off))
    assert point.energy_j.reason is Reason.METER_NOT_QUALIFIED
    assert "50 %" in point.energy_j.detail
    assert point.tokens_per_second.value is not None


def test_a_load_that_never_settled_gives_no_figures() -> None:
    view = _with(run_views.with_counter(), load=Load(mode="closed", concurrency=8))
    point, summary = _point(view)
    assert point.energy_j == summary.figures["steady_joules_per_request"]
    assert point.energy_j.value is None  # these requests came one after the other: nothing steady
    assert point.latencies_s["tpot_mean"].reason is point.energy_j.reason
    assert (point.settings["load"], point.settings["concurrency"]) == ("closed", 8)


def test_of_a_client_that_did_not_keep_up_the_joules_hold_and_no_time_does() -> None:
    view = run_views.with_counter()
    proof = view.manifest.client[0].model_copy(update={"invalid": ["client_cpu"]})
    point, summary = _point(_with(view, client=[proof]))
    for name in ("tpot_mean", "ttft_p50", "throughput", "tokens_per_second"):
        assert figure_of(point, name).reason is Reason.CLIENT_INVALID, name
    on_time, _ = _point(view)
    assert on_time.energy_j.value is not None
    for name in ("energy_j", "joules_per_correct", "mean_power_w"):
        assert figure_of(point, name) == figure_of(on_time, name), name
    (told,) = [one.text for one in summary.caveats if one.code == "client_invalid"]
    assert JOULES_HOLD in told
    assert JOULES_HOLD in point.late.replace("The joules", "the joules")
    assert "free the processor" in point.late
    assert on_time.late == ""


def test_a_point_whose_client_did_not_keep_up_enters_no_ranking() -> None:
    view = run_views.with_counter()
    proof = view.manifest.client[0].model_copy(update={"invalid": ["loop_lag"]})
    late, _ = _point(_with(view, client=[proof]))
    found = recommend([late], Wish())
    assert found.ranked == ()
    assert [(one.code, one.text) for one in found.left_out] == [("client_invalid", late.late)]
    found = recommend([late, _point(view)[0]], Wish())
    assert [point.late for point in found.ranked] == [""]


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
    expected = {"max_batch": 64, "tensor_parallel": 2, "n_ctx": 4096, "prefix_cache": False}
    assert point.settings == {**expected, "quantization": "Q4_1"}
    assert point.label == "Testboard 90, batch 64, TP 2, quantization Q4_1"


@pytest.mark.parametrize("name", ["max_num_seqs", "max_running_requests", "n_parallel", "parallel"])
def test_the_batch_is_known_by_the_engines_own_name(name: str) -> None:
    view = run_views.with_counter()
    engine = view.manifest.engine.model_copy(update={"flags": {name: 64}})
    described = _with(view, engine=engine)
    assert _point(described)[0].settings["max_batch"] == 64
    assert max_batch(described.manifest) == 64


def test_what_else_an_engine_was_run_with_is_kept_as_it_is() -> None:
    view = run_views.with_counter()
    line = "vllm serve m --port PORT --max-num-seqs 8 --kv-cache-dtype fp8 --enforce-eager --block-size=32"
    flags = {"max_batch": 8, "threads": 2, "launch": line}
    point, _ = _point(_with(view, engine=view.manifest.engine.model_copy(update={"flags": flags})))
    kept = {"port": "PORT", "kv_cache_dtype": "fp8", "enforce_eager": "on", "block_size": "32", "threads": 2}
    assert kept.items() <= point.flags.items()
    assert not {"launch", "max_num_seqs", "max_batch"} & point.flags.keys()


def _processor_only(view: RunView, *, local: bool | None, **fields: object) -> RunView:
    engine = view.manifest.engine.model_copy(update={"local": local})
    return _with(view, engine=engine, **fields)


def test_the_clients_processor_is_not_the_device() -> None:
    view = run_views.without_meter()
    here, _ = _point(_processor_only(view, local=True))
    assert (here.device, here.n_devices) == ("Testchip 2 @ 2.4 GHz", 1)
    for local in (False, None):
        elsewhere, _ = _point(_processor_only(view, local=local))
        assert (elsewhere.device, elsewhere.n_devices) == (None, None)
        assert UNKNOWN_DEVICE in elsewhere.notes


def test_the_metered_board_is_the_device_where_no_board_says_that_it_runs_the_model() -> None:
    view = run_views.with_counter()
    boards = [board.model_copy(update={"engine_on_device": False}) for board in view.manifest.devices]
    meters = [
        meter.model_copy(update={"source": dataclasses.replace(meter.source, device_name="NVIDIA L4")})
        for meter in view.manifest.meters
    ]
    point, _ = _point(_with(view, devices=boards, meters=meters))
    assert (point.device, point.n_devices) == ("NVIDIA L4", 1)
    nameless = [
        meter.model_copy(update={"source": dataclasses.replace(meter.source, device_name=None)})
        for meter in meters
    ]
    assert _point(_with(view, devices=boards, meters=nameless))[0].device is None


def test_a_mean_that_leaves_failures_out_is_withheld() -> None:
    point, summary = _point(run_views.with_counter(with_failures=True))
    assert summary.latency["e2el"].n_failed > 0.01 * summary.n_requests
    for name in ("e2el_mean", "tpot_mean", "ttft_mean"):
        assert point.latencies_s[name].reason is Reason.REQUEST_FAILED
        assert Limit(name, 1e9).check(point).met is None
    assert point.latencies_s["e2el_p50"].value is not None


@pytest.mark.parametrize(
    "changed",
    [
        {"revision": "2"},
        {"items_hash": "other"},
        {"template_hash": "other"},
        {"budget_hash": "other"},
        {"n_shot": 5},
        {"split": "train"},
    ],
)
def test_other_questions_have_another_digest(changed: dict[str, object]) -> None:
    view = run_views.with_counter()
    task = view.manifest.task.model_copy(update=changed)
    one, other = _point(view)[0], _point(_with(view, task=task))[0]
    assert one.questions != other.questions
    assert one.task == other.task


def _synthetic(lengths: str, n: int, seed: int = 0) -> Task:
    drawn = parse_lengths(lengths)
    made_up = MadeUp(f"synthetic-{drawn.name}", "made up", tuple(drawn.draw(n, seed)), seed)
    engine = UrlEngine(UrlOptions("http://127.0.0.1:9"))  # never asked
    return RunPlan(made_up.task_set(TokenRate()), engine, Sampling(max_tokens=8)).task_facts


def test_more_made_up_requests_are_the_same_questions_and_other_lengths_are_not() -> None:
    few, many = _synthetic("128:64", 3), _synthetic("128:64", 50)
    assert few.items_hash != many.items_hash
    assert questions_digest(few) == questions_digest(many)
    assert point_task(few) == point_task(many) == "synthetic-128-64"
    assert point_task(_synthetic("128:16", 3)) != point_task(few)
    assert questions_digest(_synthetic("128:64", 3, seed=1)) != questions_digest(few)


def test_other_questions_are_another_task() -> None:
    view = run_views.with_counter()
    task = view.manifest.task.model_copy(update={"subset_key": "first-50", "preset": "short"})
    assert _point(_with(view, task=task))[0].task == f"{task.name}:short (subset first-50)"
