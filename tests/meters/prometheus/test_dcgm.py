"""Boards of DCGM's exporter."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import pytest

from doubles.prometheus import UUIDS, PageServer, Reply, dcgm_page, unused_port
from joulemark.meters.address import MeterAddress
from joulemark.meters.discovery import discover, open_source
from joulemark.meters.duplicates import without_duplicates
from joulemark.meters.notes import MIG_SHARED, THERMAL_COMBINED, has_note
from joulemark.meters.prometheus.dcgm_finding import find_dcgm
from joulemark.meters.source import Finding, SourceLost
from joulemark.record.clock import VirtualClock
from joulemark.record.errors import InputError
from joulemark.record.scope import Scope

BASIC = {"TOTAL_ENERGY_CONSUMPTION": 684_000_123, "POWER_USAGE": 310.25, "GPU_TEMP": 61}
FULL = {
    **BASIC,
    "POWER_USAGE_INSTANT": 333.0,
    "SM_CLOCK": 1980,
    "MEM_CLOCK": 2619,
    "GPU_UTIL": 97,
    "FB_USED": 70_123,
    "POWER_VIOLATION": 5_000_000_000,
    "THERMAL_VIOLATION": 7,
    "POWER_MGMT_LIMIT": 650,
    "POWER_MGMT_LIMIT_MAX": 700,
}


class Exporter:
    """A page that a test changes between scrapes."""

    def __init__(self, page: str) -> None:
        self.page = page
        self.asked, self.free = threading.Event(), threading.Event()
        self.free.set()

    def hold(self) -> None:
        """Let what is asked next wait until ``free`` is set; ``asked`` tells that it came."""
        self.asked.clear()
        self.free.clear()

    def __call__(self, path: str, query: str) -> Reply:
        self.asked.set()
        self.free.wait(10)
        return Reply(self.page) if path == "/metrics" else Reply("", 404)


def find(server: PageServer, rest: str = "/metrics") -> list[Finding]:
    return find_dcgm(MeterAddress.parse(f"dcgm:{server.url}{rest}"))


def test_a_board_with_all_that_it_shows() -> None:
    with PageServer(Exporter(dcgm_page(FULL))) as server:
        (finding,) = find(server)
        assert finding.spec is not None
        assert finding.info is not None
        reading = open_source(finding.spec).read(4)
    info = finding.info
    assert (info.name, info.kind, info.scope) == ("dcgm:0", "dcgm", Scope.gpu(0))
    assert info.device_id == UUIDS[0]
    assert info.device_name == "NVIDIA H100 80GB HBM3"
    assert info.power_window_s == 0
    assert info.power_max_w == 700
    assert info.counter_quantum_j == 1e-3
    assert has_note(info, THERMAL_COMBINED)
    assert not has_note(info, MIG_SHARED)
    assert "node-1" not in repr(info)
    assert json.loads(json.dumps(finding.spec.args)) == finding.spec.args
    assert reading.flags == ()
    assert reading.values == pytest.approx(
        {
            "energy_j": 684_000.123,
            "power_w": 333.0,
            "power_average_w": 310.25,
            "temperature_c": 61,
            "sm_clock_mhz": 1980,
            "memory_clock_mhz": 2619,
            "utilization_pct": 97,
            "memory_used_mib": 70_123,
            "power_limit_w": 650,
            "throttle_power_cap_ns": 5e9,
            "throttle_sw_thermal_ns": 7,
        }
    )


def test_the_default_collectors_give_a_trailing_average() -> None:
    with PageServer(Exporter(dcgm_page(BASIC))) as server:
        (finding,) = find(server)
    assert finding.info is not None
    assert finding.info.quantities == ("energy_j", "temperature_c", "power_w")
    assert finding.info.power_window_s == 1.0
    assert finding.info.power_max_w is None


def test_split_causes_of_slowing_down_go_before_the_combined_one() -> None:
    fields = {
        **BASIC,
        "THERMAL_VIOLATION": 9,
        "CLOCKS_EVENT_REASON_SW_THERM_SLOWDOWN_NS": 4,
        "CLOCKS_EVENT_REASON_HW_THERM_SLOWDOWN_NS": 5,
    }
    with PageServer(Exporter(dcgm_page(fields))) as server:
        (finding,) = find(server)
        assert finding.spec is not None
        values = open_source(finding.spec).read(0).values
    assert (values["throttle_sw_thermal_ns"], values["throttle_hw_thermal_ns"]) == (4, 5)
    assert finding.info is not None
    assert not has_note(finding.info, THERMAL_COMBINED)


def test_how_old_a_value_may_be_follows_from_the_exporters_interval() -> None:
    with PageServer(Exporter(dcgm_page(BASIC))) as server:
        (finding,) = find(server)
        assert finding.info is not None
        assert finding.info.value_age_s == 30
        (finding,) = find(server, "/metrics?interval_s=0.5")
        assert finding.info is not None
        assert finding.info.value_age_s == 0.5
        assert finding.info.read_period_s is not None
        assert finding.info.read_period_s < 0.5


def test_boards_that_wait_for_a_scrape_share_the_next_one() -> None:
    exporter = Exporter(dcgm_page(FULL, boards=2))
    with PageServer(exporter) as server, ThreadPoolExecutor(9) as pool:
        findings = find(server)
        assert [finding.name for finding in findings] == ["dcgm:0", "dcgm:1"]
        sources = [open_source(finding.spec) for finding in findings if finding.spec is not None]
        before = len(server.requests)
        exporter.hold()
        first = pool.submit(sources[0].read, 0)
        assert exporter.asked.wait(5)
        asked_ns = time.monotonic_ns()
        rest = [pool.submit(sources[i % 2].read, 0) for i in range(8)]
        time.sleep(0.2)
        exporter.free.set()
        readings = [one.result() for one in rest]
        assert len(server.requests) == before + 2
        assert (readings[0].scope, readings[1].scope) == ("wall/psu/gpu:0", "wall/psu/gpu:1")
        assert first.result().t_ns - first.result().read_ns < asked_ns
        assert all(one.t_ns - one.read_ns > asked_ns for one in readings)


def test_a_page_serves_nobody_who_asks_later() -> None:
    with PageServer(Exporter(dcgm_page(FULL, boards=2))) as server:
        sources = [open_source(finding.spec) for finding in find(server) if finding.spec is not None]
        for source in (*sources, *reversed(sources)):
            asked_ns = time.monotonic_ns()
            reading = source.read(0)
            assert reading.t_ns - reading.read_ns >= asked_ns


def test_pages_of_two_clocks_are_two() -> None:
    with PageServer(Exporter(dcgm_page(BASIC))) as server:
        (finding,) = find(server)
        assert finding.spec is not None
        sources = [open_source(finding.spec, VirtualClock(t_ns)) for t_ns in (0, 10**12)]
        before = len(server.requests)
        assert [source.read(0).t_ns for source in sources] == [0, 10**12]
        assert len(server.requests) == before + 2


def test_one_board_can_be_chosen_by_number_or_identity() -> None:
    with PageServer(Exporter(dcgm_page(FULL, boards=2))) as server:
        assert [finding.name for finding in find(server, "/metrics?gpu=1")] == ["dcgm:1"]
        assert [finding.name for finding in find(server, f"/metrics?gpu={UUIDS[1]}")] == ["dcgm:1"]
        (finding,) = find(server, "/metrics?gpu=7")
        assert finding.spec is None
        assert "no board 7" in finding.why
        (finding,) = find(server, "?gpu=1&scope=wall/psu/gpu:5")  # the path may be left out
        assert finding.info is not None
        assert finding.info.scope == Scope.gpu(5)
        with pytest.raises(InputError):
            find(server, "/metrics?scope=wall/psu/gpu:5")


def test_mig_instances_are_one_shared_board() -> None:
    with PageServer(Exporter(dcgm_page(FULL, instances=("3", "4")))) as server:
        (finding,) = find(server)
        assert finding.info is not None
        assert finding.spec is not None
        assert has_note(finding.info, MIG_SHARED)
        values = open_source(finding.spec).read(0).values
    assert values["energy_j"] == pytest.approx(684_000.123)
    assert "utilization_pct" not in values  # an instance's own
    assert "memory_used_mib" not in values


def two_nodes(*, names: tuple[str, str] = ("node-1.example", "node-2.example"), numbers: str = "00") -> str:
    """A page on which the boards of two machines stand, both with DCGM's number 0."""
    lines = []
    for host, uuid, index in zip(names, UUIDS, numbers, strict=True):
        labels = f'gpu="{index}",UUID="{uuid}",modelName="NVIDIA H100 80GB HBM3"'
        labels += f',Hostname="{host}"' if host else ""
        lines += [f"DCGM_FI_DEV_{name}{{{labels}}} {value}" for name, value in BASIC.items()]
    return "\n".join(lines) + "\n"


