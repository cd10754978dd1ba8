"""The whole way from ``bench`` to figures: real client, real sampler process, a double of the driver."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from doubles.nvml import FakeNvml
from doubles.user import adds, bench, interrupt, joulemark, start
from doubles.working_engine import WorkingEngine
from joulemark.runs.journal import read_items
from joulemark.runs.recorded import read_run
from joulemark.runs.view import view_of

Sums = Callable[[int], Path]


@pytest.mark.slow
def test_joules_per_correct_answer_are_the_true_ones(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    done = joulemark(*bench(engine, sums(24), out), env=board.env)
    assert done.code == 0, done.err
    figures = done.json
    run = read_run(out)
    windows = [w for w in run.manifest.windows if w.name == "measure"]
    true_j = sum(board.true_energy_j(0, w.t0, w.t1 or 0) for w in windows)
    assert figures["total_joules"] == pytest.approx(true_j, rel=0.01)
    bound = figures["intervals"]["total_joules"]
    assert bound["lo"] <= true_j <= bound["hi"]
    assert figures["energy_source"] == "counter"
    assert figures["measurement_tier"] == "C"
    assert figures["headline_scope"] == "gpu:0"
    assert figures["n_correct"] == 16
    assert figures["joules_per_correct_answer"] == figures["total_joules"] / 16
    assert abs(figures["counter_vs_integration_pct_diff"]) < 5
    (device,) = run.manifest.devices
    assert device.engine_on_device is True
    assert board.boards[0].uuid not in (out / "manifest.json").read_text()

    (proof,) = figures["attribution"]
    assert proof["items_j"] + proof["idle_j"] + proof["residual_j"] == pytest.approx(proof["total_j"])
    assert abs(proof["residual_j"]) < 0.01 * proof["total_j"]
    view = view_of(run)
    held = 0
    for row, item in zip(view.attributions, view.measured_items, strict=True):
        true_item_j = board.true_energy_j(0, item.t_begin, item.t_end)
        assert row.lo is not None
        assert row.hi is not None
        assert row.hi - row.lo <= 2 * 0.05 * 300 + 3
        held += row.lo <= true_item_j <= row.hi
    assert held == 24

    items = pl.read_parquet(out / "items.parquet")
    assert items.height == 25  # the warm-up is stored, and counted nowhere
    assert pl.read_parquet(out / "attribution.parquet")["joules"].sum() == pytest.approx(proof["items_j"])
    assert pl.read_parquet(out / "chunks.parquet").height >= 24 * 6


@pytest.mark.slow
def test_an_engine_that_is_not_on_the_board_gets_no_joules(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    board.set_processes(0, [1])
    done = joulemark(*bench(engine, sums(3), tmp_path / "run"), env=board.env)
    assert done.code == 0, done.err
    assert done.json["joules_per_correct_answer"] is None
    assert done.json["reasons"]["joules_per_correct_answer"]["code"] == "engine_not_on_device"
    assert done.json["accuracy"] == pytest.approx(2 / 3)
    (device,) = read_run(tmp_path / "run").manifest.devices
    assert device.other_processes


@pytest.mark.slow
def test_another_process_on_the_board_is_named(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    board.set_processes(0, [os.getpid(), os.getppid()])
    done = joulemark(*bench(engine, sums(3), tmp_path / "run"), env=board.env)
    assert done.code == 0, done.err
    (device,) = read_run(tmp_path / "run").manifest.devices
    assert device.engine_on_device is True
    assert len(device.other_processes) == 1
    assert any("other process" in caveat["text"].lower() for caveat in done.json["caveats"])


@pytest.mark.slow
def test_a_board_that_falls_off_the_bus_withholds_joules_and_keeps_answers(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    engine.on_request = lambda number: board.lose(0) if number == 8 else None
    done = joulemark(*bench(engine, sums(12), tmp_path / "run"), env=board.env)
    assert done.code == 0, done.err
    assert done.json["total_joules"] is None
    assert done.json["reasons"]["total_joules"]["code"] in {"meter_lost", "outside_timeline"}
    assert done.json["n_requests"] == 12
    assert done.json["accuracy"] == pytest.approx(8 / 12)


@pytest.mark.slow
def test_requests_in_flight_together_share_by_rule_and_add_up(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out = tmp_path / "run"
    done = joulemark(*bench(engine, sums(16), out, "--concurrency", "4"), env=board.env)
    assert done.code == 0, done.err
    (proof,) = done.json["attribution"]
    assert proof["method"] == "equal_share"
    assert abs(proof["residual_j"]) < 0.01 * proof["total_j"]
    rows = pl.read_parquet(out / "attribution.parquet")
    assert rows["lo"].null_count() == rows.height == 16
    assert set(rows["reason"]) == {"allocated"}


@pytest.mark.slow
def test_ctrl_c_leaves_a_partial_run_and_the_same_command_goes_on(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    out, data = tmp_path / "run", sums(12)
    process = start(*bench(engine, data, out), env=board.env)
    interrupt(process, when=lambda: len(read_items(out / "items.jsonl")[0]) >= 5)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 0, err
    assert "interrupted" in err
    assert "Traceback" not in err
    first = read_run(out)
    assert first.manifest.state == "partial"
    assert first.manifest.segments[0].end == "interrupted"
    stored = {row.item.key for row in first.rows if row.item.phase == "measure"}
    assert 0 < len(stored) < 12
    assert (out / "report.html").exists()

    done = joulemark(*bench(engine, data, out), env=board.env)
    assert done.code == 0, done.err
    run = read_run(out)
    assert run.manifest.state == "complete"
    assert [segment.index for segment in run.manifest.segments] == [0, 1]
    assert done.json["n_requests"] == 12
    windows = [w for w in run.manifest.windows if w.name == "measure"]
    true_j = sum(board.true_energy_j(0, w.t0, w.t1 or 0) for w in windows)
    assert done.json["total_joules"] == pytest.approx(true_j, rel=0.02)


@pytest.mark.slow
def test_an_engine_that_goes_away_costs_no_answer(board: FakeNvml, sums: Sums, tmp_path: Path) -> None:
    out, data = tmp_path / "run", sums(10)
    with WorkingEngine(adds, board) as engine:
        process = start(*bench(engine, data, out, "--retries", "0"), env=board.env)
        while process.poll() is None and engine.answered < 6:
            pass
        engine.close()
        output, err = process.communicate(timeout=60)
    assert process.returncode == 2, err
    assert "went away" in err
    assert "Traceback" not in err
    assert output  # what was measured is reported all the same
    before = read_run(out)
    assert before.manifest.state == "partial"
    assert not [item for item in before.items if item.verdict == "failed" and item.attempts[-1].error]
