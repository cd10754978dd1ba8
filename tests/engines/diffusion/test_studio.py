"""A pipeline at work, and the shelf that keeps what it made."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles.stand_in_pipeline import Frame, ImagePipeline, VideoPipeline, loaded
from joulemark.engines.diffusion.request import BadRequest, MediaRequest
from joulemark.engines.diffusion.shelf import Flushed, Shelf
from joulemark.engines.diffusion.studio import LoadedPipeline, Studio, Unsuited


def test_the_device_is_idle_before_a_batch_counts_as_made() -> None:
    order: list[str] = []

    class Noting(ImagePipeline):
        def __call__(self, prompt=None, num_inference_steps=1, generator=None, output_type="pil"):
            order.append("called")
            return super().__call__(prompt, None, None, num_inference_steps, generator)

    waiting = LoadedPipeline(Noting(), "1", "float32", {}, synchronise=lambda: order.append("idle"))
    assert Studio(waiting, "text-to-image").make(MediaRequest(("a", "b"), 1, seed=5)) == 2
    assert order == ["called", "idle"]


def test_each_member_of_a_batch_has_its_own_noise() -> None:
    pipeline = ImagePipeline()
    studio = Studio(loaded(pipeline), "text-to-image")
    studio.make(MediaRequest(("a", "b"), 1, seed=5))
    studio.make(MediaRequest(("a",), 3))
    assert pipeline.calls[0] == {"prompt": ["a", "b"], "steps": 1, "generator": [5, 6]}
    assert pipeline.calls[1]["steps"] == 3
    assert pipeline.calls[1]["generator"] != [0]  # drawn, and no two batches alike


def test_a_pipeline_that_makes_too_few_has_failed() -> None:
    with pytest.raises(RuntimeError, match="made 1 of 2"):
        Studio(loaded(ImagePipeline(lose=1)), "text-to-image").make(MediaRequest(("a", "b"), 1))


def test_a_pipeline_must_suit_the_kind() -> None:
    with pytest.raises(Unsuited, match="makes videos"):
        Studio(loaded(VideoPipeline()), "text-to-image")
    with pytest.raises(Unsuited, match="takes no num_frames"):
        Studio(loaded(ImagePipeline()), "text-to-video")
    with pytest.raises(Unsuited, match="takes no image"):
        Studio(loaded(VideoPipeline()), "image-to-video")


def test_what_the_pipeline_would_ignore_is_refused() -> None:
    studio = Studio(loaded(ImagePipeline()), "text-to-image")
    with pytest.raises(BadRequest, match="takes no num_frames"):
        studio.make(MediaRequest(("a",), 1, num_frames=4))
    with pytest.raises(BadRequest, match="takes no image"):
        studio.make(MediaRequest(("a",), 1, images=(b"x",)))


def test_the_shelf_keeps_what_it_has_room_for(tmp_path: Path) -> None:
    shelf = Shelf(max_bytes=3 * 3 * 8 * 8)
    shelf.put(0, [(Frame(8, 8),)])
    shelf.put(1, [(Frame(8, 8), Frame(8, 8)), (Frame(8, 8),)])
    assert shelf.flush(tmp_path / "out") == Flushed(saved=2, dropped=1)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["00000-000.png", "00001-000.png"]
    assert (tmp_path / "out" / "00001-000.png").read_text().endswith("2 True")
    assert shelf.flush(tmp_path / "out") == Flushed(0, 0)


def test_without_a_shelf_nothing_is_kept() -> None:
    studio = Studio(loaded(VideoPipeline()), "text-to-video")
    assert studio.make(MediaRequest(("a", "b", "c"), 1, num_frames=2)) == 3
    assert studio.shelf is None
