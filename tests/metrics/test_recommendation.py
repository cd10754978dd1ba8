"""What to run: limits, savings, ties, near misses, and what may not be compared."""

from __future__ import annotations

import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.points import bound, ci, point
from joulemark.metrics.comparable import SeveralTasks
from joulemark.metrics.limits import Limit
from joulemark.metrics.recommendation import Wish, recommend
from joulemark.metrics.recommendation_json import recommendation_json
from joulemark.metrics.value import Value
from joulemark.record.published import Unit
from joulemark.record.reason import Reason

TPOT = Limit("tpot_mean", 0.1)


def _some() -> list:
    return [
        point(100, 0.03, "fast", settings={"max_batch": 32}),
        point(60, 0.08, "middle", settings={"max_batch": 128}),
        point(50, 0.15, "slow", settings={"max_batch": 256}),
    ]


def test_the_least_energy_within_the_limit() -> None:
    found = recommend(_some(), Wish((TPOT,)))
    assert found.pick is not None
    assert found.pick.label == "middle"
    assert found.savings["fastest"].value == pytest.approx(0.4)
    assert found.savings["least_energy"].value == pytest.approx(1 - 60 / 50)
    assert found.fastest is not None
    assert found.fastest.label == "fast"
    assert [p.label for p in found.met] == ["middle", "fast"]
    assert not found.near_misses


def test_limits_compare_unrounded() -> None:
    just, over = point(50, 0.1, "just"), point(40, math.nextafter(0.1, 1), "over")
    found = recommend([just, over, point(30, 0.1049, "104.9 ms")], Wish((TPOT,)))
    assert [p.label for p in found.met] == ["just"]


def test_several_limits_all_count() -> None:
    points = [
        point(50, 0.05, "cheap", accuracy=0.4, latencies={"ttft_p99": 0.5}),
        point(60, 0.05, "late", accuracy=0.9, latencies={"ttft_p99": 3.0}),
        point(70, 0.05, "good", accuracy=0.9, latencies={"ttft_p99": 0.5}),
    ]
    limits = (TPOT, Limit("ttft_p99", 1.0), Limit("accuracy", 0.8, at_least=True), Limit("energy_j", 75))
    found = recommend(points, Wish(limits))
    assert [p.label for p in found.met] == ["good"]
    assert found.fastest is not None
    assert found.fastest.label == "late"  # a worse quality is no comparison, a late first token is one


def test_the_objective_may_be_a_correct_answer() -> None:
    points = [point(50, 0.05, "often wrong", accuracy=0.25), point(80, 0.05, "right", accuracy=0.8)]
    assert recommend(points, Wish()).pick is points[0]
    found = recommend(points, Wish(objective="joules_per_correct"))
    assert found.pick is points[1]
    assert found.savings["least_energy"].value == 0


def test_of_equal_energy_the_faster_is_taken_then_the_one_of_fewer_devices() -> None:
    points = [point(50, 0.06, "a"), point(50, 0.05, "b", n_devices=2), point(50, 0.05, "c")]
    assert recommend(points, Wish()).pick is points[2]


def test_an_unknown_figure_meets_no_limit_and_is_told() -> None:
    points = [point(10, None, "no latency"), point(90, 0.05, "known")]
    found = recommend(points, Wish((TPOT,)))
    assert found.pick is points[1]
    assert [(one.point.label, one.code) for one in found.left_out] == [("no latency", "not_measured")]
    assert "tpot_mean is not known" in found.left_out[0].text


def test_where_nothing_meets_the_limits_the_nearest_are_told() -> None:
    points = [*_some(), point(10, None, "unknown")]
    found = recommend(points, Wish((Limit("tpot_mean", 0.02), Limit("energy_j", 90))))
    assert found.pick is None
    assert [miss.point.label for miss in found.near_misses] == ["fast", "middle", "slow"]
    nearest = found.near_misses[0]
    assert nearest.worst == pytest.approx(0.5)
    assert [check.missed_by for check in nearest.checks] == pytest.approx([0.01, 10])
    assert found.savings["fastest"].reason is Reason.NOT_APPLICABLE


def test_ties_within_noise() -> None:
    points = [
        point(ci(50, 3), 0.05, "best"),
        point(ci(52, 3), 0.04, "tie"),
        point(ci(60, 3), 0.03, "worse"),
        point(51.0, 0.05, "no interval"),
        point(ci(50.5, 3), 0.5, "too slow"),
    ]
    found = recommend(points, Wish((TPOT,)))
    assert found.pick is points[0]
    assert [p.label for p in found.ties] == ["tie"]


