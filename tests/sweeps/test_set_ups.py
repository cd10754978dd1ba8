"""A simulated plan is chosen among as measured configurations are."""

from __future__ import annotations

from dataclasses import replace

import pytest

from joulemark.metrics.limits import Limit
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.recommendation_json import recommendation_json
from joulemark.record.reason import Reason
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.plan import Figures, Plan, Row, SetUp, Wanted, plan
from joulemark.sweeps.set_ups import Planned, planned, set_up_point
from joulemark.sweeps.set_ups_json import planned_json

WANTED = Wanted(H100, 2, LLAMA_8B, rate=6.0, prompt_tokens=200, output_tokens=80, batches=(8, 32))


def _row(batch: int, request_j: float, tpot_s: float | None, why: str = "") -> Row:
    figures = Figures(request_j, request_j / 80, 6 * request_j, tpot_s, tpot_s, 0.1, 0.2, 2.0, 4.0, 0.1, 0.0)
    set_up = SetUp(ServerConfig(H100, LLAMA_8B, max_batch=batch), 1)
    return Row(set_up, 9.0, None if why else figures, why)


def _planned(*rows: Row, limits: tuple[Limit, ...] = ()) -> Planned:
    return planned(Plan(WANTED, rows), limits)


def test_the_saving_is_against_the_fastest_whatever_the_limits() -> None:
    limit = (Limit("tpot_mean", 0.03), Limit("ttft_mean", 0.15))
    made = _planned(_row(64, 10.0, 0.05), _row(16, 12.0, 0.02), _row(8, 48.0, 0.01), limits=limit)
    found = made.found
    assert found.pick is not None
    assert found.pick.label.startswith("batch 16,")
    assert found.fastest is not None
    assert found.fastest.label.startswith("batch 8,")
    assert found.savings["fastest"].value == pytest.approx(0.75)
    assert [one.met for one in made.set_ups] == [True, True, False]
    # the quickest misses a limit on something else, and is the fastest all the same
    slow_start = replace(_row(8, 48.0, 0.01).figures, ttft_mean_s=0.5)  # type: ignore[type-var]
    rows = (_row(16, 12.0, 0.02), replace(_row(8, 0, None), figures=slow_start))
    found = _planned(*rows, limits=limit).found
    assert len(found.met) == 1
    assert found.savings["fastest"].value == pytest.approx(0.75)


def test_set_ups_are_ordered_within_beyond_and_too_slow() -> None:
    made = _planned(
        _row(4, 0, None, "serves at most 2 requests a second"),
        _row(128, 5.0, 0.2),
        _row(64, 10.0, 0.02),
        _row(16, 9.0, 0.01),
        limits=(Limit("tpot_mean", 0.03),),
    )
    told = [(one.row.set_up.config.max_batch, one.met) for one in made.set_ups]
    assert told == [(16, True), (64, True), (128, False), (4, False)]
    assert made.set_ups[-1].point.energy_j.reason is Reason.OVERLOADED
    assert "at most 2 requests" in made.set_ups[-1].point.energy_j.detail
    assert [left.code for left in made.found.left_out] == ["overloaded"]


def test_an_unknown_time_per_token_is_no_latency_and_meets_no_limit() -> None:
    rows = (_row(8, 10.0, None), _row(16, 9.0, None))
    found = _planned(*rows).found
    assert found.latency == "e2el_mean"
    assert figure_of(found.ranked[0], "tpot_mean").reason is Reason.ONE_TOKEN
    bounded = _planned(*rows, limits=(Limit("tpot_mean", 1.0),))
    assert bounded.found.pick is None
    assert not any(one.met for one in bounded.set_ups)
    assert "tpot_mean is not known" in bounded.found.left_out[0].text


def test_rates_and_watts_belong_together() -> None:
    made = plan(WANTED)
    for row in made.rows:
        point = set_up_point(row, WANTED)
        assert point.kind == "simulated"
        if row.figures is not None:
            assert point.throughput.value == pytest.approx(WANTED.rate, rel=0.15)
            assert point.tokens_per_second.value == pytest.approx(80 * WANTED.rate, rel=0.15)


def test_the_json_is_a_recommendation_with_every_set_up() -> None:
    made = planned(plan(WANTED), [Limit("tpot_mean", 0.05)])
    document = planned_json(made)
    told = recommendation_json(made.found)
    assert {name: document[name] for name in told} == told
    assert document["kind"] == "simulated"
    assert "never measured" in document["note"]
    assert document["pick"]["label"] == document["set_ups"][0]["label"]
    assert (
        document["pick"]["energy_j"]
        == document["energy_j"]
        == min(one["energy_j"] for one in document["set_ups"] if one["met"])
    )
    assert {one["kind"] for one in document["set_ups"]} == {"simulated"}
    for one in document["set_ups"]:
        assert (one["energy_j"] is None) == ("energy_j" in one["reasons"])
