import dataclasses

import pytest

from doubles import run_views, varied_runs
from doubles.run_views import T0, S, item
from joulemark.metrics import summarize
from joulemark.metrics.run_view import Slowed
from joulemark.record.manifest import Window
from joulemark.report.course import course_chart, slowed_words
from joulemark.report.course_rows import MAX_REQUESTS, Placement, request_rows
from joulemark.report.distributions import latency_chart
from joulemark.report.item_cost import (
    MAX_BARS,
    cost_notes,
    item_cost_chart,
    item_costs,
    median_prompt,
    model_line,
    step_of,
)
from joulemark.report.theme import NARROW_PX, WIDE_PX
from joulemark.report.verdicts import verdict_chart


def test_segments_stand_side_by_side_and_never_mix_their_clocks():
    later = item(1, start_s=-4000.0, segment=1)
    windows = [
        Window(name="measure", segment=0, t0=T0, t1=T0 + 10 * S),
        Window(name="measure", segment=1, t0=later.t_sent, t1=later.t_sent + 5 * S),
    ]
    view = dataclasses.replace(
        run_views.without_meter(), items=(item(0), later), manifest=run_views.manifest(windows=windows)
    )
    place = Placement(view)
    assert place.seconds(0, T0) == 0.0
    assert place.seconds(0, T0 + 10 * S) == 10.0
    assert place.seconds(1, later.t_sent) == 11.0
    assert place.end_s == 16.0
    assert 2 not in place


def test_the_course_holds_every_request_and_keeps_gaps_as_gaps():
    view = run_views.with_counter()
    data = course_chart(view, 600).data
    assert len(data["requests"]) == len(view.measured_items)
    watts = [row["w"] for row in data["power"]]
    assert None in watts
    assert len(watts) <= 2000
    assert {row["what"] for row in data["bands"]} == {"warm-up", "measured"}


def test_the_highest_power_lies_below_the_top_of_the_chart():
    view = run_views.with_counter()
    picture = course_chart(view, 600)
    highest = max(row["w"] for row in picture.data["power"] if row["w"] is not None)
    layers = picture.chart.to_dict()["vconcat"][0]["layer"]
    (line,) = [layer for layer in layers if layer["mark"]["type"] == "line"]
    low, top = line["encoding"]["y"]["scale"]["domain"]
    assert low == 0
    assert 1.05 * highest < top < 1.5 * highest


def test_items_cost_the_best_unit_there_is():
    metered = run_views.with_counter()
    assert item_costs(metered).axis == "joules"
    assert len(item_costs(metered).points) == 60
    bare = run_views.without_meter()
    assert item_costs(bare).axis == "CPU seconds"
    timed = item_costs(dataclasses.replace(bare, item_cpu_seconds={}))
    assert timed.axis == "seconds"
    first = bare.measured_items[0]
    assert timed.points[0]["cost"] == pytest.approx((first.t_end - first.t_begin) / 1e9)


def test_items_without_energy_are_counted_not_drawn_at_zero():
    view = run_views.with_counter()
    lost = dataclasses.replace(view.attributions[0], joules=None, lo=None, hi=None)
    costs = item_costs(dataclasses.replace(view, attributions=(lost, *view.attributions[1:])))
    assert costs.n_without == 1
    assert costs.points[0]["order"] == 2
    assert min(point["cost"] for point in costs.points) > 0


def test_very_many_requests_are_drawn_as_shares_that_fill_the_strip():
    view = run_views.without_meter(MAX_REQUESTS + 100)
    place = Placement(view)
    rows = request_rows(view, place, WIDE_PX)
    assert len(rows) < len(view.measured_items)
    heights: dict[float, float] = {}
    for row in rows:
        heights[row["a"]] = heights.get(row["a"], 0.0) + row["hi"] - row["lo"]
    assert all(height == pytest.approx(1.0) for height in heights.values())
    assert max(row["b"] for row in rows) <= place.end_s * 1.001
    assert {row["verdict"] for row in rows} == {asked.verdict.value for asked in view.measured_items}


