"""The double itself: what the real pynvml reads from it is what the script says."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

import pynvml
import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.nvml.curve import energy_at_j, knots_of
from joulemark.record.clock import VirtualClock

Machine = Callable[..., tuple[FakeNvml, VirtualClock]]


def counter_j(index: int = 0) -> float:
    pynvml.nvmlInit()
    try:
        return pynvml.nvmlDeviceGetTotalEnergyConsumption(pynvml.nvmlDeviceGetHandleByIndex(index)) * 1e-3
    finally:
        pynvml.nvmlShutdown()


def power_w(field: int, scope: int = 0) -> float:
    pynvml.nvmlInit()
    try:
        handle = pynvml.nvmlDeviceGetHandleByIndex(0)
        value = pynvml.nvmlDeviceGetFieldValues(handle, [(field, scope)])[0]
        assert value.nvmlReturn == 0
        return value.value.uiVal * 1e-3
    finally:
        pynvml.nvmlShutdown()


def test_energy_of_a_curve_is_its_integral() -> None:
    knots = knots_of([Piece(2.0, 100.0), Piece(4.0, 100.0, 300.0)])
    assert energy_at_j(knots, 1_000_000_000) == pytest.approx(100.0)
    assert energy_at_j(knots, 4_000_000_000) == pytest.approx(200.0 + 2 * 150.0)
    assert energy_at_j(knots, 8_000_000_000) == pytest.approx(200.0 + 800.0 + 2 * 300.0)
    assert energy_at_j(knots, 13_000_000_000, loop_ns=6_000_000_000) == pytest.approx(2 * 1000.0 + 100.0)


def test_counter_lags_the_truth_by_less_than_its_period(machine: Machine) -> None:
    board = FakeBoard(
        power=[Piece(0.7, 50.0), Piece(0.5, 50.0, 400.0), Piece(0.3, 400.0)],
        loop=True,
        counter_jitter_s=0.03,
        counter_phase_s=0.013,
    )
    fake, clock = machine(board)
    lags = []
    for _ in range(400):
        clock.sleep_s(0.0237)
        truth_j = board.base_j + fake.true_energy_j(0, fake.start_ns, clock.now_ns())
        lags.append(truth_j - counter_j())
    assert min(lags) > -0.001
    assert max(lags) < 400.0 * (0.1 + 2 * 0.03) + 0.001
    assert max(lags) > 400.0 * 0.08


def test_average_power_trails_by_a_second_and_instant_power_does_not(machine: Machine) -> None:
    _, clock = machine(FakeBoard(power=[Piece(2.0, 100.0), Piece(9.0, 300.0)], gauge_period_s=0.0))
    clock.sleep_s(2.5)
    assert power_w(186) == pytest.approx(300.0)
    assert power_w(185) == pytest.approx(200.0)


@pytest.mark.parametrize(
    ("board", "expected_j"),
    [
        (FakeBoard(modulus_j=150.0), 45.0),
        (FakeBoard(modulus_j=200.0, base_j=0.0), 100.0),
        (FakeBoard(reset_at_s=2.0), 180.0),
        (FakeBoard(freeze_s=(1.0, 9.0)), 12345.0 + 60.0),
        (FakeBoard(freeze_s=(1.0, 4.0)), 12345.0 + 300.0),
        (FakeBoard(backwards=(3.0, 100.0)), 12345.0 + 200.0),
        (FakeBoard(gain=0.5), 12345.0 + 150.0),
    ],
)
def test_faults_of_the_counter(machine: Machine, board: FakeBoard, expected_j: float) -> None:
    _, clock = machine(board)
    clock.sleep_s(5.0)
    assert counter_j() == pytest.approx(expected_j, abs=0.002)


def test_power_can_be_changed_while_another_process_reads(tmp_path: Path) -> None:
    fake = FakeNvml(tmp_path, [FakeBoard(power=[Piece(0.001, 100.0)], counter_period_s=0.0, base_j=0.0)])
    time.sleep(0.01)
    fake.set_power_w(0, 250.0)
    code = (
        "import pynvml, time; pynvml.nvmlInit(); h = pynvml.nvmlDeviceGetHandleByIndex(0);"
        "a = time.monotonic_ns(); e = pynvml.nvmlDeviceGetTotalEnergyConsumption(h); b = time.monotonic_ns();"
        "print(a, e, b, pynvml.nvmlDeviceGetPowerUsage(h))"
    )
    begin_ns, mj, end_ns, _ = map(int, fake.run_python(code).split())
    low, high = (fake.true_energy_j(0, fake.start_ns, t_ns) for t_ns in (begin_ns, end_ns))
    assert low - 0.001 <= mj * 1e-3 <= high + 0.001


def test_without_a_script_the_library_counts_as_absent(machine: Machine) -> None:
    machine()  # loads it
    script = os.environ.pop("JOULEMARK_FAKE_NVML")
    try:
        with pytest.raises(pynvml.NVMLError) as caught:
            pynvml.nvmlInit()
        assert caught.value.value == pynvml.NVML_ERROR_LIBRARY_NOT_FOUND
    finally:
        os.environ["JOULEMARK_FAKE_NVML"] = script
