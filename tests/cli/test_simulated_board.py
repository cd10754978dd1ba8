"""A board that a simulation publishes is no meter: each command that could take it for one says so loudly."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families as families

import joulemark as library
from doubles.nvml import FakeNvml
from doubles.served_simulation import ServedSimulation
from doubles.simulation_client import simulation
from doubles.user import adds, bench, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.live.exporter import LiveExporter
from joulemark.live.meter_set import MeterSet
from joulemark.live.session import close_all
from joulemark.meters.configured import configured_meters
from joulemark.record.energy import MeasuredEnergy
from joulemark.report.live_power import live_line, live_table

pytestmark = pytest.mark.slow  # whole runs


@pytest.fixture
def meter(own_home: None) -> Iterator[str]:
    with ServedSimulation(simulation(meter_interval_s=0.05)) as served:
        yield served.meter()


def elsewhere(meter: str) -> str:
    """The simulated board at a place where this machine has none, so that both are read."""
    return f"{meter}&scope=wall/psu/gpu:7"


def told(text: str) -> str:
    return " ".join(text.split())


def test_record_has_no_tier_and_says_it(meter: str, tmp_path: Path) -> None:
    done = joulemark("record", "--meter", meter, "--", "sleep", "1.5")
    assert done.code == 0
    assert re.search(r"SIMULATED: dcgm:0, [a-z ]+, scope gpu:0\. No tier: a simulated board", told(done.err))
    assert "Tier C" not in done.err
    out = tmp_path / "cost.json"
    joulemark("record", "--meter", meter, "--json", "--out", out, "--", "sleep", "1.5")
    found = json.loads(out.read_text())
    assert found["total_joules"] > 0
    assert (found["simulated"], found["replayed"], found["measurement_tier"]) == (True, False, None)
    assert found["reasons"]["measurement_tier"]["code"] == "not_applicable"
    assert [one["simulated"] for one in found["sources"]] == [True]


def test_beside_a_board_of_this_machine_it_gives_no_joules(meter: str, board: FakeNvml) -> None:
    done = joulemark(
        *("record", "--meter", "nvml", "--meter", elsewhere(meter), "--json", "--", "sleep", "1.5"),
        env=board.env,
    )
    found = json.loads(done.err[done.err.index("{\n") :])
    assert found["headline_source"] == "nvml:0"
    assert (found["simulated"], found["measurement_tier"]) == (False, "C")
    assert {one["source"]: one["simulated"] for one in found["sources"]} == {"nvml:0": False, "dcgm:0": True}


def test_watch_says_it_of_each_look(meter: str) -> None:
    watch = ("watch", "--meter", meter, "--interval", "0.3", "--count", "2")
    looks = [json.loads(line) for line in joulemark(*watch, "--json").out.splitlines()]
    assert [one["simulated"] for look in looks for one in look["sources"]] == [True, True]


def test_the_words_of_watch_say_it(meter: str) -> None:
    from rich.console import Console

    from joulemark.live.watching import Watch

    with MeterSet.open([meter], test_s=1) as meters:
        console = Console(width=120)
        with console.capture() as shown:
            console.print(live_table(look := Watch(meters).look()))
    assert "SIMULATED: dcgm:0" in shown.get()
    assert " SIMULATED: gpu:0 " in live_line(look)


def test_a_measured_block_says_it(meter: str) -> None:
    try:
        with library.measure(meters=[meter], test_s=1) as block:
            time.sleep(1)
        assert isinstance(block.total, MeasuredEnergy)
        assert block.result.tier[0] is None
        assert block.to_json()["simulated"] is True
        assert "SIMULATED" in repr(block)
    finally:
        close_all()


def test_the_page_for_prometheus_labels_each_series(meter: str, board: FakeNvml) -> None:
    from prometheus_client import generate_latest

    with (
        board.in_process(),
        MeterSet.open(["nvml", elsewhere(meter)], test_s=1) as meters,
        LiveExporter(meters) as exporter,
    ):
        page = generate_latest(exporter.registry).decode()
    samples = [sample for family in families(page) for sample in family.samples]
    marked = {(s.labels["source"], s.labels.get("simulated")) for s in samples if s.labels["source"]}
    assert {("nvml:0", None), ("dcgm:0", "true")} <= marked
    assert ("dcgm:0", None) not in marked
    assert ("nvml:0", "true") not in marked
    assert {s.name for s in samples if s.labels.get("simulated")} >= {
        "joulemark_energy_joules_total",
        "joulemark_source_up",
        "joulemark_source_info",
    }


def test_doctor_says_it_and_does_not_keep_it(meter: str) -> None:
    shown = joulemark("doctor", "--meter", meter)
    assert "dcgm:0 SIMULATED: Simulated SMALL" in told(shown.out)
    assert "--keep" not in shown.err
    refused = joulemark("doctor", "--meter", meter, "--no-test", "--keep", "--json")
    assert refused.code == 2
    assert [source["simulated"] for source in refused.json["sources"]] == [True]
    assert "nothing was kept" in refused.err
    assert "is a SIMULATED board" in refused.err
    assert "fix: " in refused.err
    assert configured_meters() == []


def test_calibrate_refuses_it(meter: str) -> None:
    done = joulemark("calibrate", "--no-engine", "--duration", "0.5", "--force", "--meter", meter)
    assert done.code == 2, done.err
    assert "a simulated board cannot be calibrated" in done.err
    assert "doctor --forget" in done.err


def test_a_real_engine_is_told_that_its_only_meter_is_a_simulation(
    meter: str, sums: Callable[[int], Path], tmp_path: Path
) -> None:
    out = tmp_path / "run"
    with WorkingEngine(adds, gap_s=0.001) as engine:
        done = joulemark(*bench(engine, sums(3), out), "--meter", meter)
    assert done.code == 0, done.err
    reason = done.json["reasons"]["joules_per_correct_answer"]
    assert reason["code"] == "no_meter"
    assert "dcgm:0: a SIMULATED board" in reason["detail"]
    page = (out / "report.html").read_text()
    assert "dcgm:0: a SIMULATED board, and the engine is no simulation" in page
    assert "The meter failed its self-test" not in page
    assert "dcgm:0 (SIMULATED)" in page
