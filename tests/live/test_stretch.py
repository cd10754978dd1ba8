"""What several meters say together: no scope twice, no two methods in a sum, no guess for a missing part."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.live.source_energy import SourceEnergy
from joulemark.live.stretch import Stretch
from joulemark.live.total import total_of
from joulemark.live.used import Used
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Method, Withheld
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
    notes: tuple[str, ...] = (),
) -> QualifiedSource:
    quantities = ("energy_j", "power_w")
    info = SourceInfo(name, kind, Scope(scope), quantities, is_register=register, notes=notes)
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
    def energy(value: float | None, how: Method) -> MeasuredOrWithheld:
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


def test_a_simulated_board_is_told_alone_and_contradicts_no_meter() -> None:
    made = saw("dcgm:0", "wall/psu/gpu:0", 900, kind="dcgm")
    info = replace(made.source.info, device_name="Simulated NVIDIA H100")
    made = replace(made, source=replace(made.source, info=info))
    plug = saw("shelly", "wall", 300, method=Method.METER, kind="shelly", register=True)
    assert joules(made, saw("nvml:1", "wall/psu/gpu:1", 100)) == 100
    assert joules(made, plug) == 300
    assert joules(made, saw("nvml:1", "wall/psu/gpu:1", 100, trust=Trust.ABSENT)) == 900
    beside, alone = stretch(made, plug), stretch(made)
    assert isinstance(beside.sources["shelly"].counter, MeasuredEnergy)
    assert (beside.simulated, alone.simulated) == (False, True)
    assert (beside.tier, alone.tier) == ((None, Reason.NOT_APPLICABLE),) * 2


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


def test_one_board_named_thrice_is_one_board() -> None:
    thrice = [
        saw(f"p{i}", path, 1200) for i, path in enumerate(["gpu:0", "wall/gpu:0", "wall/psu/psu/gpu:0"])
    ]
    assert joules(*thrice) == 1200
    assert joules(saw("a", "wall/psu/gpu:0", 1000), saw("b", "wall/psu/module:0/gpu:0", 990)) in (990, 1000)


def test_a_module_holds_the_board_of_its_index_and_no_other() -> None:
    module = saw("prometheus", "wall/psu/module:0", 1500, kind="prometheus")
    assert joules(saw("nvml:0", "wall/psu/gpu:0", 1000), module) == 1500
    assert joules(saw("nvml:1", "wall/psu/gpu:1", 1000), module) == 2500


def test_a_chip_holds_the_packages_and_is_not_added_to_a_board_that_it_may_hold() -> None:
    chip = saw("soc", "wall/psu/soc", 1000, kind="zeus")
    parts = [saw(part, f"wall/psu/soc/{part}", 600, kind="zeus") for part in ("gpu", "cpu")]
    assert joules(saw("a", "wall/psu/psys/package:0", 900, kind="rapl"), chip, *parts) == 1000
    found = total_of([chip, saw("p", "wall/psu/gpu:0", 600, kind="prometheus")])
    assert isinstance(found, Withheld)
    assert "soc and p may see the same joules" in found.detail
    assert joules(*parts) is Reason.NOT_APPLICABLE


def test_a_board_by_its_place_is_not_added_to_one_by_a_number() -> None:
    card = saw("hwmon:card", "wall/psu/gpu:0000:03:00.0", 1000, kind="hwmon")
    for kind in ("dcgm", "prometheus"):
        found = total_of([card, saw("numbered", "wall/psu/gpu:0", 1000, kind=kind)])
        assert isinstance(found, Withheld)
        assert "hwmon:card (gpu:0000:03:00.0) and numbered (gpu:0) cannot be told apart" in found.detail
    # the driver of another maker's card never shows one of NVIDIA's
    assert joules(card, saw("nvml:0", "wall/psu/gpu:0", 500)) == 1500
    named = saw("prometheus", "wall/psu/gpu:0000:03:00.0", 1000, kind="prometheus")
    assert joules(named, saw("nvml:0", "wall/psu/gpu:0", 500)) is Reason.NOT_APPLICABLE


def test_an_accelerator_that_holds_processor_cores_is_not_added_to_them() -> None:
    place, notes = "wall/psu/gpu:0000:03:00.0", ("module_scope: processor cores are in it",)
    accelerator = saw("hwmon:card", place, 1000, kind="hwmon", notes=notes)
    package = saw("rapl:0", "wall/psu/psys/package:0", 400, kind="rapl")
    assert joules(accelerator, package) is Reason.NOT_APPLICABLE
    assert joules(accelerator) == 1000


def test_a_device_that_is_not_believed_withholds_the_sum() -> None:
    board = saw("nvml:0", "wall/psu/gpu:0", 1000)
    doubts = {"trust": Trust.SUSPECT, "reason": "the power gauge reads 0 W"}
    plug = saw("shelly", "wall", 3000, method=Method.METER, kind="shelly", register=True)
    found = total_of([board, saw("nvml:1", "wall/psu/gpu:1", 1000, **doubts), plug])
    assert isinstance(found, Withheld)
    assert found.reason is Reason.METER_NOT_QUALIFIED
    assert "nvml:1: the power gauge reads 0 W" in found.detail
    # unless another meter of the same device, or one that holds it, is believed
    assert joules(board, saw("again", "wall/psu/gpu:0", 7, **doubts)) == 1000
    assert joules(board, saw("part", "wall/psu/gpu:0/tile:0", 7, **doubts)) == 1000
    held = saw("nvml:0", "wall/psu/gpu:0", 7, **doubts)
    assert joules(saw("p", "wall/psu/module:0", 1500, kind="prometheus"), held) == 1500


def test_the_platform_leads_only_where_it_holds_every_device() -> None:
    platform = saw("rapl:psys", "wall/psu/psys", 80, kind="rapl")
    doubts = {"trust": Trust.SUSPECT, "reason": "a virtual machine"}
    package = saw("rapl:0", "wall/psu/psys/package:0", 50, kind="rapl", **doubts)
    board = saw("nvml:0", "wall/psu/gpu:0", 300, **doubts)
    assert joules(platform, package) == 80
    assert joules(platform, package, board) is Reason.METER_NOT_QUALIFIED
    assert joules(platform, board, saw("shelly", "wall", 500, kind="shelly")) == 500


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


def test_a_wall_meter_below_the_board_is_withheld_and_raises_no_tier() -> None:
    board = saw("nvml:0", "wall/psu/gpu:0", 1000)
    facts = {"method": Method.METER, "kind": "shelly", "register": True}
    good = stretch(board, saw("shelly", "wall", 1500, **facts))
    assert good.tier == ("B", None)
    for wrong in (saw("shelly", "wall", 1, **facts), saw("shelly", "wall", 1500, integrated=1.5, **facts)):
        found = stretch(board, wrong)
        assert found.tier == ("C", None)
        told = json.dumps(found.to_json()["sources"])
        assert "less_than_its_part" in told
        assert "nvml:0 at least 900 J" in told
    lost = stretch(board, saw("shelly", "wall", **facts))
    assert lost.tier == ("C", None)


def test_a_meter_that_is_not_believed_contradicts_nobody() -> None:
    doubted = saw("nvml:0", "wall/psu/gpu:0", 9000, trust=Trust.SUSPECT, reason="reads 0 W")
    plug = saw("shelly", "wall", 300, method=Method.METER, kind="shelly", register=True)
    assert joules(doubted, plug) == 300
    trace = saw("replay:t", "wall/psu/gpu:0", 9000, kind="replay")
    found = stretch(trace, plug).energy("wall")
    assert isinstance(found, MeasuredEnergy)


def test_of_two_meters_outside_the_contradicted_one_does_not_lead() -> None:
    sensor = saw("rapl:0/dram", "wall/psu/psys/dram:0", 50, kind="rapl")
    analyzer = saw("wt300", "wall", 1, kind="analyzer", method=Method.METER, register=True)
    plug = saw("shelly", "wall", 300, kind="shelly", method=Method.METER, register=True)
    assert joules(sensor, analyzer, plug) == 300
    assert joules(sensor, analyzer) is Reason.LESS_THAN_ITS_PART


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
