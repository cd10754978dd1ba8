"""A counter added up for ever: it never falls, and what it cannot know it leaves out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.live.ledger import Ledger
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.timeline import Timeline

POLL_NS = 200_000_000
MAX_W = 300.0


def source(**facts: object) -> QualifiedSource:
    info = SourceInfo("m:0", "m", Scope.gpu(0), ("energy_j", "power_w"), power_max_w=MAX_W, **facts)  # type: ignore[arg-type]
    return QualifiedSource(info, Qualification(Trust.QUALIFIED, None, 0.1, 0.12, poll_period_s=0.2))


def readings(values: Sequence[float | None], power_w: float = 100.0, first: int = 0) -> list[Reading]:
    return [
        Reading(
            0,
            (first + i) * POLL_NS,
            "m:0",
            "wall/psu/gpu:0",
            {"power_w": power_w} | ({} if value is None else {"energy_j": value}),
        )
        for i, value in enumerate(values)
    ]


def fed(values: Sequence[float | None], parts: int, **facts: object) -> tuple[Ledger, list[float]]:
    """Feed the values in ``parts`` calls, each with all that came before; return what each showed."""
    ledger, rows, shown = Ledger(source(**facts)), readings(values), []
    for i in range(1, parts + 1):
        ledger.advance(Timeline.from_readings(rows[: max(1, len(rows) * i // parts)]))
        shown.append(ledger.joules)
    return ledger, shown


@pytest.mark.parametrize("parts", [1, 3, 40])
def test_a_healthy_counter_is_counted_from_its_first_reading(parts: int) -> None:
    ledger, shown = fed([5000.0 + 20 * i for i in range(40)], parts)
    assert ledger.joules == pytest.approx(20 * 39)
    assert shown == sorted(shown)
    assert not ledger.faults


@pytest.mark.parametrize("parts", [1, 4, 40])
def test_a_wrap_of_known_range_is_undone(parts: int) -> None:
    ledger, _ = fed(
        [(900.0 + 20 * i) % 1000 for i in range(40)], parts, counter_modulus_j=1000.0, counter_wraps=True
    )
    assert ledger.joules == pytest.approx(20 * 39)
    assert not ledger.faults


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([*(5000.0 + 20 * i for i in range(20)), *(20.0 * i for i in range(20))], Reason.COUNTER_RESET),
        (
            [*(5000.0 + 20 * i for i in range(20)), *(4900.0 + 20 * i for i in range(20))],
            Reason.COUNTER_BACKWARDS,
        ),
        (
            [*(5000.0 + 20 * i for i in range(20)), *(9e9 + 20 * i for i in range(20))],
            Reason.COUNTER_IMPLAUSIBLE,
        ),
    ],
)
@pytest.mark.parametrize("parts", [1, 4, 40])
def test_a_fault_neither_falls_nor_jumps_and_is_counted_once(
    values: list[float], reason: Reason, parts: int
) -> None:
    ledger, shown = fed(values, parts)
    assert ledger.joules == pytest.approx(20 * 38)  # all but the step across the fault
    assert shown == sorted(shown)
    assert dict(ledger.faults) == {reason: 1}


def test_an_unknown_range_leaves_the_step_out() -> None:
    values = [*(5000.0 + 20 * i for i in range(20)), *(20.0 * i for i in range(20))]
    ledger, _ = fed(values, 4, counter_wraps=True)
    assert dict(ledger.faults) == {Reason.COUNTER_WRAP_UNKNOWN: 1}
    assert ledger.joules == pytest.approx(20 * 38)


def test_a_frozen_counter_is_a_fault_that_is_counted_once_while_it_lasts() -> None:
    values = [*(5000.0 + 20 * i for i in range(20)), *([5380.0] * 60)]
    ledger, shown = fed(values, 40)
    assert dict(ledger.faults) == {Reason.COUNTER_FROZEN: 1}
    assert ledger.joules == pytest.approx(20 * 19)
    assert shown == sorted(shown)


def test_a_gap_is_bridged_and_one_that_may_hold_several_wraps_is_not() -> None:
    values: list[float | None] = [5000.0, 5020.0, *([None] * 20), 5020.0 + 21 * 20]
    ledger, _ = fed(values, 5)
    assert ledger.joules == pytest.approx(20 + 21 * 20)
    wrapped: list[float | None] = [
        500.0,
        520.0,
        *([None] * 40),
        (520.0 + 41 * 20) % 1000,
        (540.0 + 41 * 20) % 1000,
    ]
    ledger, _ = fed(wrapped, 3, counter_modulus_j=1000.0, counter_wraps=True)
    assert ledger.joules == pytest.approx(40)
    assert ledger.faults[Reason.GAP_TOO_LONG] == 1


def test_what_was_dropped_in_between_counts_as_nothing() -> None:
    ledger = Ledger(source())
    ledger.advance(Timeline.from_readings(readings([5000.0, 5020.0])))
    ledger.advance(Timeline.from_readings(readings([7000.0, 7020.0], first=500)))
    assert ledger.joules == pytest.approx(40)
    assert dict(ledger.faults) == {Reason.GAP_TOO_LONG: 1}


def test_no_reading_is_no_energy() -> None:
    ledger = Ledger(source())
    ledger.advance(Timeline({}))
    ledger.advance(Timeline.from_readings(readings([None, None])))
    ledger.advance(Timeline.from_readings(readings([None, 5000.0])))
    assert (ledger.joules, dict(ledger.faults)) == (0.0, {})


@settings(deadline=None)
@given(
    st.lists(st.none() | st.floats(0, 1e6), min_size=1, max_size=60),
    st.integers(1, 12),
    st.none() | st.floats(1, 1e5),
)
def test_whatever_a_counter_does_the_ledger_never_falls_nor_exceeds_what_can_be_drawn(
    values: list[float | None], parts: int, modulus_j: float | None
) -> None:
    ledger, shown = fed(values, parts, counter_modulus_j=modulus_j, counter_wraps=modulus_j is not None)
    assert shown == sorted(shown)
    # twice what the board states, three times what its gauge shows, or what it steadily counts
    ceiling_w = max(2 * MAX_W, 25_000.0)
    assert ledger.joules <= ceiling_w * (len(values) * 0.2 + 0.12) * 2
