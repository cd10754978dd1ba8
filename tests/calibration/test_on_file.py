"""Which calibration a run takes, and what it says of those that it does not."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from doubles.calibrations import GPU, NOW, engine, power, source, stretch
from joulemark.calibration.document import EngineKey
from joulemark.calibration.on_file import RunFacts, baselines_for
from joulemark.calibration.store import calibrations_home, save
from joulemark.record.manifest import WallFit
from joulemark.record.scope import Scope

LATER = datetime.fromisoformat(NOW) + timedelta(days=3)
PLANE = WallFit(
    terms=["base", "gpu"],
    coefficients=[50.0, 1.1],
    covariance=[[1.0, 0.0], [0.0, 0.01]],
    residual_sd_w=2.0,
    n_points=9,
    lowest_w={"gpu": 20.0},
    highest_w={"gpu": 300.0},
    wall_source="shelly",
    measured_utc=NOW,
)


def facts(**fields: object) -> RunFacts:
    defaults: dict[str, object] = {
        "host_hash": "here",
        "engine": engine(),
        "headline": [source()],
        "sources": [source()],
        "limits_w": {GPU: 350.0},
        "drivers": {GPU: "580.1"},
    }
    return RunFacts(**{**defaults, **fields})  # type: ignore[arg-type]


def test_a_run_like_the_calibration_gets_both_baselines(calibration):
    found = baselines_for(facts(), [calibration()], now=LATER).baselines
    assert (found.empty_idle_w, found.empty_idle_bound_w) == (20.0, (19.0, 21.0))
    assert (found.loaded_idle_w, found.loaded_idle_bound_w) == (60.0, (59.0, 61.0))
    assert found.scope == "gpu:0"
    assert found.loaded_measured_utc == NOW
    assert set(found.reasons) == {"wall_fit"}


@pytest.mark.parametrize(
    ("other", "words"),
    [
        ({"limits_w": {GPU: 250.0}}, "power limit of 350 W, and 250 W is in force"),
        ({"drivers": {GPU: "590.2"}}, "driver 580.1, and 590.2 is loaded"),
        ({"headline": [source(device_id="0ther")]}, "another device"),
        ({"headline": [source(kind="zeus")]}, "other meters"),
        ({"headline": [source(), source(scope=Scope.gpu(1), name="nvml:1")]}, "other meters"),
        ({"headline": []}, "no headline meter"),
        ({"host_hash": "elsewhere"}, ""),
    ],
)
def test_what_was_measured_otherwise_is_not_applied_and_says_so(calibration, other, words):
    found = baselines_for(facts(**other), [calibration()], now=LATER).baselines
    for name in ("empty_idle_w", "loaded_idle_w"):
        assert getattr(found, name) is None
        assert found.reasons[name].startswith("no_baseline")
        assert words in found.reasons[name]


@pytest.mark.parametrize(
    "other",
    [
        {"model_digest": "sha256:2"},
        {"kind": "vllm"},
        {"model_digest": None},
    ],
)
def test_another_model_has_the_empty_idle_alone(calibration, other):
    found = baselines_for(facts(engine=engine(**other)), [calibration()], now=LATER).baselines
    assert found.empty_idle_w == 20.0
    assert found.loaded_idle_w is None
    assert found.reasons["loaded_idle_w"] == "no_baseline"


def test_without_a_digest_address_and_name_tell_models_apart(calibration):
    undigested = calibration(engine=EngineKey(kind="llama.cpp", model="m", endpoint_hash="e1"))

    def loaded(**fields: object) -> float | None:
        run = facts(engine=engine(model_digest=None, **fields))
        return baselines_for(run, [undigested], now=LATER).baselines.loaded_idle_w

    assert loaded() == 60.0
    assert loaded(endpoint_hash="e2") is None
    assert loaded(model="n") is None


def test_one_that_an_earlier_version_made_here_is_to_be_measured_again(calibration):
    told = (
        "an earlier version, which knew a machine by its name alone; `joulemark calibrate` measures it again"
    )
    mine = facts(host_hash="this machine", earlier_host_hash="here")
    found = baselines_for(mine, [calibration()], now=LATER).baselines
    assert (found.empty_idle_w, found.loaded_idle_w, found.wall_fit) == (None, None, None)
    assert all(told in found.reasons[name] for name in ("empty_idle_w", "loaded_idle_w", "wall_fit"))
    again = calibration(host_hash="this machine")
    found = baselines_for(mine, [again, calibration()], now=LATER).baselines
    assert found.empty_idle_w == 20.0
    assert told not in found.reasons["wall_fit"]


def test_the_newest_that_fits_is_taken(calibration):
    newest = calibration(id="2", limits_w={GPU: 250.0}, loaded=stretch(44.0))
    found = baselines_for(facts(), [newest, calibration()], now=LATER).baselines
    assert found.loaded_idle_w == 60.0
    at_250 = facts(limits_w={GPU: 250.4})
    assert baselines_for(at_250, [newest, calibration()], now=LATER).baselines.loaded_idle_w == 44.0


def test_a_newer_one_that_says_nothing_does_not_replace_an_older_one(calibration):
    blunt = stretch(60.0, powers=[power(60.0, lo_w=0.0, hi_w=300.0)])
    newest = calibration(id="2", loaded=blunt, empty=blunt)
    found = baselines_for(facts(), [newest, calibration()], now=LATER).baselines
    assert (found.empty_idle_w, found.loaded_idle_bound_w) == (20.0, (59.0, 61.0))
    alone = baselines_for(facts(), [newest], now=LATER).baselines
    assert (alone.empty_idle_w, alone.loaded_idle_w) == (None, None)
    assert "its bound is wider than its power" in alone.reasons["loaded_idle_w"]


def test_an_old_one_is_not_applied(calibration):
    now = datetime.fromisoformat(NOW) + timedelta(days=91)
    found = baselines_for(facts(), [calibration()], now=now).baselines
    assert found.loaded_idle_w is None
    assert "more than 90 days ago" in found.reasons["loaded_idle_w"]
    undated = calibration(loaded=stretch(60.0, at="yesterday"))
    assert "no date" in baselines_for(facts(), [undated], now=now).baselines.reasons["loaded_idle_w"]
    before = datetime.fromisoformat(NOW) - timedelta(days=2)
    assert (
        "after today"
        in baselines_for(facts(), [calibration()], now=before).baselines.reasons["loaded_idle_w"]
    )


def test_several_boards_of_a_headline_are_summed(calibration):
    second = {"source": "nvml:1", "scope": str(Scope.gpu(1)), "device_hash": "b0b"}
    both = calibration(loaded=stretch(60.0, powers=[power(60.0), power(80.0, **second)]))
    run = facts(headline=[source(), source(name="nvml:1", scope=Scope.gpu(1), device_id="b0b")])
    found = baselines_for(run, [both], now=LATER).baselines
    assert found.loaded_idle_w == 140.0
    assert found.loaded_idle_bound_w == (138.0, 142.0)
    assert found.scope == "gpu:0+gpu:1"


def test_a_forced_one_is_applied_with_a_note(calibration):
    forced = calibration(loaded=stretch(60.0, flags=["measured although the machine was not idle"]))
    found = baselines_for(facts(), [forced], now=LATER)
    assert found.baselines.loaded_idle_w == 60.0
    assert any("not idle" in note for note in found.notes)


def test_a_plane_needs_the_devices_it_was_fitted_over(calibration):
    with_wall = calibration(wall_fit=PLANE, wall_sources=[power(60.0)])
    assert baselines_for(facts(), [with_wall], now=LATER).baselines.wall_fit == PLANE
    lacking = baselines_for(facts(sources=[source(device_id="x")]), [with_wall], now=LATER).baselines
    assert lacking.wall_fit is None
    assert lacking.reasons["wall_fit"].startswith("no_wall_calibration: ")


def test_what_was_replayed_is_never_applied_to_a_run_with_real_meters(calibration):
    # a trace has no device, and so has many a real meter: the kind tells them apart
    trace = power(60.0, source="replay:t", kind="replay", device_hash=None)
    idle = stretch(60.0, powers=[trace])
    replayed = calibration(empty=idle, loaded=idle, wall_fit=PLANE, wall_sources=[trace], replayed=True)
    for kind in ("nvml", "hwmon", "prometheus"):
        real = source(kind=kind, device_id=None)
        found = baselines_for(facts(headline=[real], sources=[real]), [replayed], now=LATER).baselines
        assert (found.empty_idle_w, found.loaded_idle_w, found.wall_fit) == (None, None, None)
        assert "other meters" in found.reasons["loaded_idle_w"]
    played = source(name="replay:t", kind="replay", device_id=None)
    same = baselines_for(facts(headline=[played], sources=[played]), [replayed], now=LATER).baselines
    assert same.loaded_idle_w == 60.0


def test_what_lies_on_the_disk_is_read_and_what_is_torn_is_told(calibration):
    save(calibration())
    (calibrations_home() / "20990101-torn.json").write_text('{"format": "joulemark-cal')
    found = baselines_for(facts(), now=LATER)
    assert found.baselines.loaded_idle_w == 60.0
    assert len(found.notes) == 1
    assert "torn" in found.notes[0]
