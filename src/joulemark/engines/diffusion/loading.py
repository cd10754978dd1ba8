"""Loading a pipeline of ``diffusers``: only the child process imports the heavy libraries."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from joulemark.engines.diffusion.settings import Settings
from joulemark.engines.diffusion.studio import LoadedPipeline

_COMMIT = re.compile(r"[0-9a-f]{40}")


def load(settings: Settings) -> LoadedPipeline:
    """Load a pipeline onto its device; from the hub where it is no folder.

    Raises whatever the libraries do: the parent shows the end of this process's log.
    """
    import diffusers
    import torch

    device = settings.device or _device(torch)
    accelerated = not device.startswith("cpu")
    dtype = settings.dtype if settings.dtype != "auto" else "bfloat16" if accelerated else "float32"
    folder = settings.pipeline
    if not os.path.isdir(folder):
        folder = diffusers.DiffusionPipeline.download(folder, revision=settings.revision)
    pipeline = diffusers.DiffusionPipeline.from_pretrained(folder, torch_dtype=getattr(torch, dtype))
    pipeline.to(device)
    pipeline.set_progress_bar_config(disable=True)
    name = Path(folder).name
    scheduler = getattr(pipeline, "scheduler", None)
    # Noise is drawn on the processor, so that a seed means the same on every device.
    return LoadedPipeline(
        pipeline=pipeline,
        version=f"diffusers {diffusers.__version__}, torch {torch.__version__}",
        dtype=dtype,
        flags={
            "pipeline": type(pipeline).__name__,
            "scheduler": type(scheduler).__name__,
            "device": device.partition(":")[0],
        },
        digest=f"git:{name}" if _COMMIT.fullmatch(name) and folder != settings.pipeline else None,
        generator=lambda seed: torch.Generator("cpu").manual_seed(seed),
        synchronise=_synchronise(torch, device),
    )


def _device(torch: Any) -> str:
    if torch.cuda.is_available():
        return "cuda"
    if hasattr(torch, "xpu") and torch.xpu.is_available():
        return "xpu"
    return "mps" if torch.backends.mps.is_available() else "cpu"


def _synchronise(torch: Any, device: str) -> Callable[[], None]:
    kind = device.partition(":")[0]
    if kind == "cpu":
        return lambda: None
    wait: Callable[..., None] = getattr(torch, kind).synchronize
    return wait if kind == "mps" else lambda: wait(device)
