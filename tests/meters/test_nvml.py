"""An NVIDIA board as a source: the real pynvml against the fake driver."""

from __future__ import annotations

import ctypes
import json
import math
from collections.abc import Callable
from pathlib import Path

import pynvml
import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.nvml.driver import (
    ANSWER_NOT_AVAILABLE,
    ANSWER_ZERO,
    FUNCTION_NOT_FOUND,
    HW_THERMAL,
    NO_PERMISSION,
    NOT_READY,
    POWER_BRAKE,
    SW_POWER_CAP,
    SW_THERMAL,
)
from doubles.nvml.layout import FUNCTIONS
from joulemark.meters.boards import boards, placement, processes_on
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.notes import (
    LACKS,
    MIG_SHARED,
    MODULE_SCOPE,
    SILENT_ZERO,
    THERMAL_COMBINED,
    VGPU_SHARED,
    WSL,
    has_note,
)
from joulemark.meters.nvml import NvmlSource, nvml_spec
from joulemark.meters.nvml.field import FIELD_VALUE, VALUE_TYPES, number_of, number_of_call
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.record.clock import VirtualClock
from joulemark.record.scope import Scope

Machine = Callable[..., tuple[FakeNvml, VirtualClock]]
THROTTLES = [
    (SW_POWER_CAP, 0.0, 1.0),
    (SW_THERMAL, 0.0, 2.0),
    (HW_THERMAL, 0.0, 3.0),
    (POWER_BRAKE, 0.0, 4.0),
]
THROTTLED_NS = {
    "throttle_power_cap_ns": 1e9,
    "throttle_sw_thermal_ns": 2e9,
    "throttle_hw_thermal_ns": 3e9,
    "throttle_power_brake_ns": 4e9,
}

SLOW = {"temperature_c", "sm_clock_mhz", "memory_clock_mhz", "utilization_pct", "memory_used_mib", "fan_pct"}
SLOW |= {"pstate", "power_limit_w", "throttle_reasons"}
EVERYTHING = {"energy_j", "power_w", "power_average_w", *THROTTLED_NS, *SLOW}


def opened(
    machine: Machine, board: FakeBoard, **settings: object
) -> tuple[FakeNvml, VirtualClock, NvmlSource]:
    fake, clock = machine(board, **settings)
    return fake, clock, NvmlSource(board.uuid, clock)


def test_a_read_gives_energy_power_and_throttle_time(machine: Machine) -> None:
    board = FakeBoard(power=[Piece(2.0, 100.0), Piece(9.0, 300.0)], throttles=THROTTLES, fan_pct=40)
    fake, clock, source = opened(machine, board)
    clock.sleep_s(5.0)
    reading = source.read(3)
    truth_j = board.base_j + fake.true_energy_j(0, fake.start_ns, clock.now_ns())
    assert reading.segment == 3
    assert reading.t_ns == clock.now_ns()
    assert reading.source == "nvml:0"
    assert reading.scope == Scope.gpu(0).path
    assert reading.values["energy_j"] == pytest.approx(truth_j, abs=300 * 0.1)
    assert reading.values["power_w"] == reading.values["power_average_w"] == 300.0
    assert reading.values.items() >= THROTTLED_NS.items()
    assert set(reading.values) == set(source.info.quantities)
    assert reading.values["fan_pct"] == 40.0
    assert reading.t_driver_ns is not None
    assert reading.flags == ()
    source.close()


def test_the_field_values_are_unpacked_as_the_library_lays_them_out() -> None:
    assert FIELD_VALUE.size == ctypes.sizeof(pynvml.c_nvmlFieldValue_t)
    members = dict(pynvml.c_nvmlValue_t._fields_)
    for kind, (name, value) in enumerate(
        [
            ("dVal", 2.5),
            ("uiVal", 7),
            ("ulVal", 8),
            ("ullVal", 2**63),
            ("sllVal", -9),
            ("siVal", -3),
            ("usVal", 4),
        ]
    ):
        raw = pynvml.c_nvmlFieldValue_t()
        assert name in members
        raw.fieldId, raw.scopeId, raw.timestamp, raw.nvmlReturn, raw.valueType = 83, 1, -5, 15, kind
        setattr(raw.value, name, value)
        fields = FIELD_VALUE.unpack(bytes(raw))
        assert (fields[0], fields[1], fields[2], fields[4], fields[5]) == (83, 1, -5, kind, 15)
        assert VALUE_TYPES[kind].unpack_from(fields[6]) == (value,)


