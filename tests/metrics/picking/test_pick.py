"""Rankings: what stands together, what is ruled out and by what, ranks and probabilities."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.pickables import candidate
from doubles.points import point
from joulemark.metrics import summarize
from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.picking import (
    OBJECTIVES,
    Bound,
    Named,
    Spread,
    Wanted,
    declared,
    measured_candidate,
    pick,
    picked_json,
    published_candidate,
    with_transfers,
)
from joulemark.metrics.picking.draws import effective_trials, probabilities, rank_ranges
from joulemark.metrics.picking.pick import not_full
from joulemark.metrics.picking.times import Times
from joulemark.metrics.run_point import run_point
from joulemark.metrics.value import Value
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason

ASKED = declared(Spread(300, 50), Spread(80, 20), 1000)
RATES = Rates(usd_per_kwh=0.3, gco2e_per_kwh=400.0)
SLOW = Times(CostModel(reason=Reason.NOT_IDENTIFIED), 1.0, 0.1, 20, (10, 4000), (1, 900))


def quick(label, factor=1.0, **fields):
    # the seed is the label's, so that no two have the same noise
    return candidate(label, sum(map(ord, label)), factor=factor, rates=RATES, **fields)


def labels(found):
    return [[row.priced.candidate.point.label for row in table.rows] for table in found.tables]


def test_the_cheapest_comes_first_and_what_is_apart_is_told_apart():
    found = pick([quick("dear", 2.0), quick("cheap"), quick("mid", 1.5)], ASKED, Wanted("joules"))
    assert labels(found) == [["cheap", "mid", "dear"]]
    assert [row.ranks for row in found.tables[0].rows] == [(1, 1), (2, 2), (3, 3)]
    assert [row.probability.value for row in found.tables[0].rows] == [1.0, 0.0, 0.0]
    assert found.best is found.tables[0].rows[0]


def test_ties_are_ranges_of_ranks():
    found = pick([quick("a"), quick("b", 1.001), quick("far", 3.0)], ASKED, Wanted("joules"))
    rows = found.tables[0].rows
    assert [row.ranks for row in rows] == [(1, 2), (1, 2), (3, 3)]
    assert 0.05 < rows[1].probability.value < 0.95


def test_runs_of_one_configuration_are_called_by_their_folders():
    alike = [quick(f"c{k}", point_fields={"origin": f"runs/r{k}"}) for k in range(2)]
    alike = [dataclasses.replace(one, point=dataclasses.replace(one.point, label="alike")) for one in alike]
    (found,) = labels(pick(alike, ASKED, Wanted("joules")))
    assert sorted(found) == ["alike, r0", "alike, r1"]


def test_accuracy_decides_where_it_counts():
    few, many = quick("few", 1.0, right=40), quick("many", 1.3, right=95)
    assert labels(pick([few, many], ASKED, Wanted("joules"))) == [["few", "many"]]
    assert labels(pick([few, many], ASKED, Wanted("joules_per_correct"))) == [["many", "few"]]


@pytest.mark.parametrize(
    ("fields", "name"),
    [
        ({"kind": "simulated", "tier": None}, "kind"),
        ({"tier": "A"}, "tier"),
        ({"scope": "wall"}, "scope"),
        ({"task": "poems"}, "task"),
        ({"questions": "other"}, "questions"),
    ],
)
def test_what_is_not_alike_stands_apart(fields, name):
    other = quick("other", 0.5, point_fields=fields)
    found = pick([quick("one"), quick("two"), other], ASKED, Wanted("joules_per_correct"))
    assert labels(found)[0] == sorted(["one", "two"], key=labels(found)[0].index)
    assert labels(found)[1] == ["other"]
    assert getattr(found.tables[0], name) != getattr(found.tables[1], name)
    alone = found.tables[1].rows[0]
    assert alone.probability.reason is Reason.NOT_APPLICABLE


def test_joules_of_two_tasks_may_be_ranked_for_one_workload():
    other = quick("other", 0.5, point_fields={"task": "poems"})
    found = pick([quick("one"), other], ASKED, Wanted("joules"))
    assert labels(found) == [["other", "one"]]


def test_modelled_rows_have_a_table_of_their_own_without_probabilities():
    rows = [
        published_candidate(
            dataclasses.replace(
                point(energy, label=f"p{energy}", kind="published", tier=None), mean_completion_tokens=100
            ),
            RATES,
        )
        for energy in (50.0, 20.0)
    ]
    found = pick([*rows, quick("own", 9.0)], ASKED, Wanted("joules"))
    assert labels(found) == [["own"], ["p20.0", "p50.0"]]
    assert [table.kind for table in found.tables] == ["measured", "published"]
    row = found.tables[1].rows[0]
    assert row.ranks is None
    assert row.probability.reason is Reason.NOT_MEASURED


def test_who_is_ruled_out_is_told_by_what():
    found = pick(
        [
            quick("good"),
            quick("wrong", right=20),
            quick("elsewhere", point_fields={"device": "NVIDIA Other 1"}),
            quick("nowhere", point_fields={"device": None}),
            quick("late", point_fields={"latencies": {"ttft_p99": 2.0}}),
        ],
        ASKED,
        Wanted(
            "joules",
            (
                Bound("accuracy", 0.5, at_least=True),
                Named("hardware", "testboard 90"),
                Bound("tpot_mean", 1.0),
            ),
        ),
    )
    assert labels(found) == [["good", "late"]] or labels(found) == [["late", "good"]]
    failed = {one.priced.candidate.point.label: one.failed for one in found.ruled_out}
    assert set(failed) == {"wrong", "elsewhere", "nowhere"}
    (check,) = failed["wrong"]
    assert (check.constraint.name, check.value.value, check.constraint.bound) == ("accuracy", 0.2, 0.5)
    (check,) = failed["elsewhere"]
    assert (check.constraint.wanted, check.text, check.met) == ("testboard 90", "NVIDIA Other 1", False)
    assert failed["nowhere"][0].met is None


def test_what_is_unknown_keeps_no_limit():
    found = pick([quick("one")], ASKED, Wanted("joules", (Bound("ttft_p99", 9.0),)))
    assert found.tables == ()
    assert found.ruled_out[0].failed[0].value.reason is Reason.NOT_MEASURED
    with pytest.raises(KeyError):
        pick([quick("one")], ASKED, Wanted("joules", (Bound("beauty", 1.0),)))


def test_a_budget_a_day_holds_standby_too():
    ready = quick(
        "ready", whole=SLOW, first=SLOW, in_flight=1.0, idle_w=Value(100.0, "W", 99.0, 101.0, "bound")
    )
    unknown = quick("unknown", whole=SLOW, first=SLOW, in_flight=1.0)
    small = Wanted("joules", (Bound("workload_kwh_per_day", 1.0),))
    found = pick([ready, unknown], ASKED, small)
    failed = {one.priced.candidate.point.label: one.failed[0] for one in found.ruled_out}
    assert failed["ready"].met is False  # 2.4 kWh of standby
    assert failed["unknown"].met is None
    requests = Wanted("joules", (Bound("workload_requests_kwh_per_day", 1.0),))
    assert pick([ready, unknown], ASKED, requests).ruled_out == ()


def test_what_does_not_fit_in_a_day_is_ruled_out():
    busy = declared(Spread(300), Spread(80), 100_000)  # of a second each
    found = pick([quick("one", whole=SLOW, first=SLOW, in_flight=1.0)], busy, Wanted("joules"))
    (one,) = found.ruled_out
    assert one.failed[0].value.value == pytest.approx(100_000 / 86_400)
    four = quick("four", whole=SLOW, first=SLOW, in_flight=4.0, loaded=True)
    assert labels(pick([four], busy, Wanted("joules"))) == [["four"]]


def test_a_load_that_the_day_does_not_make_is_told():
    four = quick("four", whole=SLOW, first=SLOW, in_flight=4.0, loaded=True)
    also = quick("also", 2.0, whole=SLOW, first=SLOW, in_flight=8.0, loaded=True)
    found = pick([four, also], ASKED, Wanted("joules"))
    assert "with 8 requests in flight; 1,000 a day are 0.012 in the mean" in " ".join(found.notes)
    assert "with 4 requests in flight" in not_full(found.best.priced)
    assert "with 4 requests in flight" in picked_json(found)["best"]["load_note"]
    assert (
        not_full(
            pick([quick("one", whole=SLOW, first=SLOW, in_flight=1.0)], ASKED, Wanted("joules")).best.priced
        )
        == ""
    )


def test_why_something_has_no_price():
    images = quick("images", point_fields={"unit": "image"})
    unreal = quick("unreal", point_fields={"implausible": "It cannot be."})
    late = quick("late", point_fields={"late": "The client."})
    vague = quick("vague", model=CostModel(reason=Reason.NOT_IDENTIFIED, detail="Prompts alike."))
    found = pick([images, unreal, late, vague], ASKED, Wanted("joules"))
    assert {one.candidate.point.label: one.code for one in found.not_priced} == {
        "images": "not_applicable",
        "unreal": "implausible",
        "late": "client_invalid",
        "vague": "not_identified",
    }
    assert found.best is None


def test_runs_of_one_configuration_test_each_others_models():
    one = run_views.with_lengths(60, seed=1)
    task = one.manifest.task.model_copy(update={"name": "other"})
    two = run_views.with_lengths(60, seed=2, beta_j=1.9)
    two = dataclasses.replace(two, manifest=two.manifest.model_copy(update={"task": task}))
    pairs = [
        (measured_candidate(v, run_point(v, summarize(v), f"runs/{k}")), v) for k, v in enumerate((one, two))
    ]
    first, second = with_transfers(pairs)
    assert first.transfers[0].task == "other"
    assert first.transfers[0].error.value < -10  # the second costs a quarter more a token
    assert first.extra_variance > 0.01
    assert second.transfers[0].error.value > 10
    same = with_transfers([pairs[0], pairs[0]])
    assert same[0].transfers == ()


LIMITS = st.lists(
    st.one_of(
        st.builds(Bound, st.just("accuracy"), st.floats(0, 1), st.just(True)),
        st.builds(Bound, st.just("workload_joules"), st.floats(50, 1000)),
        st.builds(Bound, st.just("workload_requests_kwh_per_day"), st.floats(0.01, 0.3)),
        st.builds(Named, st.just("hardware"), st.sampled_from(["testboard", "90", "other"])),
    ),
    max_size=3,
)
POOL = [
    quick(
        f"c{k}", 1 + k / 10, right=30 + 8 * k, point_fields={"device": "Other" if k == 3 else "Testboard 90"}
    )
    for k in range(6)
]


@given(LIMITS, LIMITS, st.sampled_from(OBJECTIVES), st.lists(st.sampled_from(range(6)), unique=True))
@settings(max_examples=40)
def test_a_constraint_more_never_adds_a_candidate(some, more, by, places):
    among = [POOL[k] for k in places]
    fewer = pick(among, ASKED, Wanted(by, tuple(some)), n_draws=200)
    found = pick(among, ASKED, Wanted(by, (*some, *more)), n_draws=200)
    kept = {label for table in labels(found) for label in table}
    assert kept <= {label for table in labels(fewer) for label in table}
    told = len(kept) + len(found.ruled_out) + len(found.not_priced)
    assert told == len(among)
    for table in found.tables:
        chances = [row.probability.value for row in table.rows]
        if len(chances) > 1:
            assert math.fsum(chances) == pytest.approx(1.0)
            costs = [row.priced.figures[found.wanted.figure].value for row in table.rows]
            assert costs == sorted(costs)
            for place, row in enumerate(table.rows, 1):
                assert 1 <= row.ranks[0] <= row.ranks[1] <= len(chances)
                if row.ranks[0] == row.ranks[1]:
                    assert abs(place - row.ranks[0]) < len(chances)


def test_the_same_answer_each_time_and_whatever_the_order():
    one, two = pick(POOL, ASKED, Wanted()), pick(POOL[::-1], ASKED, Wanted())
    assert picked_json(one) == picked_json(two)


def test_probabilities_and_ranks_by_hand():
    draws = np.array([[1.0, 1.0, 3.0, 1.0], [2.0, 1.0, 1.0, 2.0], [9.0, 9.0, 9.0, 9.0]])
    assert probabilities(draws) == [0.625, 0.375, 0.0]
    assert rank_ranges(draws) == [(1, 2), (1, 2), (3, 3)]


@given(st.integers(2, 12), st.floats(0.0, 6.0), st.integers(0, 2**32 - 1))
@settings(max_examples=50)
def test_ranks_are_those_of_counting_every_pair(k, apart, seed):
    rng = np.random.default_rng(seed)
    draws = rng.normal(rng.uniform(0, apart, k)[:, None], rng.uniform(0.1, 1.0, k)[:, None], (k, 400))
    surely = (draws[:, None, :] < draws[None, :, :]).mean(axis=2) >= 0.975
    assert rank_ranges(draws) == [(1 + int(surely[:, i].sum()), k - int(surely[i].sum())) for i in range(k)]


@given(st.integers(1, 400), st.integers(0, 400))
def test_an_accuracy_is_drawn_of_as_many_trials_as_its_interval_says(right, wrong):
    from doubles.pickables import share

    found = effective_trials(share(right, right + wrong))
    assert found == pytest.approx(right + wrong, rel=0.01)


def test_json_names_every_null():
    document = picked_json(pick([*POOL, quick("x", right=None)], ASKED, Wanted("joules")))
    for row in document["tables"][0]["rows"]:
        for name in document["units"]:
            if name != "rank_range" and row[name] is None:
                assert name in row["reasons"], name
    assert document["tables"][0]["rows"][0]["rank_range"][0] == 1
