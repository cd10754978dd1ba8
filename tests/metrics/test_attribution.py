import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.run_views import T0, S, item, measured
from joulemark.metrics.attribution import (
    attribute_equal_share,
    attribute_sequential,
    items_overlap,
    scope_label,
    time_slices,
)
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.span import Span


def _shared(items, power_w, windows, total, lost=None):
    """Share a power, or the energy by a second; ``lost`` says which slices are withheld."""
    slices = time_slices(items, [w if len(w) == 3 else (0, *w) for w in windows])
    cumulative = power_w if callable(power_w) else lambda s: s * power_w
    energies = [
        (lost and lost(part)) or measured(cumulative((part.t1 - T0) / 1e9) - cumulative((part.t0 - T0) / 1e9))
        for part in slices
    ]
    return attribute_equal_share(items, slices, energies, total, "gpu:0")


def test_scopes_are_named_in_order():
    assert scope_label([Scope.gpu(1), Scope.gpu(0)]) == "gpu:0+gpu:1"


def test_sequential_items_idle_and_residual_add_up_to_the_total():
    items = [item(0), item(1, start_s=2)]
    rows, check = attribute_sequential(
        items,
        [measured(30.0, 2.0), measured(50.0, 2.0)],
        [measured(5.0), measured(4.0)],
        measured(90.0),
        "gpu:0",
    )
    assert [(r.joules, r.lo, r.hi, r.reason) for r in rows] == [
        (30.0, 28.0, 32.0, None),
        (50.0, 48.0, 52.0, None),
    ]
    assert (check.total_j, check.items_j, check.idle_j, check.residual_j, check.reason) == (
        90.0,
        80.0,
        9.0,
        1.0,
        None,
    )


def test_an_item_without_energy_keeps_its_reason_and_leaves_its_joules_in_the_residual():
    rows, check = attribute_sequential(
        [item(0), item(1, start_s=2)],
        [measured(30.0), Withheld(Reason.GAP_TOO_LONG)],
        [Withheld(Reason.GAP_TOO_LONG)],
        measured(90.0),
        "gpu:0",
    )
    assert (rows[1].joules, rows[1].lo, rows[1].reason) == (None, None, Reason.GAP_TOO_LONG)
    assert (check.residual_j, check.reason) == (60.0, Reason.GAP_TOO_LONG)
    _, lost = attribute_sequential([item(0)], [measured(3.0)], [], Withheld(Reason.SAMPLER_LOST), "gpu:0")
    assert (lost.total_j, lost.residual_j, lost.reason) == (None, None, Reason.SAMPLER_LOST)


def test_overlapping_items_are_refused_as_sequential():
    items = [item(0, end_s=3.0), item(1, start_s=2.0)]
    assert items_overlap(items)
    with pytest.raises(ValueError, match="overlap"):
        attribute_sequential(items, [measured(1.0)] * 2, [], measured(2.0), "gpu:0")
    # a retried item begins with its first try
    tried = item(1, start_s=4.0, attempts=(Attempt(T0 + 2 * S, T0 + 3 * S, "reset"),))
    assert items_overlap([item(0, end_s=2.5), tried])
    # the end of one may be the start of the next, and other segments have other clocks
    assert not items_overlap([item(0, end_s=2.0), item(1, start_s=2.0)])
    assert not items_overlap([item(0, end_s=3.0), item(1, start_s=2.0, segment=1)])


def test_equal_shares_by_hand():
    # 100 W. A runs 0-4 s, B 2-6 s, nothing 6-8 s; both together 2-4 s
    items = [item(0, end_s=4.0), item(1, start_s=2.0, end_s=4.0)]
    rows, check = _shared(items, 100.0, [(T0, T0 + 8 * S)], measured(800.0))
    assert [r.joules for r in rows] == pytest.approx([300.0, 300.0])
    assert {(r.lo, r.hi, r.reason) for r in rows} == {(None, None, Reason.ALLOCATED)}
    assert check.items_j == pytest.approx(600.0)
    assert check.idle_j == pytest.approx(200.0)
    assert check.residual_j == pytest.approx(0.0)


def test_energy_outside_the_measured_windows_is_not_shared():
    items = [item(0, start_s=0.0, end_s=10.0)]
    windows = [(T0 + 2 * S, T0 + 4 * S), (T0 + 7 * S, T0 + 8 * S)]
    rows, check = _shared(items, 10.0, windows, measured(30.0))
    assert rows[0].joules == pytest.approx(30.0)
    assert check.residual_j == pytest.approx(0.0)