def test_facts_of_a_board(machine: Machine) -> None:
    _, _, source = opened(machine, FakeBoard(limit_w=350.0, limit_max_w=400.0, uuid="GPU-aa"))
    info = source.info
    assert (info.kind, info.device_id, info.device_name) == ("nvml", "GPU-aa", "Fake H100 80GB")
    assert (info.power_window_s, info.power_max_w, info.counter_quantum_j) == (0.0, 400.0, 0.001)
    assert (info.counter_modulus_j, info.counter_wraps) == (None, False)


def test_a_read_is_one_field_call_and_one_slow_quantity(machine: Machine) -> None:
    fake, _, source = opened(machine, FakeBoard())
    source.read(0)
    heat = ("Temperature", "EventReasons")
    slow = ("ClockInfo", "UtilizationRates", "MemoryInfo", "PerformanceState", "EnforcedPowerLimit")
    every = ("FieldValues", *heat, *slow)
    before = {name: fake.calls(0, name) for name in every}
    seen: set[str] = set()
    for _ in range(6):
        values = source.read(0).values
        assert {"throttle_reasons", "temperature_c"} <= set(values)
        seen |= set(values)
    made = {name: fake.calls(0, name) - before[name] for name in every}
    assert [made[name] for name in ("FieldValues", *heat)] == [6, 6, 6]
    assert sum(made[name] for name in slow) == 6
    assert fake.calls(0, "TotalEnergyConsumption") == fake.calls(0, "PowerUsage") == 0
    assert seen == set(source.info.quantities)


def test_a_board_is_its_uuid_not_its_index(machine: Machine) -> None:
    boards = [FakeBoard(uuid=f"GPU-{n}", power=[Piece(1.0, 100.0 * (n + 1))]) for n in range(3)]
    machine(*boards)
    source = NvmlSource("GPU-2")
    assert source.info.name == "nvml:2"
    assert source.read(0).values["power_w"] == 300.0


@pytest.mark.parametrize("uuid", ["GPU-none", "MIG-none", "", "0"])
def test_an_unknown_uuid_is_lost(machine: Machine, uuid: str) -> None:
    machine(FakeBoard())
    with pytest.raises(SourceLost, match="not_found"):
        NvmlSource(uuid)


def test_the_driver_is_released(machine: Machine) -> None:
    fake, _, source = opened(machine, FakeBoard())
    source.close()
    source.close()
    with pytest.raises(SourceLost):
        NvmlSource("GPU-none")
    header = fake._header
    assert header.inits == header.shutdowns > 0


@pytest.mark.parametrize(
    ("unsupported", "lacking", "window_s"),
    [
        ([83], set(), 0.0),  # the energy field alone: the older call has it
        ([83, "TotalEnergyConsumption"], {"energy_j"}, 0.0),  # Pascal, P100
        ([186], set(), 1.0),
        ([186, 185], {"power_average_w"}, 1.0),
        ([185], {"power_average_w"}, 0.0),  # GA100
        ([186, "PowerUsage"], {"power_w"}, None),
        (["FieldValues"], {"power_average_w", "throttle_hw_thermal_ns", "throttle_power_brake_ns"}, 1.0),
        (["MemoryInfo", "EnforcedPowerLimit"], {"memory_used_mib", "power_limit_w"}, 0.0),  # GB10
        (["UtilizationRates"], {"utilization_pct"}, 0.0),  # WSL
    ],
)
def test_each_quantity_falls_back_on_its_own(
    machine: Machine, unsupported: list[str | int], lacking: set[str], window_s: float | None
) -> None:
    _, clock, source = opened(machine, FakeBoard(unsupported=unsupported, fan_pct=30))
    clock.sleep_s(2.0)
    reading = source.read(0)
    assert set(source.info.quantities) == set(reading.values) == EVERYTHING - lacking
    assert source.info.power_window_s == window_s
    assert {entry.split()[1] for entry in source.info.notes if entry.startswith(LACKS)} == lacking
    assert all(reading.values[name] > 0 for name in ("energy_j", "power_w") if name not in lacking)


