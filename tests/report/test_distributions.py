import dataclasses

import pytest

from doubles import run_views
from joulemark.metrics import summarize
from joulemark.report.distributions import latency_chart, top_s, verdict_chart


def test_every_sample_is_in_a_bar_and_stragglers_in_the_last():
    ttft = summarize(run_views.with_counter()).latency["ttft"]
    samples = tuple(sorted([0.1 + k / 1000 for k in range(199)] + [60.0]))
    late = dataclasses.replace(ttft, samples_s=samples)
    assert top_s(late) < 0.5
    bars = latency_chart(late, 250).data["bars"]
    assert sum(bar["n"] for bar in bars) == 200
    assert bars[-1]["n"] >= 1
    assert bars[-1]["b"] == pytest.approx(top_s(late) * 1e3)
    marks = {row["p"]: row["v"] for row in latency_chart(ttft, 250).data["marks"]}
    assert marks["p50"] == pytest.approx(ttft.answered[50].value * 1e3)


def test_equal_samples_make_a_chart_too():
    ttft = summarize(run_views.with_counter()).latency["ttft"]
    same = dataclasses.replace(ttft, samples_s=(0.25,) * 5)
    assert sum(bar["n"] for bar in latency_chart(same, 250).data["bars"]) == 5


def test_verdicts_without_a_request_are_not_drawn():
    assert verdict_chart({"correct": 3, "wrong": 0}, 250).data["counts"] == [{"verdict": "correct", "n": 3}]
