"""The self-test of a source, on virtual time: what is believed, what is not, and why."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.powercap import FakePowercap
from joulemark.meters.nvml import NvmlSource
from joulemark.meters.qualification import qualify
from joulemark.meters.rapl import RaplSource
from joulemark.meters.rapl.powercap import find_domains
from joulemark.meters.replay import ReplaySource
from joulemark.meters.trace import Row, Trace, TraceInfo
from joulemark.record.clock import SystemClock, VirtualClock
from joulemark.record.meter import Qualification, Trust

Machine = Callable[..., tuple[FakeNvml, VirtualClock]]


def outcome_of(machine: Machine, board: FakeBoard, start_s: float = 3.0) -> Qualification:
    _, clock = machine(board)
    clock.sleep_s(start_s)
    return qualify(NvmlSource(board.uuid, clock), clock)


def traced(
    energies_j: list[float | None],
    powers_w: list[float] | None = None,
    *,
    period_s: float = 0.1,
    info: TraceInfo | None = None,
) -> Qualification:
    rows = []
    for place, energy_j in enumerate(energies_j):
        values = {} if energy_j is None else {"energy_j": energy_j}
        if powers_w is not None:
            values["power_w"] = powers_w[place % len(powers_w)]
        rows.append(Row(round(place * period_s * 1e9), values))
    clock = VirtualClock()
    return qualify(ReplaySource(Trace(info or TraceInfo(), tuple(rows)), "t", clock=clock), clock)


@pytest.mark.parametrize("jitter_s", [0.0, 0.02])
@pytest.mark.parametrize("period_s", [0.01, 0.1, 0.5])
def test_a_good_counter(machine: Machine, period_s: float, jitter_s: float) -> None:
    jitter_s = min(jitter_s, period_s / 4)
    board = FakeBoard(counter_period_s=period_s, counter_jitter_s=jitter_s, counter_phase_s=0.037)
    result = outcome_of(machine, board)
    assert (result.trust, result.reason) == (Trust.QUALIFIED, None)
    assert result.update_period_s == pytest.approx(period_s, rel=0.2, abs=2 * jitter_s)
    assert result.update_period_max_s is not None
    assert period_s <= result.update_period_max_s <= period_s + 2 * jitter_s + 0.15 * period_s + 0.002
    assert result.counter_over_power == pytest.approx(1.0, abs=0.03)
    assert result.mean_power_w == pytest.approx(60.0)
    assert result.poll_period_s == 0.2
    assert 1.9 < result.duration_s < 5.1


def test_the_test_is_short_where_updates_are_frequent_and_never_above_five_seconds(machine: Machine) -> None:
    assert outcome_of(machine, FakeBoard(counter_period_s=0.05)).duration_s == pytest.approx(2.0, abs=0.1)
    slow = outcome_of(machine, FakeBoard(counter_period_s=2.0))
    assert slow.duration_s <= 5.1
    assert slow.trust is Trust.QUALIFIED


def test_reading_slows_down_once_the_period_is_known(machine: Machine) -> None:
    assert outcome_of(machine, FakeBoard(counter_period_s=0.1)).reads < 1000


@pytest.mark.parametrize("gain", [0.57, 1.5, 15.3])
def test_a_counter_that_disagrees_with_the_gauge(machine: Machine, gain: float) -> None:
    result = outcome_of(machine, FakeBoard(gain=gain))
    assert result.trust is Trust.SUSPECT
    assert result.counter_over_power == pytest.approx(gain, rel=0.03)
    assert "disagree" in (result.reason or "")


def test_power_that_swings_is_no_disagreement(machine: Machine) -> None:
    board = FakeBoard(
        power=[Piece(0.37, 60.0), Piece(0.51, 400.0)], loop=True, unsupported=[186], usage_window_s=1.0
    )
    for start_s in (2.0, 2.2, 2.4, 2.6, 2.8):
        assert outcome_of(machine, board, start_s).trust is Trust.QUALIFIED


def test_a_load_that_starts_within_the_test_is_no_disagreement(machine: Machine) -> None:
    board = FakeBoard(power=[Piece(4.0, 60.0), Piece(9.0, 400.0)], unsupported=[186])
    assert outcome_of(machine, board).trust is Trust.QUALIFIED


@pytest.mark.parametrize(
    ("board", "words"),
    [
        (FakeBoard(freeze_s=(0.0, 99.0)), "did not move"),
        (FakeBoard(freeze_s=(4.0, 99.0)), "stopped moving"),
        (FakeBoard(backwards=(4.0, 500.0)), "went backwards"),
        (FakeBoard(reset_at_s=4.0), "was reset"),
        (FakeBoard(power=[Piece(1.0, 0.0)]), "0 W"),
    ],
)
def test_counters_that_are_not_believed(machine: Machine, board: FakeBoard, words: str) -> None:
    result = outcome_of(machine, board)
    assert result.trust is Trust.SUSPECT
    assert words in (result.reason or "")


def test_a_board_lost_in_the_test_is_absent(machine: Machine) -> None:
    result = outcome_of(machine, FakeBoard(lost_at_s=4.0))
    assert result.trust is Trust.ABSENT
    assert "gpu_is_lost" in (result.reason or "")
    assert 0.9 < result.duration_s < 1.1


def test_a_source_that_only_fails_is_absent(machine: Machine) -> None:
    fields = [83, 186, 185, "TotalEnergyConsumption", "PowerUsage"]
    board = FakeBoard(errors=[(name, 27, 2.5, 99.0) for name in fields])
    _, clock = machine(board)
    source = NvmlSource(board.uuid, clock)
    clock.sleep_s(3.0)
    result = qualify(source, clock)
    assert result.trust is Trust.ABSENT
    assert "energy_j:not_ready" in (result.reason or "")


def test_a_gauge_alone_is_polled_with_its_updates(machine: Machine) -> None:
    board = FakeBoard(
        power=[Piece(0.5, 60.0, 90.0), Piece(0.5, 90.0, 60.0)],
        loop=True,
        unsupported=[83, "TotalEnergyConsumption"],
        gauge_period_s=0.05,
    )
    result = outcome_of(machine, board)
    assert result.trust is Trust.QUALIFIED
    assert result.update_period_s == pytest.approx(0.05, rel=0.1)
    assert result.poll_period_s == pytest.approx(0.05, rel=0.1)
    trailing = FakeBoard(power=board.power, loop=True, unsupported=[*board.unsupported, 186])
    assert outcome_of(machine, trailing).poll_period_s == 0.2


def test_one_step_in_five_seconds_proves_nothing() -> None:
    result = traced([100.0] * 20 + [110.0] * 40, [5.0])
    assert result.trust is Trust.SUSPECT
    assert "moved only once" in (result.reason or "")


def test_an_idle_device_with_a_coarse_counter_is_not_called_frozen() -> None:
    coarse = TraceInfo(counter_quantum_j=3600.0)
    result = traced([7200.0] * 60, [5.0, 5.1], info=coarse)
    assert result.trust is Trust.QUALIFIED
    assert "coarse" in (result.reason or "")
    assert result.update_period_s is None
    assert traced([7200.0] * 60, [5.0, 5.1]).trust is Trust.SUSPECT


def test_a_counter_that_wraps_within_the_test(machine: Machine) -> None:
    wrapping = TraceInfo(counter_modulus_j=100.0, counter_wraps=True, power_max_w=60.0)
    energies_j = [(5.0 * n + 50.0) % 100.0 for n in range(60)]
    result = traced(list(energies_j), [50.0], info=wrapping)
    assert result.trust is Trust.QUALIFIED
    assert result.counter_over_power == pytest.approx(1.0, abs=0.06)
    assert traced(list(energies_j), [50.0]).trust is Trust.SUSPECT


def test_nothing_at_all_is_absent() -> None:
    result = traced([None] * 60)
    assert result.trust is Trust.ABSENT
    assert result.reason


def test_sampling_is_faster_than_half_a_wrap() -> None:
    wrapping = TraceInfo(counter_modulus_j=20.0, counter_wraps=True, power_max_w=400.0)
    energies_j = [0.05 * n % 20.0 for n in range(600)]
    result = traced(list(energies_j), period_s=0.01, info=wrapping)
    assert result.trust is Trust.QUALIFIED
    assert result.poll_period_s < 0.5 * 20.0 / 400.0


class TreeClock(VirtualClock):
    """Moves a powercap tree's counter in steps of a millisecond as time passes."""

    def __init__(self, tree: FakePowercap, power_w: float) -> None:
        super().__init__()
        self._tree, self._power_w = tree, power_w
        self.advance_to_ns(0)

    def advance_to_ns(self, t_ns: int) -> None:
        super().advance_to_ns(t_ns)
        self._tree.set_energy_uj("intel-rapl:0", 1e6 + self._power_w * (t_ns // 1_000_000) * 1e3)


@pytest.mark.parametrize(
    ("power_w", "virtual", "trust"),
    [
        (45.0, False, Trust.QUALIFIED),
        (0.0, False, Trust.SUSPECT),
        (45.0, True, Trust.SUSPECT),
    ],
)
def test_a_processor_counter(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, power_w: float, virtual: bool, trust: Trust
) -> None:
    monkeypatch.setattr("joulemark.meters.rapl.source.is_virtual", lambda: virtual)
    tree = FakePowercap(tmp_path, core=False, dram=False)
    clock = TreeClock(tree, power_w)
    source = RaplSource(find_domains(tree.root)[0], clock)
    result = qualify(source, clock)
    assert result.trust is trust
    assert result.poll_period_s == 0.2
    if power_w:
        assert result.update_period_s == pytest.approx(0.001, rel=0.1)


def test_in_real_time(tmp_path: Path) -> None:
    board = FakeBoard(counter_period_s=0.02)
    with FakeNvml(tmp_path, [board]).in_process():
        source = NvmlSource(board.uuid)
        result = qualify(source, SystemClock(), duration_s=0.5)
        source.close()
    assert result.trust is Trust.QUALIFIED
    assert result.update_period_s == pytest.approx(0.02, rel=0.5)