@pytest.mark.parametrize(
    ("architecture", "device_id", "window_s"),
    [
        (6, 0x1EB8, 0.0),  # Turing
        (7, 0x20B2, 0.0),  # GA100: A100
        (7, 0x2235, 1.0),  # GA102: A40
        (8, 0x2684, 1.0),  # Ada
        (9, 0x2330, 1.0),  # Hopper
        (10, 0x2901, 1.0),  # Blackwell
    ],
)
def test_the_window_of_the_older_power_call(
    machine: Machine, architecture: int, device_id: int, window_s: float
) -> None:
    board = FakeBoard(architecture=architecture, pci_device_id=device_id, unsupported=["FieldValues"])
    assert opened(machine, board)[2].info.power_window_s == window_s


def test_an_unknown_architecture_gets_the_safer_window(machine: Machine) -> None:
    board = FakeBoard(unsupported=["FieldValues", "Architecture"])
    assert opened(machine, board)[2].info.power_window_s == 1.0


@pytest.mark.parametrize("driver", ["580.65.06", "610.10", "575.57.08", "570.124.06"])
def test_throttle_counters_of_both_numberings(machine: Machine, driver: str) -> None:
    _, clock, source = opened(machine, FakeBoard(throttles=THROTTLES), driver=driver)
    clock.sleep_s(5.0)
    assert source.read(0).values.items() >= THROTTLED_NS.items()


def test_a_driver_of_unknown_branch_is_asked_for_no_field_that_moved(machine: Machine) -> None:
    _, clock, source = opened(machine, FakeBoard(throttles=THROTTLES), driver="unknown")
    clock.sleep_s(5.0)
    values = source.read(0).values
    assert values["throttle_power_cap_ns"] == 1e9
    assert "throttle_hw_thermal_ns" not in values


def test_without_field_values_the_violation_counters_stand_in(machine: Machine) -> None:
    board = FakeBoard(
        throttles=[(SW_POWER_CAP, 0.0, 1.0), (HW_THERMAL, 1.0, 9.0)], unsupported=["FieldValues"]
    )
    _, clock, source = opened(machine, board)
    for _ in range(3):
        clock.sleep_s(1.0)
        reading = source.read(0)
        assert "throttle_reasons" in reading.values
    assert reading.values["throttle_power_cap_ns"] == 1e9
    assert reading.values["throttle_sw_thermal_ns"] == 2e9
    assert int(reading.values["throttle_reasons"]) == HW_THERMAL
    assert has_note(source.info, THERMAL_COMBINED)


def test_the_older_name_of_the_reason_mask(machine: Machine) -> None:
    board = FakeBoard(extra_reasons=1, errors=[("EventReasons", FUNCTION_NOT_FOUND, -1.0, 1e9)])
    assert opened(machine, board)[2].read(0).values["throttle_reasons"] == 1.0


def test_grace_hopper_is_metered_as_a_module(machine: Machine) -> None:
    board = FakeBoard(
        power=[Piece(9.0, 300.0)], gpu_scope=False, module_scope=True, module_extra_w=120.0, base_j=0.0
    )
    fake, clock, source = opened(machine, board)
    clock.sleep_s(4.0)
    reading = source.read(0)
    truth_j = fake.true_module_energy_j(0, fake.start_ns, clock.now_ns())
    assert truth_j == pytest.approx(4 * 420.0)
    assert source.info.scope == Scope.module(0)
    assert has_note(source.info, MODULE_SCOPE)
    assert source.info.power_max_w is None
    assert reading.values["power_w"] == 420.0
    assert reading.values["energy_j"] == pytest.approx(truth_j, abs=0.01)


def test_a_module_without_a_scoped_counter_does_not_borrow_the_boards(machine: Machine) -> None:
    board = FakeBoard(module_scope=True, unsupported=[(186, 0), (185, 0), 191])
    source = opened(machine, board)[2]
    assert source.info.scope == Scope.module(0)
    assert "energy_j" not in source.info.quantities