def test_the_saving_has_an_interval_where_the_joules_have() -> None:
    found = recommend([point(bound(60, 1), 0.08), point(bound(100, 1), 0.02)], Wish((TPOT,)))
    saved = found.savings["fastest"]
    assert (saved.lo, saved.hi, saved.interval) == pytest.approx((1 - 61 / 99, 1 - 59 / 101, "bound"))


def test_against_the_marked_default() -> None:
    found = recommend(_some(), Wish((TPOT,), default={"max_batch": "32"}))
    assert found.default is not None
    assert found.default.label == "fast"
    assert found.savings["default"].value == pytest.approx(0.4)


@pytest.mark.parametrize("marked", [{}, {"max_batch": "7"}, {"device": "testboard"}, {"nothing": "1"}])
def test_no_default_or_several_give_no_saving(marked: dict[str, str]) -> None:
    found = recommend(_some(), Wish((TPOT,), default=marked))
    assert found.default is None
    assert found.savings["default"].reason is Reason.NOT_APPLICABLE
    assert found.savings["default"].detail


def test_of_several_defaults_the_one_on_the_picks_devices() -> None:
    points = [
        point(60, 0.05, "ours", device="H100", settings={"max_batch": 192}),
        point(90, 0.04, "default here", device="H100", settings={"max_batch": 256}),
        point(95, 0.04, "default there", device="A100", settings={"max_batch": 256}),
    ]
    found = recommend(points, Wish(default={"max_batch": "256"}))
    assert found.default is points[1]


def test_measured_and_published_are_not_ranked_together_unless_told() -> None:
    points = [
        point(60, 0.05, "ours"),
        point(40, 0.05, "theirs", kind="published"),
        point(1, 0.05, kind="simulated"),
    ]
    found = recommend(points, Wish())
    assert found.pick is points[0]
    assert sorted(one.code for one in found.left_out) == ["other_kind", "other_kind"]
    mixed = recommend(points, Wish(mix=frozenset({"kind"})))
    assert mixed.pick is points[1]  # what was simulated stands with nothing else
    assert [(one.point.kind, one.code) for one in mixed.left_out] == [("simulated", "other_kind")]
    assert recommend(points[2:], Wish(mix=frozenset({"kind"}))).pick is points[2]


def test_other_questions_of_a_task_are_left_out() -> None:
    points = [
        point(60, 0.05, "a", questions="one"),
        point(70, 0.05, "b", questions="one"),
        point(10, 0.05, "c", questions="two"),
        point(65, 0.05, "d"),
    ]
    found = recommend(points, Wish())
    assert found.pick is points[0]
    assert [p.label for p in found.ranked] == ["a", "d", "b"]
    (left,) = found.left_out
    assert (left.point.label, left.code) == ("c", "other_questions")
    assert "two" in left.text
    assert recommend(points, Wish(mix=frozenset({"task"}))).pick is points[2]
    first = recommend([points[2], points[0]], Wish())
    assert first.pick is points[2]


def test_an_unknown_device_has_a_reason() -> None:
    nowhere = recommendation_json(recommend([point(60, 0.05, device=None, n_devices=None)], Wish()))
    pick = nowhere["pick"]
    assert isinstance(pick, dict)
    assert pick["device"] is None
    assert pick["reasons"]["device"]["code"] == "not_reported"


def test_points_that_would_be_called_alike_are_told_apart() -> None:
    points = [
        point(60, 0.05, "batch 8", settings={"prefix_cache": True}, flags={"threads": 2, "dtype": "bf16"}),
        point(50, 0.05, "batch 8", settings={"prefix_cache": False}, flags={"threads": 2}),
        point(40, 0.05, "batch 16", settings={"prefix_cache": True}, flags={"threads": 4}),
    ]
    found = recommend(points, Wish(default={"flags.dtype": "bf16"}))
    labels = ["batch 16", "batch 8, prefix cache off", "batch 8, dtype bf16, prefix cache on"]
    assert [p.label for p in found.ranked] == labels
    assert found.default is not None
    assert found.default.label == labels[2]


@pytest.mark.parametrize(("ground", "value"), [("tier", "B"), ("scope", "wall")])
def test_another_tier_or_scope_is_left_out(ground: str, value: str) -> None:
    points = [point(60, 0.05, "a"), point(70, 0.05, "b"), point(10, 0.05, "c", **{ground: value})]
    found = recommend(points, Wish())
    assert found.pick is points[0]
    assert [(one.point.label, one.code) for one in found.left_out] == [("c", f"other_{ground}")]
    assert recommend(points, Wish(mix=frozenset({ground}))).pick is points[2]


