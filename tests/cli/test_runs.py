"""``joulemark runs``: what each run found stands in the list, the same as in its report."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.nvml import FakeNvml
from doubles.user import bench, joulemark
from doubles.working_engine import WorkingEngine

Sums = Callable[[int], Path]


@pytest.mark.slow
def test_the_list_holds_the_figures_of_each_run(
    board: FakeNvml, engine: WorkingEngine, sums: Sums, tmp_path: Path
) -> None:
    there = tmp_path / "runs"
    metered = joulemark(*bench(engine, sums(6), there / "a"), env=board.env)
    bare = joulemark(*bench(engine, sums(6), there / "b", "--meter", "none"), env=board.env)
    assert (metered.code, bare.code) == (0, 0), metered.err + bare.err
    one, other = joulemark("runs", "--runs-dir", there, "--json").json
    for figure in ("joules_per_correct_answer", "accuracy", "measurement_tier"):
        assert one[figure] == metered.json[figure]
        assert other[figure] == bare.json[figure]
    assert one["measurement_tier"] == "C"
    assert other["joules_per_correct_answer"] is None
    assert other["reasons"]["joules_per_correct_answer"] == bare.json["reasons"]["joules_per_correct_answer"]
    lines = joulemark("runs", "--runs-dir", there).out.splitlines()
    assert len(lines) == 4
    assert "J per correct answer" in lines[1]
    assert "tier C" in lines[1]
    assert "— per correct answer: " in lines[3]
