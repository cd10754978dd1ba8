"""Pipelines of ``diffusers`` with settings in the names of a sweep."""

from __future__ import annotations

from joulemark.engines.diffusion.options import DiffusionOptions
from joulemark.engines.diffusion.style import MediaStyle
from joulemark.engines.engine import Engine
from joulemark.engines.launch.described import DescribedEngine
from joulemark.engines.launch.settings import OF_MEDIA, CannotLaunch, LaunchSettings

DIFFUSERS = "diffusers"
OF_A_BATCH = ("max_batch", *OF_MEDIA)
"""Settings that a pipeline is told with each batch: one that is loaded serves all values of them."""
_ONE = ("tensor_parallel", "pipeline_parallel")
_WHY = {
    "max_batched_tokens": "it makes pictures, not tokens",
    "prefill_instances": "it has neither prefill nor decode",
    "preemption": "a batch is made to its end",
    "quantization": "it runs weights as they are: name other ones with model, a number format with dtype",
    "prefix_cache": "a prompt is encoded anew for each batch",
    "n_ctx": "its prompts are cut as its own encoder cuts them",
}


def require_pipeline(settings: LaunchSettings) -> None:
    """Raise `CannotLaunch` for settings that a pipeline has no place for, and where it is not named."""
    if settings.model is None:
        raise CannotLaunch(
            "a pipeline has to be named", why="there is no usual one", fix="--set model=FOLDER|OWNER/NAME"
        )
    for name, why in _WHY.items():
        if getattr(settings, name) is not None:
            raise CannotLaunch(f"a pipeline takes no {name}", why=why)
    for name in _ONE:
        value = getattr(settings, name)
        if value not in (None, 1):
            raise CannotLaunch(f"a pipeline has no {name} {value}", why="it is loaded onto one device")
    if settings.flags:
        raise CannotLaunch(f"a pipeline takes no flags ({', '.join(settings.flags)})")
    if settings.devices:
        raise CannotLaunch(
            "gpu does not place a pipeline", why="its own name of a device does: --device cuda:1"
        )
    if (settings.height is None) != (settings.width is None):
        raise CannotLaunch("height and width go together", why="a size is both", fix="--set width==height")


class AskedPipeline(DescribedEngine):
    """A loaded pipeline that is asked for batches as ``made`` says, whatever it was first started for.

    It records them so. ``made`` may differ from the engine's own options in `OF_A_BATCH` alone.
    """

    def __init__(self, engine: Engine, made: DiffusionOptions) -> None:
        flags = {
            "max_batch": made.batch,
            "denoising_steps": made.steps,
            "height": made.height,
            "width": made.width,
        }
        super().__init__(engine, flags if made.frames is None else {**flags, "frames": made.frames})
        self._style = MediaStyle(made.steps, made.height, made.width, made.frames)

    @property
    def request_body(self) -> MediaStyle:
        """How a batch is asked for."""
        return self._style
