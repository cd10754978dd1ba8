import dataclasses
import json
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics import summarize
from joulemark.metrics.accuracy import VERDICT_NAMES
from joulemark.metrics.value import Value
from joulemark.metrics.verdict_energy import Spent, charge, costs_by_verdict
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason


def _by_name(costs):
    return {row.verdict: row for row in costs.rows}


def test_the_bill_by_hand():
    # correct 10 + 14 J, wrong 20 J, failed 6 J, and 10 J of idle: 60 J
    items = [
        item(0, verdict=Verdict.CORRECT),
        item(1, verdict=Verdict.CORRECT),
        item(2, verdict=Verdict.WRONG),
        item(3, verdict=Verdict.FAILED),
    ]
    joules = {"q0": 10.0, "q1": 14.0, "q2": 20.0, "q3": 6.0}
    spent = {i.key: Spent(joules[i.item_id], joules[i.item_id] - 1, joules[i.item_id] + 2) for i in items}
    costs = charge(items, spent, Value(60.0, "J"), "joules")
    rows = _by_name(costs)
    assert tuple(rows) == VERDICT_NAMES
    correct = rows["correct"]
    assert (correct.n, correct.share_of_requests, correct.cost.value) == (2, 0.5, 24.0)
    assert (correct.cost.lo, correct.cost.hi, correct.cost.interval) == (22.0, 28.0, "bound")
    assert (correct.share_of_cost.value, correct.mean_cost.value) == (0.4, 12.0)
    assert rows["failed"].cost.value == 6.0
    # no request, no energy: that 0 is known
    assert (rows["refused"].n, rows["refused"].cost.value, rows["refused"].mean_cost.value) == (0, 0.0, None)
    assert (costs.unattributed.value, costs.share_unattributed.value) == (10.0, pytest.approx(1 / 6))


def test_a_row_with_an_unknown_energy_is_withheld_and_the_sum_still_holds():
    items = [item(0, verdict=Verdict.CORRECT), item(1, verdict=Verdict.WRONG), item(2, verdict=Verdict.WRONG)]
    spent = {items[0].key: Spent(10.0), items[1].key: Spent(20.0), items[2].key: Reason.COUNTER_RESET}
    costs = charge(items, spent, Value(50.0, "J"), "joules")
    wrong = _by_name(costs)["wrong"]
    assert (wrong.cost.reason, wrong.share_of_cost.reason) == (Reason.COUNTER_RESET, Reason.COUNTER_RESET)
    assert "1 of 2" in wrong.cost.detail
    assert costs.unattributed.value == 40.0
    assert "wrong" in costs.unattributed.detail


@settings(deadline=None)
@given(
    st.lists(
        st.tuples(st.sampled_from([*Verdict, None]), st.floats(0, 1e4) | st.none()), min_size=1, max_size=40
    ),
    st.floats(0, 1e3),
)
def test_rows_and_rest_always_sum_to_the_total(table, idle):
    items = [item(k, verdict=v) for k, (v, _) in enumerate(table)]
    spent = {
        i.key: Reason.GAP_TOO_LONG if joules is None else Spent(joules)
        for i, (_, joules) in zip(items, table, strict=True)
    }
    total = math.fsum(j for _, j in table if j is not None) + idle + 1.0
    costs = charge(items, spent, Value(total, "J"), "joules")
    known = [row.cost.value for row in costs.rows if row.cost.value is not None]
    assert math.fsum(known) + costs.unattributed.value == pytest.approx(total)
    assert sum(row.n for row in costs.rows) == len(items)
    assert math.fsum(row.share_of_requests for row in costs.rows) == pytest.approx(1)


@pytest.mark.parametrize(
    ("view", "resource", "unit"),
    [
        (run_views.with_counter(with_failures=True), "joules", "J"),
        (run_views.without_meter(), "cpu_seconds", "s"),
    ],
)
def test_a_run_is_charged_in_what_it_was_measured_in(view, resource, unit):
    summary = summarize(view)
    costs = summary.by_verdict
    assert (costs.resource, costs.unit) == (resource, unit)
    assert {row.verdict: row.n for row in costs.rows} == dict(summary.verdicts)
    known = math.fsum(row.cost.value for row in costs.rows)
    assert known + costs.unattributed.value == pytest.approx(costs.total.value)
    document = summary.to_json()["by_verdict"]
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert document["rows"]["correct"]["n"] == summary.n_correct
    assert document["reasons"]["scored.mean_cost"]["code"] == "not_applicable"


def test_neither_joules_nor_processor_time():
    view = dataclasses.replace(run_views.without_meter(), cpu_seconds=None, item_cpu_seconds={})
    costs = costs_by_verdict(view)
    assert costs.resource is None
    assert costs.total.reason is costs.unattributed.reason is Reason.NO_METER
    assert _by_name(costs)["correct"].cost.reason is Reason.NO_METER
    assert _by_name(costs)["correct"].n > 0


def test_processor_time_of_requests_that_overlapped_is_not_told_apart():
    view = dataclasses.replace(run_views.without_meter(), item_cpu_seconds={})
    assert _by_name(costs_by_verdict(view))["correct"].cost.reason is Reason.CPU_NOT_OBSERVED
    first, second = view.measured_items[:2]
    late = dataclasses.replace(first, t_end=second.t_end)
    overlapping = dataclasses.replace(view, items=(late, *view.measured_items[1:]))
    assert _by_name(costs_by_verdict(overlapping))["correct"].cost.reason is Reason.OVERLAPPED


def test_real_valued_scores_have_their_own_row():
    view = run_views.with_counter(20)
    items = tuple(dataclasses.replace(i, verdict=None, correct=None, score=0.5) for i in view.measured_items)
    rows = _by_name(costs_by_verdict(dataclasses.replace(view, items=items)))
    assert rows["scored"].n == 20
    assert rows["scored"].cost.value > 0
    assert rows["unscored"].n == 0
