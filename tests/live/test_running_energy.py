"""A source summed up for ever from its recent readings: the same as from all of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.live.running_energy import RunningEnergy
from joulemark.live.source_energy import SourceEnergy, source_energy
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Reading
from joulemark.telemetry.timeline import Timeline

POLL_S, KEEP_S, LOOK_S = 0.2, 8.0, 2.0
BEGIN_S = 5.0
HELD_S = 5 * KEEP_S


def source(**facts: object) -> QualifiedSource:
    told = {"quantities": ("energy_j", "power_w"), "power_max_w": 300.0, "scope": Scope.gpu(0), **facts}
    info = SourceInfo("m:0", "m", **told)  # type: ignore[arg-type]
    return QualifiedSource(info, Qualification(Trust.QUALIFIED, None, 0.1, 0.12, poll_period_s=POLL_S))


def readings(watts: Sequence[float], modulus_j: float = math.inf) -> list[Reading]:
    """A reading every poll; ``watts[i]`` is drawn up to reading i."""
    rows, joules = [], 900.0
    for i, power_w in enumerate(watts):
        joules += power_w * POLL_S
        values = {"power_w": power_w, "energy_j": joules % modulus_j if modulus_j < math.inf else joules}
        rows.append(Reading(0, round(i * POLL_S * 1e9), "m:0", "wall/psu/gpu:0", values))
    return rows


def watched(
    rows: Sequence[Reading], tested: QualifiedSource, begin_s: float = BEGIN_S
) -> tuple[SourceEnergy, SourceEnergy, int]:
    """Look again and again; return the last sum, that of all readings, the most rows that were held."""
    begin_ns, last_ns = round(begin_s * 1e9), rows[-1].t_ns - 3_000_000_000
    running, most = RunningEnergy(tested, begin_ns, KEEP_S), 0
    found, oldest_ns, end_ns = None, 0, begin_ns
    while end_ns + LOOK_S * 1e9 <= last_ns:
        end_ns += round(LOOK_S * 1e9)
        held = [row for row in rows if oldest_ns <= row.t_ns <= end_ns + 2_000_000_000]
        most = max(most, len(held))
        found = running.until(Timeline.from_readings(held), end_ns)
        oldest_ns = running.needed_ns(end_ns)
    assert found is not None
    return found, source_energy(Timeline.from_readings(rows), tested, begin_ns, end_ns), most


def swings(seconds: float) -> list[float]:
    return [150.0 + 100.0 * math.sin(i / 7) for i in range(round(seconds / POLL_S))]


@pytest.mark.parametrize("modulus_j", [math.inf, 2000.0])
def test_a_counters_sum_and_bound_are_those_of_all_its_readings(modulus_j: float) -> None:
    facts = {} if modulus_j == math.inf else {"counter_modulus_j": modulus_j, "counter_wraps": True}
    running, whole, most = watched(readings(swings(150), modulus_j), source(**facts))
    assert isinstance(running.counter, MeasuredEnergy)
    assert isinstance(whole.counter, MeasuredEnergy)
    for figure in ("joules", "lo", "hi"):
        assert getattr(running.counter, figure) == pytest.approx(getattr(whole.counter, figure), abs=1e-6)
    assert running.counter.flags == whole.counter.flags
    assert most * POLL_S < HELD_S


def test_a_gauges_sum_is_that_of_all_and_its_bound_hardly_wider() -> None:
    running, whole, most = watched(readings(swings(150)), source())
    assert isinstance(running.integrated, MeasuredEnergy)
    assert isinstance(whole.integrated, MeasuredEnergy)
    assert running.integrated.joules == pytest.approx(whole.integrated.joules, rel=1e-3)
    assert running.integrated.lo <= whole.integrated.lo
    assert running.integrated.hi >= whole.integrated.hi
    assert running.integrated.width_j < 3 * whole.integrated.width_j
    assert most * POLL_S < HELD_S


def test_a_register_of_coarse_steps_keeps_the_bound_of_two_edges() -> None:
    step_j = 3600.0
    rows = readings([40.0] * 2000)
    rows = [replace(row, values={"energy_j": row.values["energy_j"] // step_j * step_j}) for row in rows]
    meter = source(quantities=("energy_j",), is_register=True, counter_quantum_j=step_j, value_age_s=1.0)
    running, _, _ = watched(rows, meter)
    assert isinstance(running.counter, MeasuredEnergy)
    assert running.counter.width_j < 2.5 * step_j
    assert running.counter.lo <= 40.0 * 390 <= running.counter.hi
    assert isinstance(running.integrated, Withheld)
    assert running.integrated.reason is Reason.NOT_APPLICABLE


def test_a_fault_is_remembered_when_its_readings_are_gone() -> None:
    rows = readings(swings(150))
    fallen_j = rows[200].values["energy_j"]
    for row in rows[200:]:
        row.values["energy_j"] -= fallen_j
    running, whole, most = watched(rows, source())
    assert isinstance(whole.counter, Withheld)
    assert isinstance(running.counter, Withheld)
    assert running.counter.reason is whole.counter.reason is Reason.COUNTER_RESET
    assert isinstance(running.integrated, MeasuredEnergy)
    assert most * POLL_S < HELD_S


def test_the_carried_counter_is_the_one_of_a_window() -> None:
    """Its bound knows the power limit: that caps what may have been drawn between an edge and its read."""
    rows = readings([250.0 if i % 50 == 0 else 50.0 for i in range(750)])
    for row in rows:
        row.values.update(power_limit_w=300.0, power_w=50.0)
    begin_s = BEGIN_S - 0.003  # each edge lies just before a read
    meter = source(
        power_max_w=None, quantities=("energy_j", "power_w", "power_limit_w"), scope=Scope.module(0)
    )
    running, whole, _ = watched(rows, meter, begin_s)
    assert isinstance(running.counter, MeasuredEnergy)
    assert isinstance(whole.counter, MeasuredEnergy)
    for figure in ("joules", "lo", "hi"):
        assert getattr(running.counter, figure) == pytest.approx(getattr(whole.counter, figure), abs=1e-6)


def test_a_source_that_comes_back_is_summed_on() -> None:
    rows = readings(swings(150))
    running, whole, _ = watched(rows[:300] + rows[400:], source())  # for 20 s nobody could read it
    assert isinstance(whole.counter, MeasuredEnergy)
    assert isinstance(running.counter, MeasuredEnergy)
    assert running.counter.joules == pytest.approx(whole.counter.joules)
    assert isinstance(running.integrated, Withheld)
    assert running.integrated.reason is Reason.GAP_TOO_LONG


@settings(deadline=None, max_examples=15)
@given(st.lists(st.sampled_from([20.0, 90.0, 280.0]), min_size=1, max_size=20))
def test_the_true_energy_lies_in_the_bound(levels: list[float]) -> None:
    watts = [levels[i // 40 % len(levels)] for i in range(500)]
    running, whole, _ = watched(readings(watts), source())
    assert isinstance(running.counter, MeasuredEnergy)
    assert isinstance(whole.counter, MeasuredEnergy)
    assert running.counter.lo == pytest.approx(whole.counter.lo, abs=1e-6)
    first, last = round(BEGIN_S / POLL_S), len(watts) - 1 - round(3 / POLL_S)
    last -= (last - first) % round(LOOK_S / POLL_S)
    true_j = sum(watts[first + 1 : last + 1]) * POLL_S
    assert running.counter.lo - 1e-6 <= true_j <= running.counter.hi + 1e-6
