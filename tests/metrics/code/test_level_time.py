"""The clock of short calls: inside the process, unless the one outside contradicts it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.made_up_code_runs import program
from joulemark.metrics.code.level_time import MIN_INSIDE_FLOOR_NS, USUAL_GAP_NS, level_clock
from joulemark.record.code_run import Purpose

US = 1_000
GAP = 40 * US


def nothing(inside=(2_000, 2_100, 2_300)):
    return [program("nothing", None, Purpose.BASELINE, cpu_ns=one + GAP, cpu_inside_ns=one) for one in inside]


def call(inside_us, gap_us=40.0):
    return program("p", 0, cpu_ns=round((inside_us + gap_us) * US), cpu_inside_ns=round(inside_us * US))


def test_what_nothing_takes_is_taken_off():
    read = level_clock(nothing())
    assert read(call(5)) == pytest.approx(3e-6)
    assert read(call(1005)) == pytest.approx(1003e-6)


def test_no_time_is_below_the_floor():
    assert level_clock(nothing())(call(1)) == pytest.approx(MIN_INSIDE_FLOOR_NS / 1e9)
    assert level_clock(nothing((2_000, 6_000, 9_000)))(call(1)) == pytest.approx(4e-6)  # it is that uneven


def test_a_clock_that_is_contradicted_is_not_believed():
    read = level_clock(nothing())
    honest = program("p", 0, cpu_ns=50_000 * US, cpu_inside_ns=49_900 * US)
    liar = program("p", 0, cpu_ns=50_000 * US, cpu_inside_ns=0)
    assert read(honest) == pytest.approx(49.898e-3)
    assert read(liar) == pytest.approx(50e-3, rel=0.01)


@given(st.integers(0, 10**9), st.integers(0, 10**9))
def test_whoever_forges_its_clock_gains_no_more_than_is_said(true_ns, claimed_ns):
    read = level_clock(nothing())
    found = read(program("p", 0, cpu_ns=true_ns + GAP, cpu_inside_ns=claimed_ns))
    slack_ns = 2 * GAP + 0.05 * (true_ns + GAP) + 2_000
    assert found * 1e9 >= true_ns - slack_ns


def test_without_a_baseline_nothing_is_taken_off():
    read = level_clock([])
    assert read(call(5)) == pytest.approx(5e-6)
    assert read(call(5, gap_us=3 * USUAL_GAP_NS / US)) == pytest.approx(305e-6)


def test_a_time_that_was_not_read_is_none():
    read = level_clock(nothing())
    assert read(program("p", 0)) is None
    assert read(program("p", 0, cpu_ns=100 * US)) == pytest.approx(60e-6, abs=3e-6)  # from outside alone
