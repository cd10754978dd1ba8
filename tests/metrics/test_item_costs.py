import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics import summarize
from joulemark.metrics.item_costs import ItemCosts, item_costs, item_cpu_seconds, item_joules, item_seconds
from joulemark.record.reason import Reason

ITEMS = [item(k, start_s=2.0 * k) for k in range(3)]


@settings(deadline=None)
@given(st.lists(st.floats(0, 1e6), min_size=3, max_size=3), st.floats(0, 1e6))
def test_costs_and_their_shares_add_up_to_the_total(costs, rest):
    total = sum(costs) + rest
    found = item_costs(total, ITEMS, dict(zip([i.key for i in ITEMS], costs, strict=True)))
    assert isinstance(found, ItemCosts)
    assert sum(found.of(ITEMS)) == pytest.approx(total)
    assert found.of(ITEMS[:1]) == pytest.approx([costs[0] + rest / 3], abs=1e-6)


def test_one_unknown_cost_withholds_all_for_the_rest_would_hold_it():
    known = {i.key: 1.0 for i in ITEMS}
    assert item_costs(9.0, ITEMS, {**known, ITEMS[1].key: Reason.GAP_TOO_LONG}) is Reason.GAP_TOO_LONG
    del known[ITEMS[2].key]
    assert item_costs(9.0, ITEMS, known) is Reason.NO_SAMPLES
    assert item_costs(9.0, [], {}) == ItemCosts({}, 0.0)


def test_a_missing_processor_time_has_one_reason_everywhere():
    view = dataclasses.replace(run_views.with_lengths(12, repeats=2), item_cpu_seconds={})
    assert set(item_cpu_seconds(view).values()) == {Reason.CPU_NOT_OBSERVED}
    summary = summarize(view)
    name = "cpu_seconds_per_correct_answer"
    assert summary.figures[name].interval_reason is Reason.CPU_NOT_OBSERVED
    assert summary.repeats[name].reason is Reason.CPU_NOT_OBSERVED
    late = dataclasses.replace(view.items[0], t_end=view.items[1].t_end)
    overlapping = dataclasses.replace(view, items=(late, *view.items[1:]))
    assert set(item_cpu_seconds(overlapping).values()) == {Reason.OVERLAPPED}
    assert set(item_seconds(overlapping).values()) == {Reason.OVERLAPPED}
    summary = summarize(overlapping)
    assert summary.figures[name].interval_reason is Reason.OVERLAPPED
    assert summary.repeats[name].reason is Reason.OVERLAPPED


def test_shares_by_rule_are_joules_all_the_same():
    view = run_views.with_lengths(12)
    rows = tuple(
        dataclasses.replace(row, lo=None, hi=None, reason=Reason.ALLOCATED) for row in view.attributions
    )
    assert item_joules(dataclasses.replace(view, attributions=rows)) == item_joules(view)
