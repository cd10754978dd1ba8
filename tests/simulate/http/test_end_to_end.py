"""Real commands against the served simulation: the joules of a run are those that the simulation knows."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.served_simulation import ServedSimulation, drives
from doubles.simulation_client import simulation
from doubles.user import joulemark
from joulemark.runs.recorded import read_run
from joulemark.simulate.http import Known
from joulemark.simulate.http.metric_pages import uuid_of
from joulemark.tasks.registry import load_task

METER_S = 0.05


def board_of(directory: Path) -> FakeNvml:
    """A machine whose driver knows the simulated board and sees this process compute on it."""
    board = FakeBoard(
        power=(Piece(1e-6, 10.0),),
        uuid=uuid_of(0),
        name="Simulated SMALL",
        compute_pids=(os.getpid(),),
        counter_period_s=METER_S,
        limit_w=75.0,
        limit_max_w=75.0,
    )
    return FakeNvml(directory, [board], room=200_000)


def quick() -> dict[str, Known]:
    task = load_task("quick")
    return {
        q.messages[-1][1]: Known(q.kind, str(q.gold), q.choices, q.max_tokens or task.max_tokens)
        for q in task.questions
    }


def measure_window(out: Path) -> tuple[int, int]:
    (window,) = [window for window in read_run(out).manifest.windows if window.name == "measure"]
    assert window.t1 is not None
    return window.t0, window.t1


def assert_joules(figures: Any, served: ServedSimulation, out: Path) -> None:
    """The run's total is the truth of its window, to 1 % and the meter's step at either end."""
    t0, t1 = measure_window(out)
    true_j = served.truth(t0=t0, t1=t1)["total_j"]
    step_j = 2 * 75.0 * METER_S
    assert abs(figures["total_joules"] - true_j) <= 0.01 * true_j + step_j
    bound = figures["intervals"]["total_joules"]
    assert bound["lo"] <= true_j <= bound["hi"]


@pytest.mark.slow
@pytest.mark.parametrize("meter", ["dcgm", "nvml"])
def test_a_load_costs_what_the_simulation_says(meter: str, tmp_path: Path) -> None:
    fake, out = board_of(tmp_path), tmp_path / "run"
    with ServedSimulation(simulation(meter_interval_s=METER_S), drives(fake)) as served:
        done = joulemark(
            *("load", "--synthetic", "200:60", "--concurrency", "8", "--requests", "120"),
            *("--engine", served.url, "--meter", served.meter() if meter == "dcgm" else "nvml"),
            *("--out", out, "--json"),
            env=fake.env,
            timeout_s=200,
        )
        assert done.code == 0, done.err
        figures = done.json
        assert_joules(figures, served, out)
        counted = [item for item in read_run(out).items if item.phase == "measure"]
        listed = served.truth(requests=1)["requests"]
    assert len(counted) == 120
    true_tokens = {one["completion_tokens"] for one in listed[-60:]}
    assert true_tokens == {60}
    assert {item.completion_tokens for item in counted} == {60}
    assert {item.prompt_tokens for item in counted} <= set(range(195, 206))


@pytest.mark.slow
def test_a_bench_finds_the_accuracy_and_the_joules(tmp_path: Path) -> None:
    fake, out = board_of(tmp_path), tmp_path / "run"
    served_simulation = simulation(
        "sglang", known=quick(), accuracy=0.6, seed=5, mean_tokens=30, meter_interval_s=METER_S
    )
    with ServedSimulation(served_simulation, drives(fake)) as served:
        done = joulemark(
            *("bench", "run", "quick", "--engine", served.url, "--meter", served.meter()),
            *("--out", out, "--json"),
            env=fake.env,
            timeout_s=200,
        )
        assert done.code == 0, done.err
        truth = served.truth()
        assert_joules(done.json, served, out)
    assert done.json["accuracy"] == truth["task"]["accuracy"]
