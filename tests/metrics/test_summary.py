import dataclasses
import json
import math

import pytest

from doubles import run_views, varied_runs
from doubles.run_views import item
from joulemark.meters.notes import LACKS, MIG_SHARED, MODULE_SCOPE, note
from joulemark.metrics import definitions, summarize
from joulemark.metrics.catalogue import NOT_FIGURES
from joulemark.record.energy import Withheld
from joulemark.record.item import CLOSED, Attempt, Item, Verdict
from joulemark.record.manifest import ClientProof
from joulemark.record.meter import Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

VIEWS = {
    "counter": run_views.with_counter,
    "failures": lambda: run_views.with_counter(with_failures=True),
    "no meter": run_views.without_meter,
    "not streamed": run_views.not_streamed,
    "replayed": run_views.replayed,
}


@pytest.fixture(params=VIEWS, scope="module")
def view(request):
    return VIEWS[request.param]()


def _codes(summary, *, loud=None):
    return {c.code for c in summary.caveats if loud is None or c.loud == loud}


def _changed(view, **fields):
    return dataclasses.replace(view, manifest=view.manifest.model_copy(update=fields))


def test_every_figure_is_defined_once_and_in_its_unit(view):
    summary = summarize(view)
    defined = {d.name: d for d in definitions()}
    assert len(defined) == len(definitions())
    assert set(defined) == set(summary.figures) | set(summary.latency) | NOT_FIGURES
    assert not NOT_FIGURES & set(summary.figures)
    for name, value in summary.figures.items():
        assert value.unit == defined[name].unit, name
    for name, latency in summary.latency.items():
        assert {v.unit for v in latency.answered.values()} == {defined[name].unit}


def test_definitions_are_complete_and_readable():
    for d in definitions():
        assert d.title
        assert d.latex
        assert d.inputs
        assert d.source
        assert not set("\\{}") & set(d.formula), d.formula
        assert d.formula in d.tooltip()


def test_json_is_strict_unrounded_and_gives_a_reason_for_every_null(view):
    summary = summarize(view)
    document = summary.to_json()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    for name, value in summary.figures.items():
        assert document[name] == value.value
        assert (name in document["reasons"]) == (document[name] is None)
        assert document["units"][name] == value.unit
    for name in ("measurement_tier", "energy_source", "headline_source", "headline_scope", "streaming_used"):
        assert (name in document["reasons"]) == (document[name] is None), name
    for form in document["latency"].values():
        for kind in ("answered", "with_failures"):
            nulls = {p for p, v in form[kind].items() if v is None}
            assert nulls == set(form[f"{kind}_reasons"])


def test_figures_agree_with_each_other():
    view = run_views.with_counter(with_failures=True)
    summary = summarize(view)
    f = {name: value.value for name, value in summary.figures.items()}
    assert f["joules_per_correct_answer"] * summary.n_correct == pytest.approx(f["total_joules"])
    assert f["joules_per_correct_answer"] * f["ipj"] == pytest.approx(1.0)
    assert f["joules_per_request"] * summary.n_requests == pytest.approx(f["total_joules"])
    assert f["mean_power_w"] * summary.duration_s == pytest.approx(f["total_joules"])
    assert (
        summary.n_correct + sum(n for v, n in summary.verdicts.items() if v != "correct")
        == summary.n_requests
    )
    assert f["counter_vs_integration_pct_diff"] == pytest.approx(2.7)
    assert (summary.measurement_tier, summary.energy_source, summary.headline_scope) == (
        "C",
        "counter",
        "gpu:0",
    )
    check = summary.checks[0]
    assert check.items_j + check.idle_j + check.residual_j == pytest.approx(f["total_joules"])


def test_warm_up_items_count_nowhere():
    view = run_views.with_counter()
    dropped = dataclasses.replace(view, items=view.measured_items)
    assert len(view.items) == len(dropped.items) + 1
    assert summarize(view) == summarize(dropped)


def test_the_summary_is_a_pure_function():
    assert summarize(run_views.with_counter()) == summarize(run_views.with_counter())