def test_where_both_scopes_answer_the_board_is_metered(machine: Machine) -> None:
    source = opened(machine, FakeBoard(module_scope=True, module_extra_w=120.0))[2]
    assert source.info.scope == Scope.gpu(0)
    assert source.read(0).values["power_w"] == 60.0


def test_mig_is_the_whole_boards_energy(machine: Machine) -> None:
    board = FakeBoard(mig=True, mig_instances=2)
    machine(board)
    source = NvmlSource("MIG-00000000-0000-4000-8000-000000000001")
    assert has_note(source.info, MIG_SHARED)
    assert source.info.scope == Scope.gpu(0)
    assert source.read(0).values["power_w"] == 60.0


def test_a_board_that_knows_no_mig_is_not_shared(machine: Machine) -> None:
    assert not has_note(opened(machine, FakeBoard(mig=None))[2].info, MIG_SHARED)


def test_a_lost_board_raises_and_leaves_the_others(machine: Machine) -> None:
    lost, well = FakeBoard(lost_at_s=1.0), FakeBoard()
    _, clock = machine(lost, well)
    sources = [NvmlSource(board.uuid, clock) for board in (lost, well)]
    for source in sources:
        source.read(0)
    clock.sleep_s(2.0)
    with pytest.raises(SourceLost, match="gpu_is_lost"):
        sources[0].read(0)
    assert sources[1].read(0).values["power_w"] == 60.0


@pytest.mark.parametrize(
    ("failing", "missing"),
    [(83, {"energy_j"}), ("FieldValues", {"energy_j", "power_w", "power_average_w", *THROTTLED_NS})],
)
def test_a_passing_error_is_flagged_and_never_zero(
    machine: Machine, failing: str | int, missing: set[str]
) -> None:
    _, clock, source = opened(machine, FakeBoard(errors=[(failing, NOT_READY, 1.0, 2.0)]))
    source.read(0)
    clock.sleep_s(1.5)
    reading = source.read(0)
    assert not missing & set(reading.values)
    assert set(reading.flags) == {f"{name}:not_ready" for name in missing}
    clock.sleep_s(1.0)
    assert missing <= set(source.read(0).values)


@pytest.mark.parametrize(
    ("limit_w", "limit_max_w", "power_max_w"),
    [(300.0, 700.0, 700.0), (300.0, None, 300.0), (None, None, None), (0.0, 0.0, None)],
)
def test_the_most_that_a_board_can_draw(
    machine: Machine, limit_w: float | None, limit_max_w: float | None, power_max_w: float | None
) -> None:
    source = opened(machine, FakeBoard(limit_w=limit_w, limit_max_w=limit_max_w))[2]
    assert source.info.power_max_w == power_max_w


def test_a_source_opens_from_its_description_in_another_process(tmp_path: Path) -> None:
    fake = FakeNvml(tmp_path, [FakeBoard(), FakeBoard(power=[Piece(1.0, 222.0)])])
    spec = nvml_spec(fake.boards[1].uuid)
    code = (
        "import json, sys; from joulemark.meters.discovery import open_source;"
        "from joulemark.meters.source import SourceSpec;"
        "source = open_source(SourceSpec(**json.loads(sys.argv[1])));"
        "print(json.dumps(source.read(0).values)); source.close()"
    )
    printed = fake.run_python(code, json.dumps({"kind": spec.kind, "args": spec.args}))
    assert json.loads(printed)["power_w"] == 222.0


def test_an_unknown_kind_is_refused() -> None:
    with pytest.raises(SourceLost, match="abacus"):
        open_source(SourceSpec("abacus"))


@pytest.mark.parametrize("visible", ["", "1", "GPU-1", "MIG-0", "NoDevFiles"])
def test_what_cuda_shows_changes_nothing(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, visible: str
) -> None:
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", visible)
    monkeypatch.setenv("CUDA_DEVICE_ORDER", "FASTEST_FIRST")
    machine(FakeBoard(uuid="GPU-0"), FakeBoard(uuid="GPU-1", power=[Piece(1.0, 222.0)]))
    findings = discover(["nvml"])
    assert [finding.info.device_id for finding in findings if finding.info] == ["GPU-0", "GPU-1"]
    assert findings[1].spec is not None
    assert open_source(findings[1].spec).read(0).values["power_w"] == 222.0


