"""A counter added up for ever: it never falls, and what it cannot know it leaves out."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.live.ledger import Ledger
from joulemark.record.energy import Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.interval import energy_between
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


S = 10**9
SWING_W = 100.0


def board(**facts: object) -> QualifiedSource:
    told = {"quantities": ("energy_j", "power_w", "power_limit_w"), "power_window_s": 0.0, **facts}
    info = SourceInfo("m:0", "m", Scope.module(0), **told)  # type: ignore[arg-type]
    return QualifiedSource(info, Qualification(Trust.QUALIFIED, None, 0.1, 0.12, poll_period_s=0.2))


def register(**facts: object) -> QualifiedSource:
    """A plug of steps of 36 J."""
    told = {"counter_quantum_j": 36.0, "is_register": True, "value_age_s": 1.0, "read_period_s": 0.2}
    return board(power_max_w=3680.0, **told, **facts)


def a_minute(
    *,
    gauge_w: float = SWING_W,
    step_j: float = 0.0,
    flag: str | None = None,
    jump_j: float = 0.0,
    frozen: bool = False,
    limit_w: float | None = None,
) -> list[Reading]:
    """Readings each 0.2 s; whatever goes wrong does so at 30 s, what freezes is still for ten seconds."""
    rows, joules = [], 5000.0
    for i in range(300):
        at_fault = i == 150
        joules += 0.0 if frozen and 150 <= i < 200 else SWING_W * 0.2
        joules += jump_j if at_fault else 0.0
        shown_j = joules // step_j * step_j if step_j else joules
        values = {"energy_j": shown_j, "power_w": gauge_w}
        values |= {} if limit_w is None else {"power_limit_w": limit_w}
        flags = (flag,) if flag is not None and at_fault else ()
        rows.append(Reading(0, i * S // 5, "m:0", "wall/psu/gpu:0", values, flags=flags))
    return rows


@pytest.mark.parametrize(
    ("meter", "rows", "reason"),
    [
        (board(), a_minute(), None),
        (register(), a_minute(step_j=36.0), None),
        (board(), a_minute(flag="reset_marker"), Reason.COUNTER_RESET),
        (register(), a_minute(step_j=36.0, flag="reset_marker"), Reason.COUNTER_RESET),
        (board(), a_minute(flag="overload"), Reason.OVER_RANGE),
        (board(), a_minute(flag="slept"), Reason.MACHINE_SLEPT),
        (register(), a_minute(step_j=36.0, flag="slept", jump_j=3600.0), Reason.MACHINE_SLEPT),
        (board(), a_minute(flag="gap"), None),
        (board(), a_minute(frozen=True), Reason.COUNTER_FROZEN),
        (board(), a_minute(frozen=True, gauge_w=0.0), Reason.COUNTER_FROZEN),  # a dead gauge beside it
        (board(), a_minute(jump_j=1500.0, limit_w=300.0), Reason.COUNTER_IMPLAUSIBLE),
        (board(), a_minute(jump_j=-200.0), Reason.COUNTER_BACKWARDS),
        (board(), a_minute(jump_j=-5000.0), Reason.COUNTER_RESET),
    ],
)
@pytest.mark.parametrize("parts", [1, 4, 60])
def test_the_ledger_leaves_out_what_a_window_is_withheld_for(
    meter: QualifiedSource, rows: list[Reading], reason: Reason | None, parts: int
) -> None:
    window = energy_between(Timeline.from_readings(rows), meter, 0, 20 * S, 50 * S)
    assert (window.reason if isinstance(window, Withheld) else None) is reason
    ledger = Ledger(meter)
    for i in range(1, parts + 1):
        ledger.advance(Timeline.from_readings(rows[: len(rows) * i // parts]))
    assert dict(ledger.faults) == ({} if reason is None else {reason: 1})
    assert ledger.joules <= SWING_W * 60 + 36
