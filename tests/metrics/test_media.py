"""What a picture costs: the energy of its batch, shared out."""

from __future__ import annotations

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.metrics.attribution import attribute_sequential, scope_label
from joulemark.metrics.run_point import run_point
from joulemark.metrics.run_view import RunView
from joulemark.record.item import Verdict
from joulemark.record.manifest import Engine
from joulemark.record.reason import Reason


def view_of(
    joules: list[float], size: int = 4, medium: str = "image", failed: tuple[int, ...] = ()
) -> RunView:
    """Batches of ``size`` that took 2 s each with 1 s of 10 J between, ``failed`` ones made nothing."""
    items = [
        run_views.item(
            k,
            verdict=Verdict.FAILED if k in failed else None,
            correct=None,
            start_s=3.0 * k,
            first_s=None,
            end_s=2.0,
            tokens=None,
            streamed=None if k in failed else False,
            media_units=None if k in failed else float(size),
        )
        for k in range(len(joules))
    ]
    total = run_views.measured(sum(joules) + 10.0 * len(joules), slack_j=8.0)
    gaps = [run_views.measured(10.0) for _ in range(len(joules))]
    scope = scope_label(total.scopes)
    rows, proof = attribute_sequential(items, [run_views.measured(j) for j in joules], gaps, total, scope)
    flags = {"media": medium, "max_batch": size, "denoising_steps": 30, "height": 64, "width": 64}
    return RunView(
        manifest=run_views.manifest(engine=Engine(kind="diffusers", model="tiny", flags=flags, local=True)),
        items=tuple(items),
        headline_energy=total,
        headline_scope=scope,
        headline_method="sequential",
        attributions=rows,
        checks=(proof,),
        duration_s=3.0 * len(joules),
    )


def test_the_published_equation() -> None:
    figures = summarize(view_of([100.0, 110.0, 90.0, 104.0, 96.0, 100.0])).figures
    per_image = figures["joules_per_image"]
    assert per_image.value == pytest.approx(100.0 / 4)
    assert (per_image.interval, per_image.n) == ("ci95", 6)
    # t of five degrees is 2.571, the deviation of these six 6.812 J a batch
    assert per_image.hi - per_image.value == pytest.approx(2.5706 * 6.8118 / 6**0.5 / 4, rel=2e-3)
    bound = figures["joules_per_image_bound"]
    assert (bound.value, bound.lo, bound.hi) == pytest.approx((660 / 24, 652 / 24, 668 / 24))
    assert bound.interval == "bound"
    assert figures["batch_latency_s"].value == pytest.approx(2.0)
    assert figures["media_per_second"].value == pytest.approx(24 / 18)
    assert figures["joules_per_video"].reason is Reason.NOT_APPLICABLE


def test_few_batches_have_no_interval() -> None:
    value = summarize(view_of([100.0] * 5)).figures["joules_per_image"]
    assert (value.value, value.interval, value.interval_reason) == (25.0, None, Reason.TOO_FEW_ITEMS)


def test_a_failed_batch_is_paid_for_and_makes_nothing() -> None:
    figures = summarize(view_of([100.0] * 8, failed=(3,))).figures
    assert figures["joules_per_image"].value == pytest.approx(800 / 28)
    assert figures["batch_latency_s"].n == 7
    nothing = summarize(view_of([100.0] * 2, failed=(0, 1))).figures
    assert nothing["joules_per_image"].reason is Reason.NOTHING_SCORED


def test_words_have_no_such_figures() -> None:
    figures = summarize(run_views.with_counter()).figures
    for name in ("joules_per_image", "joules_per_video", "batch_latency_s", "media_per_second"):
        assert figures[name].reason is Reason.NOT_APPLICABLE


def test_latencies_of_what_is_not_streamed_stay_withheld() -> None:
    summary = summarize(view_of([100.0] * 12))
    assert summary.latency["e2el"].answered[50].reason is Reason.NOT_STREAMED
    assert summary.streaming_used is False


@pytest.mark.parametrize("medium", ["image", "video"])
def test_the_operating_point_is_of_a_picture_or_video(medium: str) -> None:
    view = view_of([100.0] * 12, medium=medium)
    summary = summarize(view)
    point = run_point(view, summary, "runs/one")
    assert point.unit == medium
    assert point.energy_j == summary.figures[f"joules_per_{medium}"]
    assert point.throughput.value == pytest.approx(48 / 36)
    assert point.latencies_s["e2el_mean"].value == pytest.approx(2.0)
    assert point.latencies_s["e2el_p90"].value == pytest.approx(2.0)
    assert point.latencies_s["e2el_p99"].reason is Reason.TOO_FEW_ITEMS
    assert point.settings["denoising_steps"] == 30
    assert point.settings["max_batch"] == 4


def test_without_energies_of_batches_the_point_has_all_that_was_metered() -> None:
    view = dataclasses.replace(view_of([100.0] * 6), attributions=())
    summary = summarize(view)
    assert summary.figures["joules_per_image"].value is None
    assert run_point(view, summary, "x").energy_j == summary.figures["joules_per_image_bound"]


@settings(deadline=None, max_examples=40)
@given(st.lists(st.floats(1.0, 1e6), min_size=1, max_size=20), st.integers(1, 64))
def test_pictures_share_what_their_batches_took(joules: list[float], size: int) -> None:
    figures = summarize(view_of(joules, size)).figures
    per_image = figures["joules_per_image"].value
    assert per_image is not None
    assert per_image * size * len(joules) == pytest.approx(sum(joules))
    assert per_image <= (figures["joules_per_image_bound"].value or 0.0)