def test_no_meter_says_so_loudly_and_keeps_what_is_valid():
    summary = summarize(run_views.without_meter())
    loud = next(c for c in summary.caveats if c.loud)
    assert loud is summary.caveats[0]
    assert "joulemark doctor" in loud.text
    assert summary.figures["joules_per_correct_answer"].reason is Reason.NO_METER
    assert summary.tier_reason is Reason.NO_METER
    for name in ("accuracy", "cpu_seconds_per_correct_answer", "tokens_per_second"):
        assert math.isfinite(summary.figures[name].value)
    remote = dataclasses.replace(run_views.without_meter(), headline_energy=Withheld(Reason.ENGINE_REMOTE))
    assert "on the machine that runs the engine" in summarize(remote).caveats[0].text


def test_a_replayed_meter_is_said_first_and_has_no_tier():
    summary = summarize(run_views.replayed())
    assert summary.replayed
    assert summary.caveats[0].code == "replayed_meter"
    assert summary.caveats[0].loud
    assert summary.measurement_tier is None


def test_caveats_follow_from_what_was_recorded():
    view = run_views.with_counter()
    assert _codes(summarize(view), loud=True) == set()
    shared = run_views.device(engine_on_device=False, other_processes=["Xorg"])
    cases = {
        "client_invalid": {"client": [ClientProof(segment=0, invalid=["late_sends"])]},
        "shared_device": {"devices": [shared]},
        "engine_not_on_device": {"devices": [shared]},
        "partial": {"state": "partial"},
        "resumed": {"segments": view.manifest.segments * 2},
        "prefix_cache": {"engine": view.manifest.engine.model_copy(update={"prefix_cache": None})},
        "suspect_meter": {"meters": [run_views.meter(trust=Trust.SUSPECT, reason="it stood still")]},
        "note": {"notes": ["the fan was loud"]},
    }
    for code, fields in cases.items():
        assert code not in _codes(summarize(view))
        assert code in _codes(summarize(_changed(view, **fields))), code
    assert summarize(_changed(view, **cases["client_invalid"])).invalid == ("late_sends",)
    drifting = dataclasses.replace(
        view, integrated_energy=dataclasses.replace(view.integrated_energy, joules=1.0, lo=0.0)
    )
    assert "drift" in _codes(summarize(drifting), loud=True)
    hot = dataclasses.replace(view, throttle_s={"sw_thermal": 2.0})
    assert "thermal_throttle" in _codes(summarize(hot))


def test_devices_that_give_no_joules_are_not_spoken_of():
    # a desktop: the engine runs on the processor, Xorg on the board
    view = run_views.with_counter()
    package = dataclasses.replace(view.headline_energy, source="rapl:package-0", scopes=(Scope.package(0),))
    board = run_views.device(engine_on_device=False, other_processes=["Xorg"])
    desktop = _changed(dataclasses.replace(view, headline_energy=package), devices=[board])
    assert _codes(summarize(desktop), loud=True) == set()
    bare = _changed(run_views.without_meter(), devices=[board])
    assert _codes(summarize(bare), loud=True) == {"no_joules"}
    assert _codes(summarize(_changed(run_views.replayed(), devices=[board])), loud=True) == {"replayed_meter"}


@pytest.mark.parametrize(
    ("reason", "seen", "code"),
    [
        (Reason.ENGINE_NOT_ON_DEVICE, False, "engine_not_on_device"),
        (Reason.ENGINE_NOT_VISIBLE, None, "engine_not_visible"),
    ],
)
def test_withheld_for_the_engines_place_names_each_board_and_why(reason, seen, code):
    view = dataclasses.replace(run_views.with_counter(), headline_energy=Withheld(reason))
    boards = [
        run_views.device(
            k, engine_on_device=seen, why="the driver lists no processes", other_processes=["Xorg"]
        )
        for k in (0, 1)
    ]
    found = [c for c in summarize(_changed(view, devices=boards)).caveats if c.code == code]
    assert [c.loud for c in found] == [True, True]
    assert ["gpu:0" in found[0].text, "gpu:1" in found[1].text] == [True, True]
    assert all("the driver lists no processes." in c.text for c in found)
    assert "shared_device" not in _codes(summarize(_changed(view, devices=boards)))


