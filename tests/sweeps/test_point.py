"""Points of a sweep: which of them one running engine can serve."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.points import point
from doubles.sweeping import Heard, RecordingBench, WritingExecutor, plan_for
from joulemark.sweeps.journal import SweepJournal
from joulemark.sweeps.sweep import sweep

EMBEDDED = {"engine": "embedded", "model": "m.gguf"}


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))


def test_an_engine_of_other_threads_is_another_engine(tmp_path: Path) -> None:
    """Else all points would be measured on the threads of the first one, and say otherwise."""
    plan = plan_for({"concurrency": [1, 2], "threads": [1, 2]}, EMBEDDED)
    keys = [(one.values["threads"], one.key) for one in plan.points]
    assert keys[0] == keys[1] != keys[2] == keys[3]
    assert len({key for _, key in keys}) == 2
    # and the points of one engine stand together, though the grid has its threads by turns
    assert [one.values["threads"] for one in plan.points] == [1, 1, 2, 2]
    bench = RecordingBench()
    executor = WritingExecutor()
    sweep(
        plan,
        SweepJournal(tmp_path / "sweep"),
        bench,
        executor,
        Heard(),
        figures=lambda root: point(None, None),
    )
    assert len(executor.ran) == 4
    assert len(bench.engines) == 2
