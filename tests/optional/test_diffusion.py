"""Real pipelines of ``diffusers``, tiny and of random weights, on the processor.

Left out of ordinary runs, for torch is large: ``pip install -e '.[dev,diffusion]'``, ``pytest -m diffusion``.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from doubles import tiny_pipelines
from doubles.user import joulemark

pytestmark = [pytest.mark.diffusion, pytest.mark.filterwarnings("default")]
pytest.importorskip("torch", reason="needs the extra `diffusion`")
pytest.importorskip("diffusers", reason="needs the extra `diffusion`")


def measured(folder: Path, *more: str) -> Any:
    done = joulemark(
        "media", folder, "--size", "32x32", "--steps", "2", "--batches", "2", "--batch", "2",
        "--device", "cpu", "--meter", "none", "--json", "--out", folder.with_name("run"),
        "--save", folder.with_name("made"), *more,
        timeout_s=280,
    )  # fmt: skip
    assert done.code == 0, done.err
    return done.json


def rows(folder: Path, with_pictures: bool) -> Path:
    from PIL import Image

    path = folder / "rows.jsonl"
    lines = []
    for place in range(3):
        Image.new("RGB", (40, 30), (place * 80, 10, 10)).save(folder / f"{place}.png")
        image = {"image": f"{place}.png"} if with_pictures else {}
        lines.append(json.dumps({"prompt": f"a cat {place}", **image}))
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("kind", "make", "frames"),
    [
        ("text-to-image", tiny_pipelines.text_to_image, 1),
        ("text-to-video", tiny_pipelines.text_to_video, 3),
        ("image-to-video", tiny_pipelines.image_to_video, 3),
    ],
)
def test_a_pipeline_is_measured(tmp_path: Path, kind: str, make: Callable[[Path], Path], frames: int) -> None:
    from PIL import Image

    folder = make(tmp_path / "pipeline")
    data = rows(tmp_path, with_pictures=kind == "image-to-video")
    told = measured(
        folder, "--kind", kind, "--data", str(data), *(() if frames == 1 else ("--frames", str(frames)))
    )
    assert told["n_requests"] == 2
    assert told["verdicts"]["failed"] == 0
    assert told["batch_latency_s"] > 0
    assert told["media_per_second"] > 0
    assert told["streaming_used"] is False
    manifest = json.loads((tmp_path / "run" / "manifest.json").read_text())
    assert manifest["engine"]["model_digest"].startswith("sha256:")
    assert manifest["engine"]["quantization"] == "float32"
    assert manifest["engine"]["flags"]["denoising_steps"] == 2
    saved = sorted((tmp_path / "made").iterdir())
    assert len(saved) == 6  # the warm-up batch and two more, two in each
    with Image.open(saved[0]) as first:
        assert first.size == (32, 32)
        assert getattr(first, "n_frames", 1) == frames


def test_the_same_seed_makes_the_same_picture(tmp_path: Path) -> None:
    folder = tiny_pipelines.text_to_image(tmp_path / "pipeline")
    (tmp_path / "p.txt").write_text("a cat\n")
    measured(folder, "--kind", "text-to-image", "--prompts", str(tmp_path / "p.txt"), "--seed", "4")
    one, two, three = (
        (tmp_path / "made" / name).read_bytes()
        for name in ("00000-000.png", "00001-000.png", "00001-001.png")
    )
    assert one == two, "a batch of the same seed and prompt"
    assert one != three, "another member of a batch has noise of its own"