def test_several_segments_say_each_thing_once():
    view = run_views.with_counter()
    devices = [
        run_views.device(segment=k, other_processes=processes)
        for k, processes in enumerate((["Xorg"], ["Xorg", "firefox"], []))
    ]
    meters = [run_views.meter(segment=k, trust=Trust.SUSPECT, reason="it stood still") for k in range(3)]
    caveats = summarize(_changed(view, devices=devices, meters=meters)).caveats
    shared = [c.text for c in caveats if c.code == "shared_device"]
    assert len(shared) == 1
    assert "(Xorg, firefox)" in shared[0]
    assert len([c for c in caveats if c.code == "suspect_meter"]) == 1


def test_what_the_joules_cover_besides_one_gpu_is_told():
    view = run_views.with_counter()
    notes = (note(MIG_SHARED, "shared by all"), note(MODULE_SCOPE, "the module"), note(LACKS, "fan_pct"))
    caveats = summarize(_changed(view, meters=[run_views.meter(notes=notes)])).caveats
    told = {c.code: c for c in caveats if c.text.startswith("nvml:0: ")}
    assert {code: c.loud for code, c in told.items()} == {MIG_SHARED: True, MODULE_SCOPE: False}
    assert told[MIG_SHARED].text == "nvml:0: shared by all."
    beside = [run_views.meter(), run_views.meter("nvml:1", scope=Scope.gpu(1), notes=notes)]
    assert MIG_SHARED not in _codes(summarize(_changed(view, meters=beside)))


@pytest.mark.parametrize(
    ("reason", "way"),
    [
        (Reason.NO_METER, "To get joules, run `joulemark doctor`"),
        (Reason.ENGINE_NOT_VISIBLE, "To get joules, name the engine's process: `--engine-pid PID`."),
        (Reason.ENGINE_REMOTE, "To get joules, run joulemark on the machine that runs the engine."),
        (Reason.COUNTER_RESET, "To get joules, run again; `joulemark doctor` tests the meters."),
    ],
)
def test_each_reason_without_joules_has_its_way_out(reason, way):
    view = dataclasses.replace(run_views.without_meter(), headline_energy=Withheld(reason))
    assert way in summarize(view).caveats[0].text


def test_questions_with_budgets_of_their_own_hit_their_own_limit():
    text = next(c.text for c in summarize(run_views.with_counter()).caveats if c.code == "truncated")
    assert "hit their token limit" in text
    assert "128" not in text


def _cut_off(view, joules, **fields):
    """Return ``view`` with a request in flight at the end of an earlier segment, asked again in this one."""
    again = view.measured_items[0]
    cut = item(
        item_id=again.item_id, phase="abandoned", verdict=None, correct=None, segment=1, tokens=None,
        prompt_tokens=None, streamed=None, first_s=None, attempts=(), **fields,
    )  # fmt: skip
    row = dataclasses.replace(view.attributions[0], segment=1, joules=joules, lo=None, hi=None)
    rows = view.attributions if joules is None else (*view.attributions, row)
    return dataclasses.replace(view, items=(*view.items, cut), attributions=rows)


@pytest.mark.parametrize("joules", [None, 0.0, 40.0])
def test_a_request_that_was_cut_off_counts_in_no_figure(joules):
    view = run_views.with_counter()
    cut = _cut_off(view, joules)
    assert len(cut.abandoned_items) == 1
    whole, other = summarize(view), summarize(cut)
    for name in ("figures", "latency", "verdicts", "n_items", "n_requests", "n_scored", "n_retried"):
        assert getattr(whole, name) == getattr(other, name), name
    assert cut.headline_attributions() == view.headline_attributions()
    text = next(c.text for c in other.caveats if c.code == "abandoned_requests")
    assert ("40.0 J, is inside the joules" in text) == (joules == 40.0)
    assert ("left out of the joules" in text) == (joules != 40.0)
    assert "abandoned_requests" not in _codes(whole)


def test_energy_of_a_cut_off_request_that_is_not_known_is_called_so():
    view = _cut_off(run_views.with_counter(), 1.0)
    lost = dataclasses.replace(view.attributions[-1], joules=None, reason=Reason.COUNTER_RESET)
    view = dataclasses.replace(view, attributions=(*view.attributions[:-1], lost))
    text = next(c.text for c in summarize(view).caveats if c.code == "abandoned_requests")
    assert "how much is not known" in text
    bare = _cut_off(run_views.with_counter(), 1.0)
    bare = dataclasses.replace(bare, headline_energy=Withheld(Reason.COUNTER_RESET))
    text = next(c.text for c in summarize(bare).caveats if c.code == "abandoned_requests")
    assert "joules" not in text