def test_when_the_device_was_slowed_down_is_drawn_and_nothing_is_too_thin_to_see():
    view = run_views.with_counter()
    short = Slowed(0, "nvml:0", "hw_thermal", T0 + 30 * S, T0 + 30 * S + 1)
    elsewhere = Slowed(7, "nvml:0", "power_cap", 0, S)
    picture = course_chart(view, 600, (*varied_runs.slowed(), short, elsewhere))
    rows = picture.data["slowed"]
    assert len(rows) == 4
    pixel_s = Placement(view).end_s / 600
    assert all(row["b"] - row["a"] >= pixel_s * 0.999 for row in rows)
    assert sorted(row["b"] - row["a"] for row in rows)[-1] == pytest.approx(2.0)
    assert {row["cause"] for row in rows} == {"power limit", "heat (driver)", "heat (hardware)"}
    assert "slowed" not in course_chart(view, 600).data


def test_a_flutter_of_slow_downs_is_drawn_as_few_stretches():
    view = run_views.with_counter()
    flutter = [
        Slowed(0, "nvml:0", "power_cap", T0 + 20 * S + k * S // 1000, T0 + 20 * S + k * S // 1000 + S // 2000)
        for k in range(5000)
    ]
    (row,) = course_chart(view, 600, flutter).data["slowed"]
    assert row["b"] - row["a"] == pytest.approx(5.0, abs=0.01)


def test_slowing_down_is_told_in_words_and_silence_is_not_no():
    assert slowed_words({}, 10.0, metered=False) == ""
    assert "not known" in slowed_words({}, 10.0, metered=True)
    never = slowed_words({"power_cap": 0.0, "sw_thermal": 0.0}, 10.0, metered=True)
    assert "never slowed down by the power limit or heat" in never
    held = slowed_words({"power_cap": 2.0, "sw_thermal": 0.5, "power_brake": 0.0}, 10.0, metered=True)
    assert "for 2.0 s (20.0 %) by the power limit and for 0.5 s (5.0 %) by heat (driver)" in held


def test_the_fitted_line_lies_on_the_model_at_the_median_prompt():
    view = varied_runs.fitted()
    model = summarize(view).cost_model
    line = model_line(view, model)
    fixed, alpha, beta = model.coefficients
    assert [point["tokens"] for point in line] == list(model.completion_range)
    for point in line:
        assert point["cost"] == pytest.approx(fixed + alpha * median_prompt(view) + beta * point["tokens"])
    picture = item_cost_chart(item_costs(view), line, WIDE_PX)
    assert picture.data["line"] == line
    bare = run_views.with_counter()
    assert model_line(bare, summarize(bare).cost_model) == []


def test_points_have_their_tokens_and_those_without_are_counted():
    view = run_views.with_counter(with_failures=True)
    costs = item_costs(view)
    by_order = {point["order"]: point for point in costs.points}
    for order, asked in enumerate(view.measured_items, 1):
        assert by_order[order]["tokens"] == asked.completion_tokens
    picture = item_cost_chart(costs, [], WIDE_PX)
    assert len(picture.data["items"]) == 53
    assert "7 of 60 requests have no token count and are not drawn." in cost_notes(costs, [], view)


def test_of_very_many_points_fewer_are_drawn_and_it_is_said():
    view = run_views.with_counter(1000)
    costs = item_costs(view)
    for width in (WIDE_PX, NARROW_PX):
        assert len(item_cost_chart(costs, [], width).data["items"]) <= width
    assert step_of(costs, WIDE_PX) > 1
    assert any("only every few" in note for note in cost_notes(costs, [], view))
    assert len(costs.drawn) > MAX_BARS
    layers = item_cost_chart(costs, [], WIDE_PX).chart.to_dict()["layer"]
    assert [layer["mark"]["type"] for layer in layers] == ["point"]


def test_every_chart_keeps_to_the_grammar():
    """A page draws its charts unchecked, for speed."""
    view = varied_runs.with_wall_meter()
    summary = summarize(view)
    line = model_line(view, summary.cost_model)
    for width in (WIDE_PX, NARROW_PX):
        for picture in (
            course_chart(view, width, varied_runs.slowed()),
            item_cost_chart(item_costs(view), line, width),
            verdict_chart(summary, width),
            *(latency_chart(latency, width) for latency in summary.latency.values() if latency.samples_s),
        ):
            assert picture.chart.to_dict(validate=True)["$schema"]
