"""A run of batches under a meter whose truth is known, and media saved outside its window."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.nvml import FakeBoard, FakeNvml, Piece
from joulemark.engines.diffusion import DiffusionEngine, DiffusionOptions
from joulemark.metrics import summarize
from joulemark.record.item import Phase
from joulemark.record.manifest import Sampling
from joulemark.runs.executor import LocalExecutor
from joulemark.runs.observer import Observer
from joulemark.runs.plan import RunPlan
from joulemark.runs.recorded import read_run
from joulemark.tasks.media import in_batches, read_prompts

POWER_W = 300.0


@pytest.mark.slow
def test_joules_per_picture_are_those_of_the_board_over_the_batch(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"):
        monkeypatch.setenv(name, str(tmp_path / name))
    monkeypatch.setenv("PYTHONPATH", str(Path(__file__).parents[2]))
    (tmp_path / "prompts.txt").write_text("a\nb\nc\nd\n")
    made = DiffusionOptions(
        pipeline="someone/tiny",
        kind="text-to-image",
        batch=4,
        steps=25,
        height=16,
        width=16,
        save_to=tmp_path / "made",
        loader="doubles.stand_in_pipeline:load",
    )
    task = in_batches(read_prompts(tmp_path / "prompts.txt", "text-to-image"), 4, 6)
    plan = RunPlan(
        task=task,
        engine=DiffusionEngine(made),
        sampling=Sampling(seed=3, max_tokens=1),
        out=tmp_path / "run",
        meters=("nvml",),
        boards=(0,),
    )
    with FakeNvml(tmp_path, [FakeBoard(power=[Piece(3600.0, POWER_W)])]).in_process():
        outcome = LocalExecutor().run(plan, Observer())
    assert (outcome.end, outcome.completed, outcome.error) == ("done", 6, None)
    assert outcome.view is not None
    summary = summarize(outcome.view)
    figures = summary.figures
    latency = figures["batch_latency_s"]
    assert latency.value is not None
    assert 25 * 0.02 <= latency.value < 5.0
    per_image = figures["joules_per_image"]
    assert per_image.value == pytest.approx(POWER_W * latency.value / 4, rel=0.1)
    bound = figures["joules_per_image_bound"]
    assert bound.lo is not None
    assert bound.hi is not None
    window_s = summary.duration_s or 0.0
    assert bound.lo <= POWER_W * window_s / 24 <= bound.hi

    run = read_run(tmp_path / "run")
    counted = [item for item in run.items if item.phase == Phase.MEASURE]
    assert [item.media_units for item in counted] == [4.0] * 6
    assert [item.phase for item in run.items].count(Phase.WARMUP) == 1
    assert {item.streamed for item in counted} == {False}
    assert all("media_units" not in item.reasons for item in counted)
    (window,) = [one for one in run.manifest.windows if one.name == "measure"]
    saved = sorted((tmp_path / "made").iterdir())
    assert len(saved) == 7 * 4  # the warm-up batch is the first
    assert all(int(path.read_text().split()[0]) > (window.t1 or 0) for path in saved)