def test_failures_and_retries_are_told():
    summary = summarize(run_views.with_counter(with_failures=True))
    assert {"failed_requests", "retried"} <= _codes(summary)
    assert summary.n_retried == 13
    assert summary.verdicts["failed"] == 7


def test_what_met_the_closing_of_a_kept_connection_is_told_and_is_no_retry():
    view = run_views.with_counter()
    *others, one, two = view.items

    def met(item: Item, *errors: str | None) -> Item:
        attempts = [
            Attempt(item.t_sent - 9 + i, item.t_sent - 8 + i, error) for i, error in enumerate(errors)
        ]
        return dataclasses.replace(item, attempts=(*attempts, Attempt(item.t_sent, item.t_end)))

    summary = summarize(
        dataclasses.replace(view, items=(*others, met(one, CLOSED), met(two, "reset", CLOSED)))
    )
    assert summary.n_retried == 1
    (caveat,) = (caveat for caveat in summary.caveats if caveat.code == "sent_again")
    assert caveat.text.startswith("2 requests met the closing of a kept connection and were sent again")
    assert "sent_again" not in _codes(summarize(view))


def test_an_empty_run_is_all_reasons_and_no_crash():
    empty = dataclasses.replace(run_views.without_meter(), items=(), duration_s=None, cpu_seconds=None)
    summary = summarize(empty)
    json.dumps(summary.to_json(), allow_nan=False)
    only = "No request was completed."
    latencies = [v for one in summary.latency.values() for v in one.answered.values()]
    assert {v.detail for v in (*summary.figures.values(), *latencies)} == {only}
    assert all(v.value is None for v in (*summary.figures.values(), *latencies))
    assert "outside_timeline" not in json.dumps(summary.to_json())
    assert _codes(summary, loud=True) == {"nothing_completed", "no_joules"}
    assert "valid" not in next(c.text for c in summary.caveats if c.code == "no_joules")
    nothing = dataclasses.replace(empty, headline_energy=Withheld(Reason.NO_SAMPLES))
    assert _codes(summarize(nothing), loud=True) == {"nothing_completed"}


def test_a_run_of_failures_only():
    failed = tuple(
        item(k, verdict=Verdict.FAILED, streamed=None, first_s=None, tokens=None) for k in range(12)
    )
    summary = summarize(dataclasses.replace(run_views.with_counter(), items=failed, chunks={}))
    assert summary.figures["accuracy"].value == 0.0
    assert summary.figures["joules_per_correct_answer"].detail == "No request was completed."
    assert summary.figures["total_joules"].value is not None
    assert summary.streaming_used is None
    assert "nothing_completed" in _codes(summary, loud=True)
    assert "failed_requests" in _codes(summary, loud=True)


def test_a_replayed_trace_is_told_whether_or_not_it_gave_the_headline():
    view = run_views.with_counter()
    trace = run_views.meter("replay:desk", "replay", Scope.package(0))
    beside = summarize(_changed(view, meters=[run_views.meter(), trace]))
    assert not beside.replayed
    assert beside.caveats[0].code == "replayed_meter"
    assert "Beside the live meter" in beside.caveats[0].text
    bare = dataclasses.replace(view, headline_energy=Withheld(Reason.ENGINE_REMOTE))
    alone = summarize(_changed(bare, meters=[trace]))
    assert alone.replayed
    assert [c.code for c in alone.caveats if c.loud] == ["replayed_meter", "no_joules"]


@pytest.mark.parametrize(
    ("fields", "gone"),
    [
        ({"foreign_cpu_share": 0.2}, ("latencies", "processor seconds")),
        ({"cpu_seconds": None}, ("processor seconds",)),
        ({"items": run_views.not_streamed().items}, ("latencies", "tokens")),
        ({}, ()),
    ],
)
def test_only_what_holds_is_called_valid(fields, gone):
    found = summarize(dataclasses.replace(run_views.without_meter(), **fields)).caveats
    said = next(c.text for c in found if c.code == "no_joules")
    for name in ("accuracy", "tokens", "latencies", "processor seconds"):
        assert (name in said) == (name not in gone), name


