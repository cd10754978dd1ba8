"""Which limits a sweep sets: shares of the factory's, within what the device allows."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.calibrations import power, source
from doubles.nvml import FakeBoard, FakeNvml
from joulemark.calibration.cap_sweep import limits_of, planned_w
from joulemark.calibration.power_limits import PowerLimit
from joulemark.calibration.steps import steps
from joulemark.calibration.wall_window import wall_sources, window_s
from joulemark.record.meter import Qualification, QualifiedSource, Trust
from joulemark.record.scope import Scope


def limit(**fields: object) -> PowerLimit:
    defaults: dict[str, object] = {
        "kind": "nvml",
        "address": "GPU-1",
        "scope": str(Scope.gpu(0)),
        "in_force_w": 300.0,
        "default_w": 400.0,
        "lowest_w": 100.0,
        "highest_w": 420.0,
    }
    return PowerLimit(**{**defaults, **fields})  # type: ignore[arg-type]


def test_shares_go_down_from_the_factorys_limit_and_what_is_not_allowed_is_told() -> None:
    allowed, refused = planned_w([limit()], [0.65, 0.85, 0.2, 0.85])
    assert allowed == [1.0, 0.85, 0.65]
    assert refused == ["0.2 of 400 W lies outside what the device allows (100 to 420 W)"]
    unknown = limit(default_w=None, lowest_w=None, highest_w=None)
    assert unknown.base_w == 300.0
    assert planned_w([unknown], [0.2]) == ([1.0, 0.2], [])


@pytest.mark.parametrize(
    ("board", "words"),
    [
        (FakeBoard(mig=True), "MIG"),
        (FakeBoard(unsupported=["PowerManagementLimit", "EnforcedPowerLimit"]), "no power"),
    ],
)
def test_a_board_that_cannot_be_limited_says_why(tmp_path: Path, board: FakeBoard, words: str) -> None:
    with FakeNvml(tmp_path, [board]).in_process():
        found, why = limits_of([source()])
    assert found == []
    assert words in why


def test_without_a_known_device_nothing_is_limited(tmp_path: Path) -> None:
    with FakeNvml(tmp_path, [FakeBoard()]).in_process():
        assert limits_of([])[0] == []
        (one,), why = limits_of([source()])
    assert (one.in_force_w, why) == (700.0, "")


def test_a_plane_is_looked_at_from_more_loads_than_a_curve() -> None:
    assert [(s.concurrency, s.duty) for s in steps((4, 2, 2, 1), wall=False)] == [
        *((1, duty) for duty in (0.25, 0.5, 0.75, 1.0)),
        (2, 1.0),
        (4, 1.0),
    ]
    assert len(steps((), wall=True)) == 7


def test_how_long_a_wall_meter_needs() -> None:
    def plug(update_s: float, **facts: object) -> QualifiedSource:
        info = source(name="p", kind="plug", scope=Scope("wall"), device_id=None, **facts).info
        test = Qualification(Trust.QUALIFIED, update_period_max_s=update_s, mean_power_w=50.0)
        return QualifiedSource(info, test)

    assert window_s(plug(1.0, value_age_s=0.5), 2.0, None) == pytest.approx(7.5)
    assert window_s(plug(0.1), 10.0, None) == 10.0
    # a step of 36 J at 60 W is 0.6 s
    fine = plug(1.0, is_register=True, counter_quantum_j=36.0)
    assert window_s(fine, 1.0, power(60.0)) == pytest.approx(12.0)
    # a step of 0.01 kWh is ten minutes of it
    coarse = plug(1.0, is_register=True, counter_quantum_j=36_000.0)
    assert window_s(coarse, 1.0, power(60.0)) is None
    trace = source(kind="replay", scope=Scope("wall"))
    assert wall_sources([plug(1.0), trace, source()]) == [plug(1.0)]