def test_one_fault_costs_only_those_who_were_in_it_and_keeps_its_reason():
    # the counter was reset between 4 and 5 s; what came before and after it is known
    items = [item(k, start_s=2.0 * k, end_s=2.5) for k in range(5)]

    def lost(part):
        return part.t0 < T0 + 5 * S and part.t1 > T0 + 4 * S and Withheld(Reason.COUNTER_RESET)

    total = Withheld(Reason.COUNTER_RESET)
    rows, check = _shared(items, 10.0, [(T0, T0 + 12 * S)], total, lost)
    assert [row.reason for row in rows] == [
        Reason.ALLOCATED,
        Reason.COUNTER_RESET,
        Reason.COUNTER_RESET,
        Reason.ALLOCATED,
        Reason.ALLOCATED,
    ]
    assert rows[0].joules == pytest.approx(22.5)
    assert rows[3].joules == pytest.approx(20.0)
    assert rows[4].joules == pytest.approx(22.5)
    assert rows[1].joules is None
    assert (check.total_j, check.reason) == (None, Reason.COUNTER_RESET)


def test_what_is_not_known_stays_in_the_residual_with_its_reason():
    items = [item(0, end_s=2.0), item(1, start_s=3.0, end_s=2.0)]

    def lost(part):
        return part.t0 >= T0 + 3 * S and part.t1 <= T0 + 5 * S and Withheld(Reason.SAMPLER_LOST)

    rows, check = _shared(items, 10.0, [(T0, T0 + 6 * S)], measured(60.0), lost)
    assert rows[0].joules == pytest.approx(20.0)
    assert (check.items_j, check.idle_j) == (pytest.approx(20.0), pytest.approx(20.0))
    assert (check.residual_j, check.reason) == (pytest.approx(20.0), Reason.SAMPLER_LOST)


def test_each_segment_has_its_own_clock():
    # the same stamps on two clocks: nobody shares with the other segment
    items = [item(0, end_s=4.0), item(1, end_s=4.0, segment=1), item(2, start_s=2.0, end_s=2.0)]
    windows = [(1, T0, T0 + 4 * S), (0, T0, T0 + 4 * S)]
    rows, check = _shared(items, 10.0, windows, measured(80.0))
    assert [row.joules for row in rows] == pytest.approx([30.0, 40.0, 10.0])
    assert [row.segment for row in rows] == [0, 1, 0]
    assert check.residual_j == pytest.approx(0.0)


def test_slices_are_cut_where_requests_begin_and_end_and_nowhere_else():
    items = [item(0, start_s=-1.0, end_s=3.0), item(1, start_s=1.0, end_s=9.0), item(2, segment=1)]
    assert time_slices(items, [(0, T0, T0 + 5 * S)]) == (
        Span(0, T0, T0 + S),
        Span(0, T0 + S, T0 + 2 * S),
        Span(0, T0 + 2 * S, T0 + 5 * S),
    )


def test_a_request_that_took_no_time_or_lies_outside_costs_nothing():
    items = [item(0, start_s=1.0, end_s=0.0), item(1, start_s=20.0), item(2, start_s=0.0, end_s=2.0)]
    rows, check = _shared(items, 10.0, [(T0, T0 + 2 * S)], measured(20.0))
    assert [row.joules for row in rows] == pytest.approx([0.0, 0.0, 20.0])
    assert check.residual_j == pytest.approx(0.0)


def test_no_items_is_all_idle():
    rows, check = _shared([], 50.0, [(T0, T0 + 2 * S)], measured(100.0))
    assert rows == ()
    assert (check.items_j, check.idle_j, check.residual_j) == (0.0, 100.0, 0.0)


spans = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30)), min_size=1, max_size=25)


@given(spans, st.lists(st.floats(0, 500), min_size=100, max_size=100))
def test_shares_always_add_up_and_agree_with_a_slow_count(spans, powers):
    items = [item(k, start_s=a, end_s=d) for k, (a, d) in enumerate(spans)]
    cumulative = np.concatenate([[0.0], np.cumsum(powers)])

    def energy_until(s):
        return float(np.interp(s, np.arange(101.0), cumulative))

    total = measured(float(cumulative[-1]))
    rows, check = _shared(items, energy_until, [(T0, T0 + 100 * S)], total)
    assert check.items_j + check.idle_j + check.residual_j == pytest.approx(total.joules)
    assert check.residual_j == pytest.approx(0.0, abs=1e-6)
    # all times are whole seconds, so second by second is exact
    slow = [0.0] * len(items)
    for second in range(100):
        flying = [k for k, (a, d) in enumerate(spans) if a <= second < a + d]
        for k in flying:
            slow[k] += powers[second] / len(flying)
    assert [r.joules for r in rows] == pytest.approx(slow, abs=1e-6)
