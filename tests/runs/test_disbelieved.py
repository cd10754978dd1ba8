"""What a run's own telemetry contradicts has no joules: others beside it, a counter that its gauge denies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from doubles import run_views, slow_meter_runs
from doubles.run_views import S
from joulemark.metrics import summarize
from joulemark.metrics.run_point import run_point
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.manifest import Meter
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.runs.recorded import RecordedRun
from joulemark.runs.view import view_of
from joulemark.telemetry.timeline import Timeline, Track

ANSWERS = 60


def track(t_ns: np.ndarray, **values: np.ndarray) -> Track:
    return Track(t_ns, t_ns - 1_000_000, values, np.zeros(len(t_ns), np.int64), ())


def sequential(*, foreign: float = 0.0, gauge_times: float = 1.0) -> RecordedRun:
    """A run of one board at 300 W, whose gauge says ``gauge_times`` of it, with an engine that is watched.

    The engine reads ``foreign`` prompt tokens a second of others.
    """
    rng = np.random.default_rng(7)
    run = slow_meter_runs.recorded(slow_meter_runs.answers(ANSWERS, rng, 300.0), rng)
    segment, window = run.manifest.segments[0], run.manifest.windows[0]
    info = SourceInfo("nvml:0", "nvml", Scope.gpu(0), ("energy_j", "power_w"), power_window_s=0.0)
    test = Qualification(Trust.QUALIFIED, update_period_s=0.1, update_period_max_s=0.1, poll_period_s=0.1)
    manifest = run.manifest.model_copy(
        update={"meters": [Meter.of(QualifiedSource(info, test), 0)], "devices": [run_views.device()]}
    )
    t_ns = np.arange(segment.t0, segment.t1 or 0, S // 10, dtype=np.int64)
    at_s = (t_ns - t_ns[0]) * 1e-9
    read = np.sort([item.t_first or 0 for item in run.items])
    tokens = np.concatenate([[0], np.cumsum([item.prompt_tokens or 0 for item in run.items])])
    others = np.clip((t_ns - window.t0) * 1e-9, 0, None) * foreign
    tracks = {
        (0, "nvml:0"): track(t_ns, energy_j=5000 + 300 * at_s, power_w=300 * gauge_times + np.sin(at_s)),
        (0, "engine"): track(t_ns, prompt_tokens=tokens[np.searchsorted(read, t_ns, "right")] + others),
    }
    return replace(run, manifest=manifest, timeline=Timeline(tracks))


def test_a_run_alone_with_a_gauge_that_agrees_has_joules() -> None:
    view = view_of(sequential())
    assert isinstance(view.headline_energy, MeasuredEnergy)
    assert summarize(view).figures["joules_per_request"].value is not None


def test_a_sequential_run_beside_others_has_no_joules_of_its_own() -> None:
    view = view_of(sequential(foreign=100.0))
    assert isinstance(view.headline_energy, Withheld)
    assert view.headline_energy.reason is Reason.FOREIGN_LOAD
    summary = summarize(view)
    assert summary.figures["joules_per_request"].reason is Reason.FOREIGN_LOAD
    assert summary.figures["accuracy"].value is not None
    assert [c.code for c in summary.caveats if c.loud] == ["foreign_load"]
    (beside,) = view.other_energy.values()  # what the board used is true all the same
    assert isinstance(beside, MeasuredEnergy)
    assert run_point(view, summary, "run").energy_j.value is None


@pytest.mark.parametrize("gauge_times", [0.45, 1.5])
def test_a_counter_that_its_gauge_denies_is_no_headline(gauge_times: float) -> None:
    view = view_of(sequential(gauge_times=gauge_times))
    energy = view.headline_energy
    assert isinstance(energy, Withheld)
    assert energy.reason is Reason.METER_CONTRADICTED
    assert f"{100 * (gauge_times - 1):+.0f} %" in energy.detail
    assert all(isinstance(other, Withheld) for other in view.other_energy.values())
    (told,) = (c for c in summarize(view).caveats if c.code == "no_joules")
    assert told.loud
    assert "doctor" in told.text


def test_what_calibration_may_explain_stands_with_its_drift() -> None:
    view = view_of(sequential(gauge_times=1.08))
    assert isinstance(view.headline_energy, MeasuredEnergy)
    assert summarize(view).figures["counter_vs_integration_pct_diff"].value == pytest.approx(8, abs=0.5)
