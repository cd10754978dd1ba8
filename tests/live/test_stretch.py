"""What several meters say together: no scope twice, no two methods in a sum, no guess for a missing part."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.live.source_energy import SourceEnergy
from joulemark.live.stretch import Stretch
from joulemark.live.total import total_of
from joulemark.live.used import Used
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import MeasuredEnergy, Method, Withheld
from joulemark.record.manifest import Rates
from joulemark.record.meter import Qualification, QualifiedSource, SourceInfo, Trust
from joulemark.record.reason import Reason
from joulemark.record.scope import Scope

LOST = Withheld(Reason.METER_LOST)
NONE = Withheld(Reason.NOT_APPLICABLE, "The source has no energy counter.")


def source(
    name: str,
    scope: str,
    *,
    kind: str = "nvml",
    trust: Trust = Trust.QUALIFIED,
    reason: str | None = None,
    register: bool = False,
) -> QualifiedSource:
    info = SourceInfo(name, kind, Scope(scope), ("energy_j", "power_w"), is_register=register)
    return QualifiedSource(info, Qualification(trust, reason))


def saw(
    name: str,
    scope: str,
    joules: float | None = None,
    *,
    integrated: float | None = None,
    method: Method = Method.COUNTER,
    **facts: object,
) -> SourceEnergy:
    def energy(value: float | None, how: Method) -> MeasuredEnergy | Withheld:
        if value is None:
            return LOST
        return MeasuredEnergy(value, value * 0.9, value * 1.1, name, (Scope(scope),), how)

    one = source(name, scope, **facts)  # type: ignore[arg-type]
    return SourceEnergy(one, energy(joules, method), energy(integrated, Method.INTEGRATED))


def joules(*energies: SourceEnergy) -> float | Reason:
    found = total_of(energies)
    return found.joules if isinstance(found, MeasuredEnergy) else found.reason


def test_boards_and_packages_add_and_what_they_hold_does_not() -> None:
    board = saw("nvml:0", "wall/psu/gpu:0", 100)
    package = saw("rapl:0", "wall/psu/psys/package:0", 40, kind="rapl")
    core = saw("rapl:0/core", "wall/psu/psys/package:0/core", 30, kind="rapl")
    memory = saw("rapl:0/dram", "wall/psu/psys/dram:0", 5, kind="rapl")
    plug = saw("shelly", "wall", 300, method=Method.METER, kind="shelly", register=True)
    assert joules(board, package, core, memory, plug) == 140
    found = total_of([board, package, core])
    assert isinstance(found, MeasuredEnergy)
    assert {scope.label for scope in found.scopes} == {"gpu:0", "package:0"}
    assert found.method is Method.COUNTER


def test_a_module_stands_for_its_board() -> None:
    module = saw("nvml:module:0", "wall/psu/module:0", 150)
    inside = saw("nvml:0", "wall/psu/module:0/gpu:0", 100)
    assert joules(module, inside) == 150


def test_a_firmwares_sensor_of_a_module_is_no_device_beside_the_modules_own_meters() -> None:
    sensor = saw("hwmon:module", "wall/psu/module:0", 500, kind="hwmon")
    board = saw("nvml:0", "wall/psu/gpu:0", 300)
    grace = saw("hwmon:grace", "wall/psu/module:0/package:0", 120, kind="hwmon")
    assert joules(sensor, board) == 300
    assert joules(sensor, board, grace) == 420
    assert joules(sensor) is Reason.NOT_APPLICABLE
    assert joules(sensor, saw("shelly", "wall", 700, kind="shelly")) == 700


def test_of_two_that_see_the_same_the_one_with_joules_is_kept() -> None:
    assert joules(saw("a", "wall/psu/gpu:0"), saw("b", "wall/psu/gpu:0", 80)) == 80


def test_a_lost_part_withholds_the_sum() -> None:
    found = total_of([saw("nvml:0", "wall/psu/gpu:0", 100), saw("nvml:1", "wall/psu/gpu:1")])
    assert isinstance(found, Withheld)
    assert found.reason is Reason.METER_LOST
    assert "nvml:1" in found.detail


def test_one_without_a_counter_makes_integrals_of_all() -> None:
    counted = saw("nvml:0", "wall/psu/gpu:0", 100, integrated=104)
    gauged = saw("nvml:1", "wall/psu/gpu:1", None, integrated=50)
    found = total_of([counted, gauged])
    assert isinstance(found, MeasuredEnergy)
    assert (found.joules, found.method) == (154, Method.INTEGRATED)
    assert joules(saw("nvml:0", "wall/psu/gpu:0", 100), gauged) is Reason.NOT_APPLICABLE


def test_the_meter_outside_leads_where_nothing_inside_is_believed() -> None:
    doubted = saw("nvml:0", "wall/psu/gpu:0", 9, trust=Trust.SUSPECT, reason="the power gauge reads 0 W")
    plug = saw("shelly", "wall", 300, method=Method.METER, kind="shelly", register=True)
    supply = saw("hwmon:psu", "wall/psu", 280, kind="hwmon")
    analyzer = saw("wt300", "wall", 301, kind="analyzer", method=Method.METER, register=True)
    assert joules(doubted, plug) == 300
    assert joules(supply, plug) == 300
    assert joules(plug, analyzer) == 301
    assert joules(doubted) is Reason.METER_NOT_QUALIFIED
    assert joules() is Reason.NO_METER
    assert joules(saw("rapl:0/dram", "wall/psu/psys/dram:0", 5, kind="rapl")) is Reason.NOT_APPLICABLE


def test_a_trace_is_never_added_to_a_live_meter() -> None:
    trace = saw("replay:t", "wall/psu/gpu:1", 70, kind="replay")
    assert joules(saw("nvml:0", "wall/psu/gpu:0", 100), trace) == 70
    assert joules(saw("replay:t", "replay", 70, kind="replay")) == 70


scopes = st.sampled_from(
    [
        "wall",
        "wall/psu",
        "wall/psu/gpu:0",
        "wall/psu/gpu:1",
        "wall/psu/module:0",
        "wall/psu/module:0/gpu:2",
        "wall/psu/psys",
        "wall/psu/psys/package:0",
        "wall/psu/psys/package:0/core",
        "wall/psu/psys/package:1",
        "wall/psu/psys/dram:0",
        "wall/psu/soc",
    ]
)


@given(st.lists(st.tuples(scopes, st.none() | st.floats(0, 1e6), st.none() | st.floats(0, 1e6)), max_size=8))
def test_any_set_of_meters_gives_disjoint_scopes_or_a_reason(
    rows: list[tuple[str, float | None, float | None]],
) -> None:
    energies = [saw(f"s{i}", scope, a, integrated=b) for i, (scope, a, b) in enumerate(rows)]
    found = total_of(energies)
    if isinstance(found, Withheld):
        return
    for one in found.scopes:
        assert not any(one.overlaps(other) for other in found.scopes if other is not one)
    # made of these meters' own figures of one method, and of nothing else
    names = found.source.split("+")
    parts = [e.counter if found.method is Method.COUNTER else e.integrated for e in energies]
    used = [p for p in parts if isinstance(p, MeasuredEnergy) and p.source in names]
    assert len(used) == len(names)
    assert found.joules == pytest.approx(sum(p.joules for p in used))


def stretch(*energies: SourceEnergy, rates: Rates | None = None) -> Stretch:
    unknown = withheld("1", Reason.TOO_SHORT)
    used = Used(Value(2.0, "s"), Value(30.0, "MiB"), unknown, unknown)
    return Stretch(5.0, {e.source.info.name: e for e in energies}, (("hwmon", "no sensor"),), used, rates)


def test_energies_are_found_by_scope_its_end_or_the_meter() -> None:
    found = stretch(
        saw("nvml:0", "wall/psu/gpu:0", 100), saw("a", "wall", 300), saw("b", "wall", None, integrated=290)
    )
    assert list(found.energies) == ["wall", "wall/psu/gpu:0"]
    for name in ("gpu:0", "wall/psu/gpu:0", "nvml:0"):
        energy = found.energy(name)
        assert isinstance(energy, MeasuredEnergy)
        assert energy.joules == 100
    energy = found.energy("b")
    assert isinstance(energy, MeasuredEnergy)
    assert energy.method is Method.INTEGRATED
    missing = found.energy("gpu:7")
    assert isinstance(missing, Withheld)
    assert missing.reason is Reason.NO_METER
    assert "gpu:7" in missing.detail
    assert "wall/psu/gpu:0" in missing.detail


def test_money_and_carbon_come_with_the_bound_of_the_joules() -> None:
    rates = Rates(usd_per_kwh=0.36, gco2e_per_kwh=360.0, pue=1.5, embodied_kgco2e=1000, lifetime_years=4)
    found = stretch(saw("nvml:0", "wall/psu/gpu:0", 1e6), rates=rates)
    assert found.usd.value == pytest.approx(0.36 * 1.5 * 1e6 / 3.6e6)
    assert found.gco2e.value == pytest.approx(150.0)
    assert (found.gco2e.lo, found.gco2e.hi) == (pytest.approx(135.0), pytest.approx(165.0))
    assert found.embodied_gco2e.value == pytest.approx(1e6 * 5 / (4 * 31_557_600))
    lost = stretch(saw("nvml:0", "wall/psu/gpu:0"), rates=rates)
    assert lost.usd.reason is lost.gco2e.reason is Reason.METER_LOST


def test_the_document_has_a_reason_for_every_null() -> None:
    rows = json.loads(json.dumps(stretch(saw("nvml:0", "wall/psu/gpu:0")).to_json()))
    assert rows["total_joules"] is None
    for name in ("total_joules", "gco2e", "usd", "embodied_gco2e", "foreign_cpu_share", "measurement_tier"):
        assert rows[name] is None
        assert rows["reasons"][name]["text"]
    assert rows["energies"]["wall/psu/gpu:0"]["reason"]["code"] == "meter_lost"
    assert rows["absent"] == [{"source": "hwmon", "why": "no sensor"}]
    good = stretch(saw("nvml:0", "wall/psu/gpu:0", 100)).to_json()
    assert good["measurement_tier"] == "C"
    assert good["headline_scope"] == ["wall/psu/gpu:0"]
    assert good["intervals"]["total_joules"] == {  # type: ignore[index,call-overload]
        "lo": 90.0,
        "hi": pytest.approx(110.0),
        "kind": "bound",
    }
