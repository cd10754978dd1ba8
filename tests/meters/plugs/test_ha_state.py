"""States and histories of Home Assistant, as text."""

from __future__ import annotations

from decimal import Decimal
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.meters.plugs.ha_state import History, State, register_step, stamp_s


def test_binary_noise_is_no_step() -> None:
    state = State.of({"state": "12.300000000000001", "attributes": {"unit_of_measurement": "kWh"}})
    assert state.value == Decimal("12.3")
    assert state.value is not None
    assert register_step(state.value, []) == Decimal("0.1")


def test_a_register_shown_in_a_finer_unit_steps_by_its_own_unit() -> None:
    """0.01 kWh shown in Wh: 10, 30, 40, 90, 160, 180."""
    shown = [Decimal(text) for text in ("10.0", "30.0", "40.0", "90.0", "160.0", "180.0")]
    assert register_step(shown[-1], shown) == 10


@pytest.mark.parametrize("n", [2, 3, 5, 9])
def test_a_register_that_always_steps_by_ten_steps_by_ten(n: int) -> None:
    shown = [Decimal(12_290 + 10 * i) for i in range(n)]
    assert register_step(shown[-1], shown) == 10


def test_of_few_changes_the_smallest_is_the_step() -> None:
    shown = [Decimal(text) for text in ("12000", "12020", "12050")]
    assert register_step(shown[-1], shown) == 20
    assert register_step(shown[0], shown[:1] * 5) == 1, "nothing changed: only the last digit tells"


def test_zeros_that_are_not_written_count_too() -> None:
    assert register_step(Decimal("12.3"), [Decimal("12.28"), Decimal("12.29")]) == Decimal("0.01")


@settings(deadline=None)
@given(st.integers(0, 10**6), st.lists(st.integers(1, 50), min_size=1, max_size=20), st.integers(0, 5))
def test_the_step_is_that_of_every_change_or_the_smallest_of_few(
    start: int, rises: list[int], decimals: int
) -> None:
    unit = Decimal(1).scaleb(-decimals)
    values, at = [], start
    for rise in rises:
        at += rise
        values.append((at * unit).normalize())
    step = register_step(values[-1], values)
    assert step >= unit  # never finer than the register
    if len(values) > 4:
        assert all((value - values[0]) % step == 0 for value in values)
    elif len(values) > 1:
        assert step == min(b - a for a, b in pairwise(values))


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"state": 12.5},
        {"state": None},
        {"state": "12", "attributes": []},
        {"state": "12", "attributes": {"unit_of_measurement": 7}},
        {"state": "12", "last_reported": 7, "last_updated": "yesterday"},
    ],
)
def test_odd_states_are_read_without_an_error(content: dict[str, object]) -> None:
    state = State.of(content)
    assert state.unit is None
    assert state.reported_s is None
    assert (state.value is None) == (content.get("state") != "12")


def test_stamps() -> None:
    assert stamp_s("2026-05-01T00:00:01.5+00:00") == stamp_s("2026-05-01T02:00:01.5+02:00")
    assert stamp_s("2026-05-01T00:00:01") is None, "without a zone it may be any"
    for text in ("9999-12-31T23:59:59+00:00", "0001-01-01T00:00:00+23:59", "1969-12-31T23:59:59+00:00"):
        assert stamp_s(text) is None, "no server's clock; it would not fit 64 bits of nanoseconds"
    for text in (None, "", "soon", "x" * 100):
        assert stamp_s(text) is None


@pytest.mark.parametrize("states", [None, {}, [], [None], [{"state": 1}], [[{}]], [{"state": "1"}]])
def test_odd_histories_are_empty(states: object) -> None:
    history = History.of(states)
    assert history.values == ()
    assert history.longest_gap_s is None