def test_a_source_is_called_what_discovery_calls_it(machine: Machine) -> None:
    machine(FakeBoard(uuid="GPU-a"))
    source = open_source(SourceSpec("nvml", {"uuid": "GPU-a", "name": "nvml:0:2"}))
    assert source.info.name == source.read(0).source == "nvml:0:2"


def test_one_board_under_two_indexes_is_read_once(machine: Machine) -> None:
    machine(FakeBoard(uuid="GPU-a"), FakeBoard(uuid="GPU-a"))
    assert [finding.spec is not None for finding in discover(["nvml"])] == [True, False]


@pytest.mark.parametrize(("mode", "shared"), [(0, False), (1, False), (2, True), (3, True), (None, False)])
def test_a_board_that_virtual_machines_share_says_so(
    machine: Machine, mode: int | None, shared: bool
) -> None:
    source = opened(machine, FakeBoard(virtualization=mode))[2]
    assert has_note(source.info, VGPU_SHARED) is shared


def test_a_vgpu_that_supports_nothing_is_found_and_not_measured(machine: Machine) -> None:
    everything = [name for name in FUNCTIONS if name not in {"Name", "UUID", "Index", "VirtualizationMode"}]
    machine(FakeBoard(name="GRID A100-10C", virtualization=2, unsupported=everything))
    (finding,) = discover(["nvml"])
    assert (finding.spec, finding.info) == (None, None)
    assert "GRID A100-10C gives neither energy nor power" in finding.why
    assert "host" in finding.fix
    (board,) = boards()
    assert (board.vram_mib, board.power_limit_w, board.mig) == (None, None, False)
    assert processes_on(board.uuid) is None
    assert placement(board.uuid, 1).engine_on_device is None


@pytest.mark.parametrize(
    ("code", "words", "fix"),
    [(NOT_READY, "not in the ready state", "conf-compute"), (NO_PERMISSION, "may not open", "usermod")],
)
def test_a_board_that_refuses_everything_says_why(machine: Machine, code: int, words: str, fix: str) -> None:
    asked = ("FieldValues", "TotalEnergyConsumption", "PowerUsage")
    machine(FakeBoard(errors=[(name, code, -1.0, 1e9) for name in asked]), FakeBoard())
    refusing, other = discover(["nvml"])
    assert refusing.spec is None
    assert words in refusing.why
    assert fix in refusing.fix
    assert other.spec is not None


def test_gb10_has_power_and_neither_memory_nor_limit(machine: Machine) -> None:
    board = FakeBoard(
        name="NVIDIA GB10",
        architecture=10,
        limit_w=None,
        limit_max_w=None,
        unsupported=["MemoryInfo", "TotalEnergyConsumption", 83],
        power=[Piece(1.0, 31.0)],
    )
    _, _, source = opened(machine, board)
    assert source.read(0).values["power_w"] == 31.0
    assert source.info.power_max_w is None
    (facts,) = boards()
    assert (facts.name, facts.vram_mib, facts.power_limit_w) == ("NVIDIA GB10", None, None)
    assert facts.reasons == {"vram_mib": "not_supported", "power_limit_w": "not_supported"}
    (finding,) = discover(["nvml"])
    assert "power only" in finding.measures