def test_a_client_that_did_not_keep_up_makes_latencies_invalid():
    view = _changed(run_views.without_meter(), client=[ClientProof(segment=0, invalid=["loop_lag"])])
    said = next(c.text for c in summarize(view).caveats if c.code == "no_joules")
    assert "valid all the same: accuracy, tokens and processor seconds." in said


def test_how_much_of_a_run_there_is():
    view = _changed(run_views.without_meter(2), state="partial")
    summary = summarize(dataclasses.replace(view, wanted=52))
    assert summary.to_json()["n_wanted"] == 52
    assert "2 of 52 answers" in next(c.text for c in summary.caveats if c.code == "partial")
    unknown = summarize(view).to_json()
    assert unknown["n_wanted"] is None
    assert unknown["reasons"]["n_wanted"]["code"] == "not_reported"


def test_the_settings_of_a_run_are_there_with_a_reason_for_what_is_not_known():
    document = summarize(run_views.with_counter()).to_json()
    assert document["setup"]["max_tokens"] == 128
    assert document["setup"]["machine"] == "NVIDIA Testboard 90, 2 × Testchip 2 @ 2.4 GHz"
    for name, setting in document["setup"].items():
        assert (f"setup.{name}" in document["reasons"]) == (setting is None)


def _opinions(verdict, correct):
    view = run_views.with_counter(20)
    items = tuple(
        dataclasses.replace(i, verdict=verdict, correct=correct, score=None) for i in view.measured_items
    )
    task = view.manifest.task.model_copy(update={"score_range": (0.0, 1.0)})
    return _changed(dataclasses.replace(view, items=items), task=task)


def test_a_real_valued_task_in_which_nothing_could_be_scored_knows_no_correct():
    view = _opinions(Verdict.UNPARSED, None)
    failed = dataclasses.replace(view.items[0], verdict=Verdict.FAILED, correct=False)
    summary = summarize(dataclasses.replace(view, items=(failed, *view.items[1:])))
    for name in (
        "accuracy",
        "accuracy_excluding_failed",
        "accuracy_excluding_truncated",
        "joules_per_correct_answer",
        "joules_per_correct_answer_bound",
        "cpu_seconds_per_correct_answer",
        "ipj",
        "accuracy_per_watt",
    ):
        assert summary.figures[name].reason is Reason.REAL_VALUED_SCORE, name
    assert summary.figures["mean_score"].reason is Reason.NOTHING_SCORED
    assert summary.repeats["accuracy"].reason is Reason.REAL_VALUED_SCORE
    assert summary.repeats["joules_per_correct_answer"].reason is Reason.REAL_VALUED_SCORE
    assert (summary.n_scored, summary.n_correct) == (0, 0)
    assert "real_valued_score" in _codes(summary)


def test_a_cache_that_was_not_to_be_used_is_told():
    view = run_views.with_counter()
    assert view.manifest.engine.prefix_cache is False
    hit = tuple(
        dataclasses.replace(i, cached_tokens=600 if k < 2 else 0) for k, i in enumerate(view.measured_items)
    )
    told = dataclasses.replace(view, items=hit)
    (caveat,) = (c for c in summarize(told).caveats if c.code == "prompt_cache_hit")
    assert "1,200 prompt tokens came from a cache" in caveat.text
    allowed = view.manifest.engine.model_copy(update={"prefix_cache": True})
    assert "prompt_cache_hit" not in _codes(summarize(_changed(told, engine=allowed)))
    none = tuple(dataclasses.replace(i, cached_tokens=0) for i in view.measured_items)
    assert "prompt_cache_hit" not in _codes(summarize(dataclasses.replace(view, items=none)))


def test_a_wall_meter_whose_figure_did_not_survive_raises_no_tier():
    view = varied_runs.with_wall_meter()
    assert summarize(view).measurement_tier == "B"
    for reason in (Reason.LESS_THAN_ITS_PART, Reason.METER_LOST):
        other = {**view.other_energy, "shelly:desk · wall": Withheld(reason)}
        assert summarize(dataclasses.replace(view, other_energy=other)).measurement_tier == "C"
    by_power = {
        **view.other_energy,
        "shelly:desk · wall": Withheld(Reason.SHORTER_THAN_STEP),
        "shelly:desk (power) · wall": view.other_energy["shelly:desk · wall"],
    }
    assert summarize(dataclasses.replace(view, other_energy=by_power)).measurement_tier == "B"
