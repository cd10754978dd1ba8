"""What the engine said of its batch as figures: over which time, with which gaps, and when withheld."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.run_views import T0, S
from joulemark.metrics.catalogue import definitions
from joulemark.metrics.engine_figures import DEFINITIONS, engine_figures
from joulemark.metrics.gauge_course import Course, course_of, rise_of
from joulemark.metrics.run_view import EngineGauge, RunView
from joulemark.metrics.steady_state import SteadyState, SteadyWindow
from joulemark.metrics.summary import summarize
from joulemark.record.energy import Withheld
from joulemark.record.manifest import Load, Window
from joulemark.record.reason import Reason
from joulemark.record.span import Span

NAMES = [defined.name for defined in DEFINITIONS]
LOADED = Load(mode="closed", concurrency=4)


def gauge(quantity: str, at_s: list[float], value: list[float], segment: int = 0) -> EngineGauge:
    t_ns = np.array([T0 + round(s * S) for s in at_s], np.int64)
    return EngineGauge(quantity, segment, t_ns, np.array(value, np.float64))


def part(t0_s: float, t1_s: float, segment: int = 0) -> Span:
    return Span(segment, T0 + round(t0_s * S), T0 + round(t1_s * S))


def course(one: EngineGauge, *parts: Span) -> Course:
    found = course_of([one], one.quantity, parts)
    assert isinstance(found, Course)
    return found


def why(found: object) -> Reason:
    assert isinstance(found, Withheld)
    return found.reason


def run_of(*gauges: EngineGauge, windows: tuple[Span, ...] = (part(0, 10),)) -> RunView:
    """A run under load without a steady window, whose measured windows are given."""
    measured = [Window(name="measure", segment=w.segment, t0=w.t0, t1=w.t1) for w in windows]
    warm = Window(name="warmup", segment=0, t0=T0 - 60 * S, t1=T0)
    manifest = run_views.manifest(load=LOADED, windows=[warm, *measured])
    return replace(run_views.without_meter(), manifest=manifest, engine_gauges=gauges)


EVERY = [float(k) / 2 for k in range(-4, 25)]


def test_the_mean_is_one_over_time_and_not_over_readings() -> None:
    one = gauge("requests_running", [0, 0.5, 1.0, 1.5, 3.0, 4.0], [8, 8, 8, 8, 2, 2])
    found = course(one, part(0, 4))
    assert found.mean == pytest.approx((8 * 3.0 + 2 * 1.0) / 4)
    assert found.largest == 8


def test_what_was_read_before_the_window_stands_at_its_begin_and_no_longer() -> None:
    one = gauge("requests_running", [-1.0, 1.0, 2.0, 3.0], [100, 4, 4, 4])
    assert course(one, part(0, 4)).mean == pytest.approx((100 * 1 + 4 * 3) / 4)
    assert course(one, part(1, 4)).largest == 4


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.floats(0.05, 1.9), st.integers(0, 64)), min_size=5, max_size=40),
    st.floats(0.01, 0.9),
)
def test_cutting_the_window_anywhere_changes_no_mean(steps: list[tuple[float, int]], share: float) -> None:
    """And the mean lies between the smallest and the largest reading."""
    at_s = list(np.cumsum([step for step, _ in steps]))
    one = gauge("requests_running", at_s, [float(n) for _, n in steps])
    end_s = float(at_s[-1])
    cut_s = at_s[0] + share * (end_s - at_s[0])
    whole = course(one, part(at_s[0], end_s))
    cut = course(one, part(at_s[0], cut_s), part(cut_s, end_s))
    assert cut.mean == pytest.approx(whole.mean, abs=1e-6)
    assert min(n for _, n in steps) - 1e-9 <= whole.mean <= max(n for _, n in steps) + 1e-9


def test_a_hole_is_not_filled_with_the_last_reading() -> None:
    at_s = [0, 0.5, 1.0, 9.0, 9.5]
    assert why(course_of([gauge("kv_used_share", at_s, [1.0] * 5)], "kv_used_share", [part(0, 10)])) is (
        Reason.GAP_TOO_LONG
    )


def test_two_readings_are_too_few() -> None:
    one = gauge("requests_running", [0.1, 0.6], [4, 4])
    assert why(course_of([one], "requests_running", [part(0, 1)])) is Reason.TOO_SHORT


def test_nothing_read_is_not_reported() -> None:
    one = gauge("requests_running", [0, 1], [4, 4], segment=1)
    assert why(course_of([one], "requests_running", [part(0, 1)])) is Reason.NOT_REPORTED
    assert why(course_of([one], "requests_waiting", [part(0, 1, 1)])) is Reason.NOT_REPORTED
    assert why(course_of([one], "requests_running", [])) is Reason.NOT_REPORTED
    assert why(rise_of([one], "requests_running", [])) is Reason.NOT_REPORTED
    unread = gauge("requests_running", [], [])
    assert why(course_of([unread], "requests_running", [part(0, 1)])) is Reason.NOT_REPORTED


def test_a_rise_is_between_the_readings_nearest_to_the_ends() -> None:
    one = gauge("preemptions", [-0.4, 0.1, 5.0, 9.8, 10.3], [1, 2, 5, 9, 20])
    assert rise_of([one], "preemptions", [part(0, 10)]) == 7


def test_a_counter_that_fell_is_withheld_inside_the_window_only() -> None:
    one = gauge("preemptions", [0, 1, 2, 3, 4, 5], [50, 52, 0, 1, 2, 3])
    assert why(rise_of([one], "preemptions", [part(0, 5)])) is Reason.NOT_MEASURED
    assert rise_of([one], "preemptions", [part(2, 5)]) == 3
    assert rise_of([one], "preemptions", [part(0, 1)]) == 2


def test_a_counter_that_was_not_read_near_an_end_is_withheld() -> None:
    one = gauge("preemptions", [0, 1, 2], [0, 1, 2])
    assert why(rise_of([one], "preemptions", [part(0, 9)])) is Reason.GAP_TOO_LONG
    assert why(rise_of([one], "preemptions", [part(-9, 2)])) is Reason.GAP_TOO_LONG


def test_segments_are_added_and_nothing_is_subtracted_across_them() -> None:
    """The engine was started anew between the two segments."""
    first = gauge("preemptions", [0, 5], [1000, 1004])
    second = gauge("preemptions", [100, 105], [0, 3], segment=1)
    assert rise_of([first, second], "preemptions", [part(0, 5), part(100, 105, 1)]) == 7


def test_the_figures_of_a_run() -> None:
    n = len(EVERY)
    figures = engine_figures(
        run_of(
            gauge("requests_running", EVERY, [4.0] * n),
            gauge("requests_waiting", EVERY, [0.5] * n),
            gauge("kv_used_share", EVERY, [0.2 if s < 5 else 0.6 for s in EVERY]),
            gauge("preemptions", EVERY, [3.0 + (s > 2) for s in EVERY]),
            gauge("prompt_tokens", EVERY, [100 + 30 * s for s in EVERY]),
            gauge("generation_tokens", EVERY, [7 + 10 * s for s in EVERY]),
        )
    )
    assert list(figures) == NAMES
    assert figures["mean_running_requests"].value == pytest.approx(4)
    assert figures["mean_waiting_requests"].value == pytest.approx(0.5)
    assert figures["kv_used_share_mean"].value == pytest.approx(0.4)
    assert figures["kv_used_share_max"].value == pytest.approx(0.6)
    assert figures["preemptions"].value == 1
    assert figures["decode_token_share"].value == pytest.approx(0.25)
    assert figures["mean_running_requests"].n == 20


def test_the_steady_window_counts_where_there_is_one() -> None:
    run = run_of(gauge("requests_running", EVERY, [1.0 if s < 4 else 4.0 for s in EVERY]))
    window = SteadyWindow(part(4, 9), "running", 4.0, 4.0, 4.0, 1.0, 20, 400.0, "exact", 1.0)
    assert engine_figures(run)["mean_running_requests"].value == pytest.approx(2.8)
    steady = replace(run, steady=SteadyState(window))
    assert engine_figures(steady)["mean_running_requests"].value == 4


def test_what_the_engine_does_not_show_is_null_and_never_zero() -> None:
    figures = engine_figures(run_of(gauge("requests_running", EVERY, [4.0] * len(EVERY))))
    known = {name for name, value in figures.items() if value.value is not None}
    assert known == {"mean_running_requests"}
    assert {value.reason for name, value in figures.items() if name not in known} == {Reason.NOT_REPORTED}


def test_a_counter_that_stands_still_has_no_share() -> None:
    still = [gauge(name, EVERY, [9.0] * len(EVERY)) for name in ("prompt_tokens", "generation_tokens")]
    assert engine_figures(run_of(*still))["decode_token_share"].reason is Reason.NOT_APPLICABLE


def test_one_request_at_a_time_has_no_batch() -> None:
    figures = engine_figures(run_views.without_meter())
    assert {value.reason for value in figures.values()} == {Reason.NOT_LOADED}


def test_a_run_that_was_never_measured_has_none() -> None:
    figures = engine_figures(run_of(gauge("requests_running", EVERY, [4.0] * len(EVERY)), windows=()))
    assert {value.reason for value in figures.values()} == {Reason.NOT_REPORTED}


def test_they_are_defined_and_in_every_summary() -> None:
    assert set(NAMES) <= {defined.name for defined in definitions()}
    assert set(NAMES) <= set(summarize(run_views.without_meter()).figures)


def test_a_rise_between_one_reading_and_itself_is_no_zero() -> None:
    one = gauge("preemptions", [0, 4, 8], [0, 4000, 8000])
    assert why(rise_of([one], "preemptions", [part(2.1, 5.9)])) is Reason.TOO_SHORT
