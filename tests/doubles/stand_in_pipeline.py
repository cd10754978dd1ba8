"""A pipeline with the call of those of ``diffusers``, without their libraries: it sleeps in place of work."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from joulemark.engines.diffusion.settings import Settings
from joulemark.engines.diffusion.studio import LoadedPipeline

STEP_S = 0.02


@dataclass
class Frame:
    """A picture of a size; what is saved is when it was saved."""

    width: int
    height: int

    def save(self, path: Path, *, save_all: bool = False, append_images: Any = ()) -> None:
        frames = 1 + len(append_images)
        path.write_text(f"{time.monotonic_ns()} {frames} {save_all}")


@dataclass
class ImagePipeline:
    """Makes a picture for each prompt, ``lose`` fewer; a prompt "fail" makes it fail. ``calls`` are noted."""

    calls: list[dict[str, Any]] = field(default_factory=list)
    lose: int = 0

    def __call__(
        self,
        prompt: Any = None,
        height: int | None = None,
        width: int | None = None,
        num_inference_steps: int = 50,
        generator: Any = None,
        output_type: str = "pil",
    ) -> Any:
        self.calls.append({"prompt": prompt, "steps": num_inference_steps, "generator": generator})
        if "fail" in prompt:
            raise MemoryError("out of memory")
        time.sleep(STEP_S * num_inference_steps)
        return SimpleNamespace(images=[Frame(width or 8, height or 8) for _ in prompt[self.lose :]])


class VideoPipeline:
    """Makes a video of ``num_frames`` for each prompt."""

    def __call__(
        self,
        prompt: Any = None,
        height: int = 8,
        width: int = 8,
        num_frames: int = 16,
        num_inference_steps: int = 50,
        generator: Any = None,
        output_type: str = "pil",
    ) -> Any:
        return SimpleNamespace(frames=[[Frame(width, height)] * num_frames for _ in prompt])


def loaded(pipeline: Any = None) -> LoadedPipeline:
    return LoadedPipeline(
        pipeline or ImagePipeline(), "stand-in 1", "float32", {"pipeline": "ImagePipeline"}, "sha256:of-it"
    )


def load(settings: Settings) -> LoadedPipeline:
    """Load as the child process is told; the pipeline ``broken`` cannot be."""
    if settings.pipeline == "broken":
        raise OSError("there is no such pipeline")
    return loaded(VideoPipeline() if settings.kind == "text-to-video" else ImagePipeline())