def test_tasks_are_never_chosen_for_the_user() -> None:
    points = [point(60, task="chat"), point(40, task="code")]
    with pytest.raises(SeveralTasks) as refused:
        recommend(points, Wish())
    assert refused.value.tasks == ("chat", "code")
    assert recommend(points, Wish(mix=frozenset({"task"}))).pick is points[1]


def test_units_are_never_mixed() -> None:
    points = [point(60, task="chat"), point(40, task="chat", unit="image")]
    with pytest.raises(SeveralTasks):
        recommend(points, Wish(mix=frozenset({"task", "kind", "tier", "scope"})))


def test_without_joules_there_is_nothing_to_rank() -> None:
    found = recommend([point(None, 0.05, "no meter")], Wish((TPOT,)))
    assert (found.pick, found.ranked, found.near_misses) == (None, (), ())
    assert found.left_out[0].code == "not_measured"
    told = recommendation_json(found)
    assert told["energy_j"] is None
    assert told["reasons"]["energy_j"]["detail"].endswith(found.left_out[0].text)
    assert told["reasons"]["energy_j"]["code"] == "not_applicable"


def test_models_ranked_by_energy_alone_are_told_so() -> None:
    points = [point(60, model="a"), point(40, model="b")]
    assert any("equally good" in note for note in recommend(points, Wish()).notes)
    graded = [dataclasses.replace(p, accuracy=Value(0.9, "1")) for p in points]
    limit = Limit("accuracy", 0.5, at_least=True)
    assert not any("equally good" in note for note in recommend(graded, Wish((limit,))).notes)


def test_noise_at_the_limit_is_told() -> None:
    found = recommend([point(60, ci(0.099, 0.005, "s"))], Wish((TPOT,)))
    assert found.pick is not None
    assert found.checks(found.pick)[0].within_noise


def test_the_json_has_a_reason_for_each_null() -> None:
    document = recommendation_json(recommend(_some(), Wish((TPOT,))))
    json.dumps(document, allow_nan=False)
    assert (document["tpot_s"], document["energy_j"]) == (0.08, 60)
    assert document["saving_fraction"] == pytest.approx(0.4)
    named = document["units"]
    for name in named:
        assert (document[name] is None) == (name in document["reasons"]), name


@pytest.mark.parametrize("unit", ["request", "image"])
@pytest.mark.parametrize("limits", [(Limit("tpot_mean", 0.01),), ()])
def test_without_a_pick_the_units_are_those_of_a_pick(unit: Unit, limits: tuple[Limit, ...]) -> None:
    known = {
        "throughput": Value(2.0, "1/s"),
        "tokens_per_second": Value(2.0, "tokens/s"),
        "mean_power_w": Value(300.0, "W"),
        "tdp_energy_j": Value(90.0, "J"),
        "usd": Value(0.1, "USD"),
        "gco2e": Value(3.0, "gCO2e"),
    }
    picked = recommend([point(60, 0.05, accuracy=0.8, unit=unit, **known)], Wish())
    none = recommend([point(60 if limits else None, 0.05, unit=unit)], Wish(limits))
    assert picked.pick is not None
    assert none.pick is None
    assert recommendation_json(none)["units"] == recommendation_json(picked)["units"]


def test_a_limit_of_zero_is_missed_by_no_finite_share() -> None:
    found = recommend([point(60, 0.05)], Wish((Limit("energy_j", 0.0),)))
    assert found.near_misses[0].worst == math.inf
    json.dumps(recommendation_json(found), allow_nan=False)


numbers = st.floats(0.01, 1e6)


@settings(deadline=None)
@given(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=20), numbers)
def test_the_pick_is_on_the_front_and_nothing_within_the_limit_is_cheaper(
    figures: list[tuple[float, float]], limit: float
) -> None:
    points = [point(energy, seconds, str(k)) for k, (energy, seconds) in enumerate(figures)]
    found = recommend(points, Wish((Limit("tpot_mean", limit),)))
    able = [energy for energy, seconds in figures if seconds <= limit]
    if not able:
        assert found.pick is None
        assert found.near_misses[0].point.latencies_s["tpot_mean"].value == min(s for _, s in figures)
        return
    assert found.pick is not None
    assert found.pick.energy_j.value == min(able)
    assert any(found.pick is p for p in found.front.front)
    assert found.fastest is not None
    assert found.savings["fastest"].value >= 0
