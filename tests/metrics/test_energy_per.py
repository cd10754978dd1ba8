import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.run_views import item, measured
from joulemark.metrics.accuracy import accuracy
from joulemark.metrics.energy_per import (
    accuracy_per_watt,
    correct_per_joule,
    joules_per_correct_answer,
    joules_per_correct_answer_bound,
    joules_per_request,
    joules_per_token,
    mean_power_w,
    net_joules,
)
from joulemark.metrics.value import Value, withheld
from joulemark.record.attribution import Attribution
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

NO_METER = Withheld(Reason.NO_METER)


def _run(n=12, correct_every=2, failed=0):
    items = [item(k, verdict=Verdict.CORRECT if k % correct_every == 0 else Verdict.WRONG) for k in range(n)]
    items += [item(n + k, verdict=Verdict.FAILED, correct=None, tokens=0) for k in range(failed)]
    rows = {
        i.key: Attribution(i.item_id, 0, 0, "sequential", "gpu:0", 10.0 + k, 9.0 + k, 11.0 + k)
        for k, i in enumerate(items)
    }
    return items, rows


def test_all_joules_over_correct_answers_by_hand():
    # 12 items, 6 correct, 246 J metered of which 12 items hold 10 + … + 21 = 186 J and 60 J are idle
    items, rows = _run()
    value = joules_per_correct_answer(measured(246.0, 6.0), items, rows)
    assert value.value == 41.0
    assert value.interval == "ci95"
    assert value.lo < 41.0 < value.hi
    assert value.n == 12
    bound = joules_per_correct_answer_bound(measured(246.0, 6.0), items)
    assert (bound.value, bound.lo, bound.hi, bound.interval) == (41.0, 40.0, 42.0, "bound")


def test_the_energy_of_failed_requests_is_charged():
    items, rows = _run(failed=3)
    value = joules_per_correct_answer(measured(300.0), items, rows)
    assert value.value == 50.0
    assert value.n == 15


def test_the_interval_is_centred_on_the_figure_with_idle_energy_inside():
    items, rows = _run(60)
    attributed = sum(row.joules for row in rows.values())
    lean = joules_per_correct_answer(measured(attributed), items, rows)
    idle = joules_per_correct_answer(measured(attributed + 6000.0), items, rows)
    # 100 J of idle an item, 2 items a correct answer
    assert idle.value == pytest.approx(lean.value + 200.0)
    assert idle.lo > lean.hi


def test_the_figure_stands_without_an_interval():
    items, rows = _run(9)
    few = joules_per_correct_answer(measured(90.0), items, rows)
    assert (few.value, few.interval, few.interval_reason) == (18.0, None, Reason.TOO_FEW_ITEMS)
    items, rows = _run(12)
    lost = dict(rows)
    lost[items[3].key] = Attribution("q3", 0, 0, "sequential", "gpu:0", None, None, None, Reason.GAP_TOO_LONG)
    value = joules_per_correct_answer(measured(90.0), items, lost)
    assert (value.value, value.interval_reason) == (15.0, Reason.GAP_TOO_LONG)
    assert joules_per_correct_answer(measured(90.0), items, {}).interval_reason is Reason.NO_SAMPLES
    one_of_fifty, rows = _run(50, correct_every=50)
    value = joules_per_correct_answer(measured(90.0), one_of_fifty, rows)
    assert (value.value, value.interval_reason) == (90.0, Reason.TOO_MANY_EMPTY_RESAMPLES)


def test_unscored_items_do_not_make_ten():
    items, rows = _run(8)
    extra = [item(100 + k, verdict=None) for k in range(5)]
    rows |= {i.key: Attribution(i.item_id, 0, 0, "sequential", "gpu:0", 5.0, 4.0, 6.0) for i in extra}
    value = joules_per_correct_answer(measured(90.0), [*items, *extra], rows)
    assert value.interval_reason is Reason.TOO_FEW_ITEMS


def test_withheld_headlines():
    items, rows = _run()
    assert joules_per_correct_answer(NO_METER, items, rows).reason is Reason.NO_METER
    wrong = [item(k, verdict=Verdict.WRONG) for k in range(12)]
    assert joules_per_correct_answer(measured(9.0), wrong, {}).reason is Reason.NOTHING_CORRECT
    real = [item(k, verdict=None, score=0.3) for k in range(12)]
    assert joules_per_correct_answer(measured(9.0), real, {}).reason is Reason.REAL_VALUED_SCORE
    assert joules_per_correct_answer(measured(9.0), [], {}).reason is Reason.NOTHING_SCORED


