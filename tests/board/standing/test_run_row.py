"""The figures of a run's row: of a load its steady state, and of a doubted energy nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from doubles import run_views
from doubles.board_runs import Rig, content_of
from joulemark.board.standing.figure_names import OF_ENERGY
from joulemark.board.standing.run_row import NOT_HERE, row_of_run
from joulemark.metrics.run_point import run_point
from joulemark.metrics.summary import summarize
from joulemark.record.energy import MeasuredEnergy, Method
from joulemark.record.scope import Scope


def test_a_load_is_shown_by_its_steady_state() -> None:
    view = content_of(Rig(lanes=4, n=240, tokens_per_s=112.0, mean_tokens=80.0)).view()
    summary = summarize(view)
    row = row_of_run(view, summary, run_point(view, summary, "here"))
    assert row.load == "4 in flight"
    assert "loaded" in row.table
    assert not row.is_ranked
    joules, steady = row.figures["joules_per_correct_answer"], summary.figures
    assert joules.value == steady["steady_joules_per_correct_answer"].value
    assert joules.value != steady["joules_per_correct_answer"].value
    assert row.figures["energy_j"].value == steady["steady_joules_per_request"].value
    assert row.figures["tokens_per_second"].value == steady["steady_tokens_per_second"].value
    assert joules.value is not None
    assert row.figures["ipj"].value == pytest.approx(1 / joules.value)
    power, accuracy = steady["steady_power_w"].value, steady["accuracy"].value
    assert power
    assert accuracy
    assert row.figures["accuracy_per_watt"].value == pytest.approx(accuracy / power)


def test_what_is_made_of_a_doubted_energy_is_withheld_with_it() -> None:
    view = run_views.with_counter(20)
    assert isinstance(view.headline_energy, MeasuredEnergy)
    joules = 1.6 * view.headline_energy.joules
    other = MeasuredEnergy(joules, 0.0, 2 * joules, "nvml:0", (Scope.gpu(0),), Method.INTEGRATED)
    view = replace(view, integrated_energy=other)
    summary = summarize(view)
    row = row_of_run(view, summary, run_point(view, summary, "here"))
    assert summary.figures["ipj"].value is not None
    for name in OF_ENERGY:
        assert row.figures[name].value is None, name
        assert row.figures[name].detail
    assert row.figures["accuracy"].value is not None
    assert row.figures["counter_vs_integration_pct_diff"].value == pytest.approx(60.0)


def test_every_shown_interval_holds_its_value() -> None:
    view = run_views.priced(run_views.with_counter(30), usd_per_kwh=0.3, gco2e_per_kwh=56.0)
    summary = summarize(view)
    row = row_of_run(view, summary, run_point(view, summary, "here"))
    intervals = [one for one in row.figures.values() if one.lo is not None and one.hi is not None]
    assert len(intervals) >= 5
    assert all(one.value is not None and one.lo <= one.value <= one.hi for one in intervals)  # type: ignore[operator]


@pytest.mark.parametrize(("task", "is_word"), [("gsm8k", True), ("quick", False)])
def test_whose_word_an_accuracy_is_stands_beside_it(task: str, is_word: bool) -> None:
    view = run_views.with_counter(20)
    of = view.manifest.task.model_copy(update={"name": task})
    view = replace(view, manifest=view.manifest.model_copy(update={"task": of}))
    summary = summarize(view)
    assert (NOT_HERE in row_of_run(view, summary, run_point(view, summary, "here")).notes) is is_word
