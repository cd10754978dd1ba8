"""A whole that says less than its part is not believed, and bounds decide."""

from __future__ import annotations

from joulemark.live.contradictions import without_contradictions
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope


def energy(joules: float, scope: Scope, source: str, width: float = 10.0) -> MeasuredEnergy:
    return MeasuredEnergy(joules, joules - width / 2, joules + width / 2, source, (scope,), Method.COUNTER)


GPU = energy(5000, Scope.gpu(0), "nvml:0")


def test_a_wall_meter_below_the_board_is_withheld_with_both_figures() -> None:
    found = without_contradictions({"shelly · wall": energy(5, Scope("wall"), "shelly", 1)}, GPU)
    wall = found["shelly · wall"]
    assert isinstance(wall, Withheld)
    assert wall.reason is Reason.LESS_THAN_ITS_PART
    assert "shelly" in wall.detail
    assert "nvml:0" in wall.detail


def test_a_simulated_board_contradicts_no_meter() -> None:
    board = energy(5000, Scope.gpu(0), "dcgm:0")
    wall = {"shelly · wall": energy(5, Scope("wall"), "shelly", 1)}
    assert without_contradictions(wall, board, {"dcgm:0"}) == wall
    assert isinstance(without_contradictions(wall, board)["shelly · wall"], Withheld)


def test_a_trace_contradicts_no_live_meter_joined_with_another_or_not() -> None:
    wall = {"shelly · wall": energy(5, Scope("wall"), "shelly", 1)}
    for played in ("replay:desk", "nvml:0+replay:desk"):
        assert without_contradictions(wall, energy(5000, Scope.gpu(0), played)) == wall


def test_where_the_bounds_overlap_it_stays() -> None:
    wide = energy(4990, Scope("wall"), "shelly", 100)
    assert without_contradictions({"shelly · wall": wide}, GPU) == {"shelly · wall": wide}


def test_a_part_below_its_whole_and_a_neighbour_stay() -> None:
    others = {
        "rapl:package-0 · package:0": energy(50, Scope.package(0), "rapl:package-0"),
        "rapl:core · core": energy(20, Scope.package(0).child("core"), "rapl:core"),
        "shelly · wall": energy(9000, Scope("wall"), "shelly"),
    }
    assert without_contradictions(others, GPU) == others


def test_others_contradict_each_other_too_and_a_withheld_one_stays_withheld() -> None:
    none = Withheld(Reason.NO_SAMPLES)
    others = {
        "psys": energy(10, Scope("wall/psu/psys"), "rapl:psys"),
        "package": energy(50, Scope.package(0), "rapl:package-0"),
        "tasmota · wall": none,
    }
    found = without_contradictions(others, Withheld(Reason.NO_METER))
    assert isinstance(found["psys"], Withheld)
    assert found["package"] == others["package"]
    assert found["tasmota · wall"] is none
