"""Sweeps of diffusion pipelines: what they would do, and runs of a stand-in library and of the real one."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from doubles.nvml import FakeBoard, FakeNvml, Piece
from doubles.sweep_command import (
    code_of,
    recorded,
    start_sweep,
    states,
    sweep,
    with_clients_that_kept_up,
)
from joulemark.cli.sweep import sweep as command
from joulemark.record.errors import InputError
from joulemark.record.item import Phase
from joulemark.runs.journal import read_items
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.runs.view import summary_of
from joulemark.sweeps.journal import SweepJournal

AXES = ("--axis", "max_batch=1,2", "--axis", "denoising_steps=5,10")
PIPELINE = ("--set", "model=someone/tiny")
SMALL = ("--set", "height=64", "--set", "width=64")
POWER_W = 300.0
# A library in the place of the heavy one: a step takes longer for a larger batch, and four do not fit.
TORCH = """
__version__ = "stand-in"
float32 = "float32"

class Generator:
    def __init__(self, device):
        self.device = device

    def manual_seed(self, seed):
        return self
"""
DIFFUSERS = """
import os, time
from types import SimpleNamespace

__version__ = "stand-in"

class Tiny:
    scheduler = object()

    def to(self, device):
        return self

    def set_progress_bar_config(self, disable):
        pass

    def __call__(self, prompt=None, height=8, width=8, num_inference_steps=1, generator=None,
                 output_type="pil"):
        if len(prompt) > 3:
            raise MemoryError("out of memory")
        if "fall" in prompt[0]:
            os._exit(3)
        time.sleep(num_inference_steps * (0.004 + 0.002 * len(prompt)))
        return SimpleNamespace(images=["a picture"] * len(prompt))

class DiffusionPipeline:
    @staticmethod
    def from_pretrained(folder, torch_dtype):
        return Tiny()
