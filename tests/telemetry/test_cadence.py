from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from joulemark.telemetry.cadence import LEAST_SLACK_NS, edge_slack_ns, latest_look_ns
from joulemark.telemetry.sampler import MIN_WATCH_STEP_NS, WATCH_STEPS_PER_UPDATE

MS = 1_000_000
periods_ns = st.integers(1, 2_000 * MS)


@given(periods_ns)
def test_an_edge_waits_for_no_look_that_is_later_than_its_bound_forgives(update_ns: int) -> None:
    left_ns = edge_slack_ns(update_ns) - latest_look_ns(update_ns)
    assert left_ns >= LEAST_SLACK_NS // 2, "to wake up and to read what comes before"


@given(periods_ns)
def test_a_watched_counter_is_looked_at_soon_enough_for_its_own_edges(update_ns: int) -> None:
    assert max(update_ns // WATCH_STEPS_PER_UPDATE, MIN_WATCH_STEP_NS) <= latest_look_ns(update_ns)
