"""A run with a plug or an analyzer beside the board: real client, real sampler, doubles on sockets."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from doubles.faults import Fault, Truth
from doubles.instrument import Instrument
from doubles.nvml import FakeNvml
from doubles.plugs.meter_curve import MeterCurve
from doubles.plugs.shelly import ShellyGen2
from doubles.user import bench, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.runs.recorded import read_run

Sums = Callable[[int], Path]
WALL_W = 900.0  # more than the board's 300, less than any plug's limit


def curve_of(fault: Fault) -> MeterCurve:
    """A plug in real time that began to count two minutes ago and whose fault is there already."""
    begin_s = time.monotonic() - 120
    truth = Truth(power_w=WALL_W, t0_s=0.0, t1_s=0.0)
    return MeterCurve(fault, truth, lambda: time.monotonic() - begin_s)


@pytest.fixture
def plug() -> Iterator[ShellyGen2]:
    with ShellyGen2(curve_of(Fault.HEALTHY)) as device:
        yield device


@pytest.mark.slow
def test_a_plug_beside_the_board_makes_tier_b_and_never_the_headline(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path, plug: ShellyGen2
) -> None:
    out = tmp_path / "run"
    address = f"shelly:127.0.0.1:{plug.port}"
    done = joulemark(*bench(engine, sums(24), out, "--meter", "nvml", "--meter", address), env=board.env)
    assert done.code == 0, done.err
    figures = done.json
    assert figures["measurement_tier"] == "B"
    assert figures["headline_source"] == "nvml:0"
    assert figures["energy_source"] == "counter"
    wall = figures["other_energy"]["shelly · wall"]
    bound = figures["intervals"]["other_energy.shelly · wall"]
    (window,) = [w for w in read_run(out).manifest.windows if w.name == "measure"]
    assert window.t1 is not None
    true_j = WALL_W * (window.t1 - window.t0) * 1e-9
    assert bound["lo"] <= true_j <= bound["hi"]
    assert wall == pytest.approx(true_j, rel=0.2)
    beside = figures["intervals"]["other_energy.shelly (power) · wall"]
    assert beside["lo"] <= true_j <= beside["hi"]
    kept = "".join(path.read_text(errors="replace") for path in out.iterdir() if path.is_file())
    assert address not in kept
    assert f"127.0.0.1:{plug.port}" not in kept
    assert "Smiths" not in kept
    assert "shelly:#" in (out / "manifest.json").read_text()
    again = joulemark("report", out, "--json")
    assert again.json["measurement_tier"] == "B"


@pytest.mark.slow
def test_a_plug_that_falls_silent_costs_its_own_line_and_nothing_else(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path, plug: ShellyGen2
) -> None:
    out = tmp_path / "run"
    telemetry = out / "telemetry.jsonl"

    def unplug() -> None:
        while not (telemetry.exists() and '"shelly"' in telemetry.read_text()):
            time.sleep(0.02)
        time.sleep(0.5)
        plug.curve = curve_of(Fault.LOST)

    thread = threading.Thread(target=unplug, daemon=True)
    thread.start()
    options = ("--meter", "nvml", "--meter", f"shelly:127.0.0.1:{plug.port}")
    done = joulemark(*bench(engine, sums(60), out, *options), env=board.env)
    assert done.code == 0, done.err
    figures = done.json
    assert figures["total_joules"] > 0
    assert figures["other_energy"]["shelly · wall"] is None
    assert figures["reasons"]["other_energy.shelly · wall"]["code"] in ("meter_lost", "outside_timeline")


@pytest.mark.slow
def test_an_analyzer_beside_the_board_makes_tier_a(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    begin_s = time.monotonic()
    truth = Truth(power_w=WALL_W, t0_s=0.0, t1_s=1e9)
    with Instrument(lambda: time.monotonic() - begin_s, truth, Fault.HEALTHY) as instrument:
        options = ("--meter", "nvml", "--meter", f"analyzer:{instrument.resource}")
        done = joulemark(*bench(engine, sums(60), tmp_path / "run", *options), env=board.env)
    assert done.code == 0, done.err
    assert done.json["measurement_tier"] == "A"
    assert done.json["headline_source"] == "nvml:0"
    (meter,) = [m for m in read_run(tmp_path / "run").manifest.meters if m.source.kind == "analyzer"]
    assert meter.source.uncertainty_pct
    assert any("range" in note for note in meter.source.notes)


@pytest.mark.slow
def test_a_plug_alone_leads_with_the_wall_and_has_no_tier(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path, plug: ShellyGen2
) -> None:
    options = ("--meter", f"shelly:127.0.0.1:{plug.port}")
    done = joulemark(*bench(engine, sums(60), tmp_path / "run", *options), env=board.env)
    assert done.code == 0, done.err
    assert done.json["headline_scope"] == "wall"
    assert done.json["energy_source"] == "meter"
    assert done.json["measurement_tier"] is None
    assert done.json["total_joules"] > 0
    # eighteen seconds are no ten blocks of ten renewals: the figure stands, and says what it lacks
    assert done.json["joules_per_correct_answer"] > 0
    lacking = done.json["reasons"]["intervals.joules_per_correct_answer"]
    assert lacking["code"] == "too_few_blocks"
    assert "Ask more questions (for about 200 s in all)" in lacking["detail"]