def test_wsl_is_named_and_its_driver_is_that_of_windows(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joulemark.meters.nvml.source.is_wsl", lambda: True)
    monkeypatch.setattr("joulemark.meters.nvml.finding.is_wsl", lambda: True)
    board = FakeBoard(unsupported=["UtilizationRates", "ComputeProcesses", "GraphicsProcesses"])
    fake, _, source = opened(machine, board)
    assert has_note(source.info, WSL)
    assert "energy_j" in source.info.quantities
    assert placement(board.uuid, 1).why == "the driver does not list the board's processes"
    fake._header.init_error = 12
    (finding,) = discover(["nvml"])
    assert "Windows" in finding.fix


@pytest.mark.parametrize(
    ("field", "quantity"), [(83, "energy_j"), (186, "power_w"), (185, "power_average_w")]
)
def test_not_available_is_no_number_of_watts(machine: Machine, field: int, quantity: str) -> None:
    _, clock, source = opened(machine, FakeBoard(errors=[(field, ANSWER_NOT_AVAILABLE, 1.0, 2.0)]))
    assert quantity in source.read(0).values
    clock.sleep_s(1.5)
    reading = source.read(0)
    assert quantity not in reading.values
    assert reading.flags == (f"{quantity}:no_data",)
    clock.sleep_s(1.0)
    assert quantity in source.read(0).values


@pytest.mark.parametrize("field", [83, 186])
def test_a_field_that_is_never_available_falls_back_to_the_older_call(machine: Machine, field: int) -> None:
    board = FakeBoard(errors=[(field, ANSWER_NOT_AVAILABLE, -1.0, 1e9)], power=[Piece(9.0, 70.0)])
    _, clock, source = opened(machine, board)
    clock.sleep_s(2.0)
    values = source.read(0).values
    assert values["power_w"] == 70.0
    assert values["energy_j"] == pytest.approx(board.base_j + 140.0, abs=7.1)


def test_an_instantaneous_power_of_silent_zero_is_not_read(machine: Machine) -> None:
    board = FakeBoard(errors=[(186, ANSWER_ZERO, -1.0, 1e9)], power=[Piece(9.0, 70.0)])
    _, clock, source = opened(machine, board)
    clock.sleep_s(2.0)
    assert source.read(0).values["power_w"] == 70.0
    assert source.info.power_window_s == 1.0
    assert has_note(source.info, SILENT_ZERO)
    assert not has_note(opened(machine, FakeBoard())[2].info, SILENT_ZERO)


@pytest.mark.parametrize(("limit_w", "gain", "kept"), [(300.0, 49.0, True), (300.0, 1000.0, False)])
@pytest.mark.parametrize("unsupported", [(), ("FieldValues",)])
def test_more_power_than_a_board_can_draw_is_no_power(
    machine: Machine, limit_w: float, gain: float, kept: bool, unsupported: tuple[str, ...]
) -> None:
    board = FakeBoard(limit_w=limit_w, limit_max_w=limit_w, gauge_gain=gain, unsupported=unsupported)
    reading = opened(machine, board)[2].read(0)
    assert ("power_w" in reading.values) is kept
    assert ("power_w:implausible" in reading.flags) is not kept
    assert "energy_j" in reading.values


def test_without_a_limit_only_the_absurd_is_refused(machine: Machine) -> None:
    board = FakeBoard(limit_w=None, limit_max_w=None, power=[Piece(1.0, 1400.0)])
    assert opened(machine, board)[2].read(0).values["power_w"] == 1400.0
    absurd = FakeBoard(limit_w=None, limit_max_w=None, gauge_gain=1000.0)
    assert "power_w" not in opened(machine, absurd)[2].read(0).values


@given(st.integers(-5, 12), st.binary(min_size=8, max_size=8))
def test_any_answer_is_a_number_or_nothing(kind: int, data: bytes) -> None:
    number = number_of(kind, data)
    if number is None:
        assert not 0 <= kind < len(VALUE_TYPES) or set(data) >= {0xFF}
    else:
        value = VALUE_TYPES[kind].unpack_from(data)[0]
        assert number == value or math.isnan(value)


@pytest.mark.parametrize("kind", range(1, 7))
def test_minus_one_is_not_available_in_every_type(kind: int) -> None:
    assert number_of(kind, b"\xff" * 8) is None
    assert number_of(kind, bytes(8)) == 0


def test_the_binding_means_the_same_by_not_available() -> None:
    for value in (pynvml.NVML_VALUE_NOT_AVAILABLE_uint, pynvml.NVML_VALUE_NOT_AVAILABLE_ulonglong):
        assert number_of_call(int(getattr(value, "value", value))) is None
    assert number_of_call(0) == 0.0