def test_the_boards_of_two_machines_are_not_taken_for_one() -> None:
    with PageServer(Exporter(two_nodes())) as server:
        (finding,) = find(server)
        chosen = find(server, "/metrics?hostname=node-2.example")
        board = find(server, f"/metrics?gpu={UUIDS[0]}")
        (nobody,) = find(server, "/metrics?hostname=node-3.example")
    assert finding.spec is None
    assert "the boards of 2 machines" in finding.why
    assert "node-" not in finding.why
    assert "&hostname=node-1.example or &hostname=node-2.example" in finding.fix
    assert "&gpu=UUID" in finding.fix
    assert [one.info.device_id for one in chosen if one.info is not None] == [UUIDS[1]]
    assert [one.info.device_id for one in board if one.info is not None] == [UUIDS[0]]
    assert "no board of node-3.example" in nobody.why


def test_boards_with_one_number_are_chosen_by_their_identity() -> None:
    with PageServer(Exporter(two_nodes(names=("", "")))) as server:
        (finding,) = find(server)
        chosen = find(server, f"/metrics?gpu={UUIDS[1]}")
    assert finding.spec is None
    assert "several boards with one number" in finding.why
    assert f"&gpu={UUIDS[0]} or &gpu={UUIDS[1]}" in finding.fix
    assert chosen[0].spec is not None


