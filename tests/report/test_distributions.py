import dataclasses

import pytest

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.report.distributions import beyond, latency_chart, top_s
from joulemark.report.html import render
from joulemark.report.wording import figure_texts


def _ttft(samples_s):
    ttft = summarize(run_views.with_counter()).latency["ttft"]
    return dataclasses.replace(ttft, samples_s=tuple(sorted(samples_s)))


def test_a_straggler_lies_beyond_the_axis_and_is_told():
    late = _ttft([0.1 + k / 1000 for k in range(199)] + [60.0])
    assert top_s(late) == pytest.approx(1.5 * 0.28905, rel=1e-3)
    bars = latency_chart(late, 250).data["bars"]
    assert sum(bar["n"] for bar in bars) == 199
    assert bars[-1]["b"] < 300
    assert (beyond(late).n, beyond(late).max_s) == (1, 60.0)
    view = run_views.without_meter()
    slow = view.measured_items[3]
    items = tuple(
        dataclasses.replace(one, t_end=one.t_end + 40 * run_views.S) if one is slow else one
        for one in view.measured_items
    )
    view = dataclasses.replace(view, items=items)
    assert "1 beyond, up to 40." in render(summarize(view), view)


def test_every_sample_is_in_a_bar_where_none_is_far_out():
    ttft = summarize(run_views.with_counter()).latency["ttft"]
    picture = latency_chart(ttft, 250)
    assert beyond(ttft).n == 0
    assert sum(bar["n"] for bar in picture.data["bars"]) == len(ttft.samples_s)
    marks = {row["p"]: row["v"] for row in picture.data["marks"]}
    assert marks["p50"] == pytest.approx(ttft.answered[50].value * 1e3)


def test_most_samples_at_zero_make_a_chart_too():
    assert sum(bar["n"] for bar in latency_chart(_ttft([0.0] * 50 + [1.0]), 250).data["bars"]) == 51


def test_labels_of_close_percentiles_do_not_overprint():
    close = latency_chart(_ttft([0.2] * 30), 250).chart.to_dict()
    texts = [layer for layer in close["layer"] if layer["mark"].get("type") == "text"]
    heights = [layer["encoding"]["y"]["value"] for layer in texts]
    assert len(heights) == 2
    assert abs(heights[0] - heights[1]) >= 12


@pytest.mark.parametrize("samples", [[0.2] * 30, [0.1, 0.1, 0.3], [0.1 + k / 1000 for k in range(500)]])
def test_bars_and_marks_have_room_above_and_on_the_right(samples):
    picture = latency_chart(_ttft(samples), 250)
    x, y = (picture.chart.to_dict()["layer"][0]["encoding"][axis] for axis in "xy")
    tallest = max(bar["n"] for bar in picture.data["bars"])
    assert y["scale"]["domain"][1] > 1.3 * tallest
    assert max(y["axis"]["values"]) <= tallest
    left, right = x["scale"]["domain"]
    assert left == picture.data["bars"][0]["a"]
    assert right > max(bar["b"] for bar in picture.data["bars"])


def test_marks_tell_their_value_as_the_table_does():
    marks = {row["p"]: row["told"] for row in latency_chart(_ttft([0.2] * 30), 250).data["marks"]}
    ttft = summarize(run_views.with_counter()).latency["ttft"]
    assert marks["p50"] == f"p50 {figure_texts('', ttft.answered[50])[0]}"


@pytest.mark.parametrize(
    ("samples", "unit"), [([0.2] * 20, "ms"), ([0.5] * 11 + [11.0] * 9, "s"), ([3.0] * 20, "s")]
)
def test_long_axes_are_in_seconds(samples, unit):
    axis = latency_chart(_ttft(samples), 250).chart.to_dict()["layer"][0]["encoding"]["x"]
    assert axis["title"] == unit


def test_equal_samples_make_a_chart_too():
    ttft = summarize(run_views.with_counter()).latency["ttft"]
    same = dataclasses.replace(ttft, samples_s=(0.25,) * 5)
    assert sum(bar["n"] for bar in latency_chart(same, 250).data["bars"]) == 5
