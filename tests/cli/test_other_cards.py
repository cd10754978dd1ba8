"""A card that is not NVIDIA's: a run and a calibration choose it by the same evidence."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.graphics_cards import CARD, FakeMachine
from doubles.hwmon import CARD as DEVICE
from doubles.hwmon import FakeHwmon
from doubles.user import adds, bench, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.runs.recorded import read_run

DISCRETE = {"freq2_label": "mclk", "temp2_label": "junction"}


@pytest.mark.slow
def test_a_run_and_a_calibration_agree_on_the_device(sums: Callable[[int], Path], tmp_path: Path) -> None:
    machine = FakeMachine(tmp_path)
    machine.card("card0", CARD, vendor="0x1002", device="0x744c")
    machine.rocm_gpu(1, 77, 3 << 8)
    machine.rocm_process(os.getpid(), {77: 4 << 30})
    sensors = FakeHwmon(tmp_path / "sensors")
    sensors.add("amdgpu", DEVICE, {"power1_average": 85_000_000, **DISCRETE})
    env = {**os.environ, "JOULEMARK_SYS": str(tmp_path), "JOULEMARK_HWMON": str(sensors.root)}
    with WorkingEngine(adds) as engine:
        chosen = joulemark(
            *("calibrate", "--engine", engine.url, "--meter", "hwmon", "--no-curve"),
            *("--duration", "1", "--settle", "0", "--force", "--json"),
            env=env,
        )
        assert chosen.code == 0, chosen.err
        ran = joulemark(*bench(engine, sums(4), tmp_path / "run", "--meter", "hwmon"), env=env)
        assert ran.code == 0, ran.err
    manifest = read_run(tmp_path / "run").manifest
    (card,) = manifest.devices
    assert card.engine_on_device is True
    assert chosen.json["device_sources"] == [f"hwmon:amdgpu-{CARD}"]
    assert manifest.headline_scope == [f"wall/psu/gpu:{CARD}"]
    assert manifest.baselines.loaded_idle_w == pytest.approx(85.0)