def test_a_board_without_a_number_has_to_be_placed() -> None:
    with PageServer(Exporter(dcgm_page(BASIC).replace('gpu="0"', 'gpu="0x"'))) as server:
        (finding,) = find(server)
        (placed,) = find(server, f"/metrics?gpu={UUIDS[0]}&scope=wall/psu/gpu:3")
        assert placed.spec is not None
        assert placed.info is not None
        assert open_source(placed.spec).read(0).values["power_w"] == 310.25
    assert finding.spec is None
    assert "does not number" in finding.why
    assert (placed.info.name, placed.info.scope) == ("dcgm", Scope.gpu(3))


def test_what_the_page_says_of_itself_steers_no_terminal() -> None:
    steering = "\x1b]0;owned\x07\x1b[31m\u202e"
    page = dcgm_page(BASIC)
    for label in ("NVIDIA H100 80GB HBM3", "node-1.example", UUIDS[0]):
        page = page.replace(label, label + steering)
    with PageServer(Exporter(page + two_nodes())) as server:
        (several,) = find(server)
        (unnumbered,) = find(server, "/metrics?gpu=9")
    with PageServer(Exporter(page)) as server:
        (finding,) = find(server)
    assert finding.info is not None
    shown = repr([several, unnumbered]), finding.measures, finding.name, str(finding.info.device_name)
    for text in (*shown, several.why, several.fix, str(finding.spec)):
        assert text.isprintable()
        assert "\\x1b" not in text