@given(st.integers(1, 200), st.floats(1e-3, 1e6))
def test_ipj_is_the_inverse_of_joules_per_correct_answer(n, joules):
    items = [item(k, verdict=Verdict.CORRECT) for k in range(n)]
    per_correct = joules_per_correct_answer_bound(measured(joules), items).value
    assert correct_per_joule(measured(joules), items).value * per_correct == pytest.approx(1.0)


def test_nothing_correct_is_a_real_zero_per_joule():
    assert correct_per_joule(measured(5.0), [item(0, verdict=Verdict.WRONG)]).value == 0.0
    assert correct_per_joule(measured(0.0), [item(0)]).reason is Reason.NO_SAMPLES
    assert correct_per_joule(NO_METER, [item(0)]).reason is Reason.NO_METER


def test_per_request_and_per_token():
    items = [item(0, tokens=10), item(1, tokens=30), item(2, verdict=Verdict.FAILED, tokens=0)]
    assert joules_per_request(measured(120.0, 12.0), items).value == 40.0
    token = joules_per_token(measured(120.0, 12.0), items)
    assert (token.value, token.lo, token.hi) == (3.0, 2.7, 3.3)
    # the split that shows verbosity: J/request = J/token x mean output tokens
    assert token.value * (40 / 3) == pytest.approx(40.0)


def test_a_missing_token_count_withholds_joules_per_token_and_says_how_many():
    items = [item(0, tokens=10), item(1, tokens=None), item(2, tokens=None)]
    value = joules_per_token(measured(120.0), items)
    assert value.reason is Reason.NOT_REPORTED
    assert value.detail.startswith("2 of 3")
    assert joules_per_token(measured(120.0), [item(0, tokens=0)]).reason is Reason.NO_TOKEN_SEEN
    assert joules_per_token(NO_METER, items).reason is Reason.NO_METER
    assert joules_per_request(measured(1.0), []).reason is Reason.NOTHING_SCORED


def test_net_joules_need_a_measured_baseline_and_may_be_negative():
    net = net_joules(measured(500.0, 10.0), Value(60.0, "W"), 10.0)
    assert (net.value, net.lo, net.hi) == (-100.0, -110.0, -90.0)
    missing = net_joules(measured(500.0), withheld("W", Reason.NO_BASELINE, detail="why"), 10.0)
    assert (missing.reason, missing.detail) == (Reason.NO_BASELINE, "why")
    assert net_joules(NO_METER, Value(60.0, "W"), 10.0).reason is Reason.NO_METER
    assert net_joules(measured(5.0), Value(60.0, "W"), None).reason is Reason.OUTSIDE_TIMELINE


@given(st.floats(0, 1e6), st.floats(0, 1e3), st.floats(1, 1e3), st.floats(0, 1), st.floats(0.1, 1e4))
def test_the_bound_of_net_joules_holds_whatever_run_and_idle_were_within_theirs(
    joules, slack_j, idle_w, slack, duration_s
):
    total = measured(joules + slack_j, slack_j)
    idle = Value(idle_w, "W", idle_w * (1 - slack), idle_w * (1 + slack), "bound")
    net = net_joules(total, idle, duration_s)
    assert net.interval == "bound"
    for run_j in (total.lo, total.hi):
        for power_w in (idle.lo, idle.hi):
            true_j = run_j - power_w * duration_s
            assert net.lo - 1e-6 * abs(true_j) <= true_j <= net.hi + 1e-6 * abs(true_j)


def test_mean_power_and_accuracy_per_gpu_watt():
    items = [item(0), item(1, verdict=Verdict.WRONG)]
    assert mean_power_w(measured(500.0, 5.0), 10.0).value == 50.0
    assert mean_power_w(measured(500.0), None).reason is Reason.OUTSIDE_TIMELINE
    assert accuracy_per_watt(accuracy(items), measured(500.0), 10.0).value == 0.01
    package = MeasuredEnergy(500.0, 499.0, 501.0, "rapl:0", (Scope.package(0),), Method.COUNTER)
    assert accuracy_per_watt(accuracy(items), package, 10.0).reason is Reason.NOT_APPLICABLE
    assert accuracy_per_watt(accuracy([]), measured(500.0), 10.0).reason is Reason.NOTHING_SCORED
    assert accuracy_per_watt(accuracy(items), measured(0.0), 10.0).reason is Reason.NO_SAMPLES