"""


@pytest.fixture
def prompts(tmp_path: Path) -> Path:
    path = tmp_path / "prompts.txt"
    path.write_text("a cat\na dog\na hen\n")
    return path


@pytest.fixture
def asked(prompts: Path) -> tuple[str, ...]:
    return ("text-to-image", *PIPELINE, *SMALL, "--prompts", str(prompts), "--batches", "6")


@pytest.fixture
def pipeline(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "model_index.json").write_text("{}")
    return folder


@pytest.fixture
def libraries(tmp_path: Path) -> dict[str, str]:
    """Return an environment whose libraries are the stand-in, on a machine with a board of 300 W."""
    folder = tmp_path / "libraries"
    folder.mkdir()
    (folder / "torch.py").write_text(TORCH)
    (folder / "diffusers.py").write_text(DIFFUSERS)
    unlisted = ("ComputeProcesses", "GraphicsProcesses")  # so the board is declared to run the engine
    board = FakeNvml(tmp_path, [FakeBoard(power=(Piece(3600.0, POWER_W),), unsupported=unlisted)])
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    return {**os.environ, **board.env, "PYTHONPATH": path}


def planned(*arguments: object) -> Any:
    done = CliRunner().invoke(command, [*map(str, arguments), "--dry-run", "--json", "--out", "nowhere"])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)


def names(*arguments: object) -> set[str]:
    return {one["name"] for one in planned(*arguments)["points"] if one["name"] is not None}


def test_a_point_is_the_command_of_media_that_would_measure_it(asked: tuple[str, ...], prompts: Path) -> None:
    plan = planned(*asked, "--engine", "diffusers", *AXES, "--device", "cpu")
    assert [tuple(one["values"].values()) for one in plan["points"]] == [(1, 5), (1, 10), (2, 5), (2, 10)]
    assert plan["points"][1]["launch"] == []
    assert plan["points"][1]["command"] == (
        "joulemark media someone/tiny --kind text-to-image --batch 1 --steps 10 --size 64x64 "
        f"--batches 6 --prompts {prompts} --device cpu"
    )


def test_a_task_of_media_brings_its_engine_and_its_grid(asked: tuple[str, ...], prompts: Path) -> None:
    whole = planned(*asked[:3], "--prompts", prompts)
    assert whole["axes"] == {"max_batch": [1, 2, 4, 8], "denoising_steps": [10, 20, 30]}
    assert whole["base"]["engine"] == "diffusers"
    assert "--size 1024x1024 --batches 8" in whole["points"][0]["command"]
    # axes of one's own are all that is varied; the grid's size stays
    own = planned(*asked[:3], "--prompts", prompts, "--axis", "denoising_steps=3,4")
    assert own["axes"] == {"denoising_steps": [3, 4]}
    assert "--steps 4 --size 1024x1024" in own["points"][1]["command"]
    # the same by a grid of one's own
    both = planned("text-to-image", *asked, "--axis", "height=64,128", "--set", "width==height")
    assert len(both["points"]) == 24


def test_a_file_may_vary_sizes(tmp_path: Path, prompts: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(
        '[axes]\nheight = [64, 128]\ndevice = ["cpu", "cuda"]\n[base]\nengine = "diffusers"\nmodel = "o/n"\n'
        f'task = "text-to-video"\nwidth = "=2 * height"\nframes = 9\nprompts = "{prompts}"\n'
        "[skip]\nslow = \"device == 'cpu' and height > 64\"\n"
    )
    points = planned(path)["points"]
    # all of one device stand together: a pipeline is loaded once for them
    assert [one["why"] for one in points] == ["", "slow", "", ""]
    assert points[0]["command"].startswith(
        "joulemark media o/n --kind text-to-video --size 128x64 --frames 9"
    )


CHANGES = [
    ("--set", "model=someone/other"),
    ("--set", "height=128"),
    ("--set", "power_limit_w=300"),
    ("--device", "cuda:1"),
    ("--dtype", "float16"),
    ("--pipeline-revision", "abc"),
    ("--batches", "7"),
    ("--seed", "3"),
    ("--repeat", "2"),
    ("--retries", "0"),
    ("--timeout", "30"),
    ("--meter", "none"),
    ("--board", "0"),
    ("--max-temperature", "70"),
]


@pytest.mark.parametrize("change", CHANGES, ids=[" ".join(change) for change in CHANGES])
def test_two_grids_that_differ_in_what_is_measured_share_no_point(
    asked: tuple[str, ...], change: tuple[str, str]
) -> None:
    before, after = names(*asked, *AXES), names(*asked, *AXES, *change)
    assert len(before) == len(after) == 4
    assert before.isdisjoint(after)


def test_other_prompts_are_other_points(asked: tuple[str, ...], prompts: Path) -> None:
    before = names(*asked, *AXES)
    assert before == names(*asked, *AXES, "--usd-per-kwh", "0.3", "--start-timeout", "5min")
    assert before < names(*asked, "--axis", "max_batch=1,2,3", "--axis", "denoising_steps=5,10")
    prompts.write_text("a cow\n")
    assert before.isdisjoint(names(*asked, *AXES))


def test_a_point_that_another_engine_cannot_be_is_skipped_with_the_reason(asked: tuple[str, ...]) -> None:
    plan = planned(*asked, "--axis", "engine=vllm,sglang,embedded,diffusers", "--axis", "denoising_steps=5")
    why = {one["values"]["engine"]: one["why"] for one in plan["points"]}
    assert why.pop("diffusers") == ""
    assert all("denoising_steps" in one and "answers in words" in one for one in why.values()), why


def test_a_load_that_no_pipeline_has_is_skipped_with_the_reason(asked: tuple[str, ...]) -> None:
    plan = planned(
        *asked, "--axis", "tensor_parallel=1,2", "--axis", "frames=9", "--set", "task=text-to-video"
    )
    assert [one["why"] for one in plan["points"]] == [
        "",
        "a pipeline has no tensor_parallel 2: it is loaded onto one device",
    ]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ((*AXES, "--axis", "concurrency=1,2"), "no concurrency: its batches are made one after the other"),
        ((*AXES, "--set", "rate=2"), "no rate"),
        ((*AXES, "--engine", "vllm"), "answers in words"),
        ((*AXES, "--engine", "http://127.0.0.1:1"), "somebody else"),
        ((*AXES, "--max-tokens", "9"), "takes no max_tokens"),
        ((*AXES, "--threads", "2"), "takes no threads"),
        ((*AXES, "--set", "frames=9"), "takes no --frames"),
        ((*AXES, "--set", "height=4"), "at least 8"),
        ((*AXES, "--set", "task=gsm8k"), "no pipeline makes gsm8k"),
        ((*AXES, "--batches", "0"), "0 is not in the range"),
        ((*AXES, "--batch", "1,2"), "--axis max_batch"),
        ((*AXES, "--steps", "1,2"), "--axis denoising_steps"),
        ((*AXES, "--size", "64x64"), "height and width"),
        ((*AXES, "--frames", "9"), "--set frames"),
        ((*AXES, "--kind", "text-to-image"), "it is the task"),
        ((*AXES, "--save", "made"), "keeps nothing"),
        ((*AXES, "--server-command", "python3"), "no command line"),
        (("--axis", "denoising_step=1"), "did you mean denoising_steps"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_started(
    asked: tuple[str, ...], arguments: tuple[str, ...], why: str
) -> None:
    with pytest.raises(InputError) as raised:
        planned(*asked, *arguments)
    assert why in str(raised.value)


def test_an_option_of_media_is_none_of_an_engine_that_answers_in_words() -> None:
    load = ("--axis", "concurrency=1,2", "--synthetic", "16:8", "--requests", "9")
    with pytest.raises(InputError, match="options of pipelines"):
        planned(*load, "--batches", "8")
    with pytest.raises(InputError, match="has to be named"):
        planned("text-to-image", "--axis", "denoising_steps=1,2")


def counted(root: Path, values: dict[str, int]) -> set[tuple[str, int]]:
    """Return the batches that are stored of the point of these values."""
    name = next(one.name for one in recorded(root).points if one.values == values)
    rows, _ = read_items(RunLayout(root / "points" / str(name)).items_journal)
    return {row.item.key for row in rows if row.item.phase == Phase.MEASURE}


@pytest.mark.slow
def test_one_pipeline_makes_all_batches_and_each_point_has_its_own_figures(
    tmp_path: Path, prompts: Path, pipeline: Path, libraries: dict[str, str]
) -> None:
    out = tmp_path / "sweep"
    line = (
        *("text-to-image", "--engine", "diffusers", "--set", f"model={pipeline}", "--device", "cpu"),
        *("--axis", "max_batch=1,2,4", "--axis", "denoising_steps=20,50", *SMALL, "--prompts", prompts),
        *("--batches", "6", "--meter", "nvml", "--board", "0", "--retries", "0", "--out", out),
    )
    done = sweep(*line, "--json", env=libraries)
    assert done.code == code_of(out), done.err
    assert done.err.count("Loading") == 1, "one pipeline serves all batches and steps"
    assert states(out) == ["done"] * 4 + ["failed"] * 2
    assert "out of memory" in recorded(out).points[-1].why
    points = {tuple(one["values"].values()): one for one in done.json["points"]}
    joules: dict[tuple[int, int], float] = {}
    known: list[str] = []
    for (batch, steps), one in points.items():
        if batch == 4:
            assert one["point"] is None
            continue
        point = one["point"]
        assert (point["unit"], point["settings"]["max_batch"]) == ("image", batch)
        assert point["settings"]["denoising_steps"] == steps
        assert point["settings"]["height"] == 64
        view, summary = summary_of(Path(one["run_dir"]))
        figures = {name: summary.figures[name].value for name in ("joules_per_image", "batch_latency_s")}
        wait_s = figures["batch_latency_s"] or 0.0
        assert wait_s >= steps * (0.004 + 0.002 * batch)
        assert figures["joules_per_image"] == pytest.approx(POWER_W * wait_s / batch, rel=0.15)
        assert point["energy_j"] == figures["joules_per_image"]
        # a busy machine may make a client too slow to be believed; then the point says so
        if one["state"] == "invalid":
            assert point["reasons"]["latencies_s.e2el_mean"]["code"] == "client_invalid"
        else:
            known.append(one["name"])
            assert point["latencies_s"]["e2el_mean"] == wait_s
        joules[batch, steps] = figures["joules_per_image"] or 0.0
        assert view.manifest.engine.flags["max_batch"] == batch
        run = read_run(Path(one["run_dir"]))
        assert run.manifest.state == "complete"
        assert [row.item.media_units for row in run.rows if row.item.phase == Phase.MEASURE] == [batch] * 6
    assert joules[2, 20] < joules[1, 20] < joules[1, 50]
    frontier = done.json["frontier"]
    assert frontier["n_ranked"] + len(frontier["left_out"]) == 4
    assert bool(frontier["n_ranked"]) == bool(known)
    page = (out / "sweep.html").read_text()
    assert "joulemark media" in page
    assert "out of memory" in page
    assert (out / "frontier.html").exists()

    with_clients_that_kept_up(out)
    again = sweep(*line, env=libraries)
    assert again.code == 0, again.err
    assert "4 measured, 2 failed" in again.out
    assert "J per image" in again.out
    assert "4 of 6" not in again.err, "what is done is not measured again"
    assert again.err.count("Loading") == 1, "what failed is tried once more"


@pytest.mark.slow
def test_a_sweep_that_is_killed_goes_on_with_the_batches_that_it_has(
    tmp_path: Path, prompts: Path, pipeline: Path, libraries: dict[str, str]
) -> None:
    out = tmp_path / "sweep"
    line = (
        *("text-to-image", "--set", f"model={pipeline}", "--device", "cpu", *SMALL, "--prompts", prompts),
        *("--axis", "denoising_steps=20,40", "--batches", "20", "--meter", "none", "--out", out),
    )
    process = start_sweep(*line, env=libraries)
    end = time.monotonic() + 90
    while not (out / "sweep.json").exists() or len(counted(out, {"denoising_steps": 40})) < 3:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < end
        time.sleep(0.02)
    process.kill()
    process.communicate(timeout=30)
    first, second = (counted(out, {"denoising_steps": steps}) for steps in (20, 40))
    assert len(first) == 20
    assert 3 <= len(second) < 20

    done = sweep(*line, "--json", env=libraries)
    assert done.code == code_of(out), done.err
    assert states(out) == ["done", "done"]
    assert counted(out, {"denoising_steps": 20}) == first
    assert second < counted(out, {"denoising_steps": 40}), "a stored batch was lost"
    journal = SweepJournal(out)
    run = read_run(journal.run_dir(recorded(out).points[1]))
    assert [segment.end for segment in run.manifest.segments] == ["killed", "done"]
    assert len(counted(out, {"denoising_steps": 40})) == 20
    assert run.manifest.engine.flags["denoising_steps"] == 40


@pytest.mark.slow
def test_a_pipeline_that_dies_is_loaded_anew_for_the_next_point(
    tmp_path: Path, prompts: Path, pipeline: Path, libraries: dict[str, str]
) -> None:
    out = tmp_path / "sweep"
    prompts.write_text("they fall\n")
    done = sweep(
        *("text-to-image", "--set", f"model={pipeline}", "--device", "cpu", *SMALL, "--prompts", prompts),
        *("--axis", "denoising_steps=1,2", "--batches", "3", "--meter", "none", "--retries", "0"),
        *("--out", out),
        env=libraries,
    )
    assert done.code == 1, done.err
    assert states(out) == ["failed", "failed"]
    assert done.err.count("Loading") == 2


@pytest.mark.diffusion
@pytest.mark.filterwarnings("default")
def test_a_real_pipeline_is_swept(tmp_path: Path, prompts: Path) -> None:
    pytest.importorskip("torch", reason="needs the extra `diffusion`")
    pytest.importorskip("diffusers", reason="needs the extra `diffusion`")
    from doubles import tiny_pipelines

    folder, out = tiny_pipelines.text_to_image(tmp_path / "pipeline"), tmp_path / "sweep"
    done = sweep(
        *("text-to-image", "--set", f"model={folder}", "--device", "cpu", "--prompts", prompts),
        *("--set", "height=32", "--axis", "max_batch=1,2", "--axis", "denoising_steps=2,4"),
        *("--batches", "6", "--meter", "none", "--json", "--out", out),
    )
    assert done.code == code_of(out), done.err
    assert states(out) == ["done"] * 4
    seen = [one["point"]["settings"] for one in done.json["points"]]
    assert [(one["max_batch"], one["denoising_steps"], one["width"]) for one in seen] == [
        (1, 2, 32), (1, 4, 32), (2, 2, 32), (2, 4, 32),
    ]  # fmt: skip
    for one in done.json["points"]:
        _, summary = summary_of(Path(one["run_dir"]))
        assert (summary.n_requests, summary.verdicts.get("failed", 0)) == (6, 0)
        assert (summary.figures["batch_latency_s"].value or 0.0) > 0
    run = read_run(Path(done.json["points"][3]["run_dir"]))
    assert str(run.manifest.engine.model_digest).startswith("sha256:")
    assert run.manifest.engine.flags["denoising_steps"] == 4