@pytest.mark.parametrize(
    "blank",
    ["9223372036854775794", "140737488355328.000000", "2147483632", "NaN", "-1", "9.223372036854776e+18"],
)
def test_what_dcgm_writes_for_nothing_is_nothing(blank: str) -> None:
    page = dcgm_page({"TOTAL_ENERGY_CONSUMPTION": blank, "POWER_USAGE": 100})
    with PageServer(Exporter(page)) as server:
        (finding,) = find(server)
        assert finding.info is not None
        assert finding.spec is not None
        assert finding.info.quantities == ("power_w",)
        assert any("energy_j" in note for note in finding.info.notes)
        assert "power only" in finding.measures
        assert open_source(finding.spec).read(0).values == {"power_w": 100}


def test_a_board_that_shows_neither_is_no_meter() -> None:
    with PageServer(Exporter(dcgm_page({"GPU_TEMP": 50}))) as server:
        (finding,) = find(server)
    assert finding.spec is None
    assert "neither energy nor power" in finding.why
    assert "DCGM_FI_DEV_TOTAL_ENERGY_CONSUMPTION" in finding.fix


@pytest.mark.parametrize(
    ("page", "why"),
    [
        ("node_load1 0.5\n", "no series of DCGM"),
        ("<html></html>", "web page"),
        ("DCGM_FI_DEV_GPU_TEMP{ 3\n", "malformed"),
    ],
)
def test_a_page_of_something_else_says_so(page: str, why: str) -> None:
    with PageServer(Exporter(page)) as server:
        (finding,) = find(server)
    assert finding.spec is None
    assert why in finding.why
    assert finding.fix


def test_nobody_there() -> None:
    (finding,) = discover([f"dcgm:127.0.0.1:{unused_port()}"])
    assert finding.spec is None
    assert "nothing listens" in finding.why


@pytest.mark.parametrize(
    "rest", ["?interval_s=1_0", "?interval_s=0", "?interval_s=soon", "?interval_s=1e9", "?colour=red"]
)
def test_what_was_typed_wrongly_is_refused(rest: str) -> None:
    with pytest.raises(InputError) as caught:
        find_dcgm(MeterAddress.parse(f"dcgm:http://127.0.0.1:9/metrics{rest}"))
    assert caught.value.fix


def test_a_board_that_falls_off_is_lost_and_a_missing_value_is_flagged() -> None:
    exporter = Exporter(dcgm_page(BASIC, boards=2))
    with PageServer(exporter) as server:
        clock = VirtualClock()
        specs = [finding.spec for finding in find(server) if finding.spec is not None]
        sources = [open_source(spec, clock) for spec in specs]
        exporter.page = dcgm_page({"POWER_USAGE": 100, "TOTAL_ENERGY_CONSUMPTION": 9223372036854775794})
        reading = sources[0].read(0)
        assert reading.values == {"power_w": 100}
        assert set(reading.flags) == {"energy_j:no_data", "temperature_c:unavailable"}
        with pytest.raises(SourceLost, match="board_absent"):
            sources[1].read(0)
        exporter.page = "node_load1 0.5\n"
        clock.sleep_s(10)
        with pytest.raises(SourceLost, match="no_boards"):
            sources[0].read(0)
        exporter.page = dcgm_page(BASIC, boards=2)
        assert sources[1].read(0).values["energy_j"] == pytest.approx(684_000.123)


def test_the_board_that_nvml_shows_too_is_read_once() -> None:
    with PageServer(Exporter(dcgm_page(BASIC, boards=2))) as server:
        mine, other = find(server)
    assert mine.info is not None
    nvml = replace(mine, kind="nvml", name="nvml:7", info=replace(mine.info, kind="nvml", scope=Scope.gpu(7)))
    kept = without_duplicates([nvml, mine, other])
    assert [finding.spec is not None for finding in kept] == [True, False, True]
    assert "nvml:7" in kept[1].why
