"""A loaded pipeline at work: one batch at a time, finished on the device before it is answered."""

from __future__ import annotations

import inspect
import io
import secrets
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from joulemark.engines.diffusion.options import KINDS, MediaKind
from joulemark.engines.diffusion.request import BadRequest, MediaRequest
from joulemark.engines.diffusion.shelf import Medium, Shelf


def _nothing() -> None:
    """Wait for nothing: a processor's work is done when the call returns."""


@dataclass(frozen=True, slots=True)
class LoadedPipeline:
    """A pipeline ready to be called, and what is known of it.

    ``pipeline`` is called as those of ``diffusers`` are. ``synchronise`` waits until its device has nothing
    left to do. ``generator`` makes a source of noise of a seed. ``flags`` go into the manifest. ``digest``
    names the exact weights, null where nothing does.
    """

    pipeline: Callable[..., Any]
    version: str
    dtype: str
    flags: dict[str, str]
    digest: str | None = None
    generator: Callable[[int], Any] = field(default=lambda seed: seed)
    synchronise: Callable[[], None] = _nothing


class Unsuited(Exception):
    """The pipeline cannot make what is wanted; the text says why."""


def require_suited(pipeline: Callable[..., Any], kind: MediaKind) -> None:
    """Raise `Unsuited` unless a pipeline takes what its kind is told by: a prompt, an image, frames."""
    taken = inspect.signature(pipeline).parameters
    needed = {"text-to-image": ("prompt",), "text-to-video": ("prompt",), "image-to-video": ("image",)}[kind]
    video = KINDS[kind] == "video"
    missing = [name for name in (*needed, *(("num_frames",) if video else ())) if name not in taken]
    if missing:
        raise Unsuited(f"{type(pipeline).__name__} takes no {', '.join(missing)}, so it is not {kind}")
    if not video and "num_frames" in taken:
        raise Unsuited(f"{type(pipeline).__name__} makes videos, so it is not {kind}")


class Studio:
    """Makes batches with a pipeline. Safe to call from several threads: one batch is made at a time.

    ``shelf`` null: what was made is dropped at once.
    """

    def __init__(self, loaded: LoadedPipeline, kind: MediaKind, shelf: Shelf | None = None) -> None:
        require_suited(loaded.pipeline, kind)
        self._loaded, self._kind, self._shelf = loaded, kind, shelf
        self._taken = inspect.signature(loaded.pipeline).parameters
        self._lock = threading.Lock()
        self._batches = 0

    @property
    def shelf(self) -> Shelf | None:
        """Where media wait to be written."""
        return self._shelf

    def make(self, request: MediaRequest) -> int:
        """Make a batch and return how many media it has; the device is idle again by then.

        Raises `BadRequest` for what the pipeline does not take, and whatever the pipeline raises.
        """
        arguments = self._arguments(request)
        with self._lock:
            made = self._loaded.pipeline(**arguments)
            self._loaded.synchronise()
            media = _media(made, video=KINDS[self._kind] == "video")
            batch, self._batches = self._batches, self._batches + 1
            if len(media) != len(request.prompts):
                raise RuntimeError(f"the pipeline made {len(media)} of {len(request.prompts)}")
            if self._shelf is not None:
                self._shelf.put(batch, media)
        return len(media)

    def _arguments(self, request: MediaRequest) -> dict[str, Any]:
        """Return what the pipeline is called with: lists as long as the batch, one seed a member."""
        n = len(request.prompts)
        seed = secrets.randbits(62) if request.seed is None else request.seed
        arguments: dict[str, Any] = {
            "num_inference_steps": request.steps,
            "generator": [self._loaded.generator(seed + place) for place in range(n)],
            "output_type": "pil",
            "height": request.height,
            "width": request.width,
            "num_frames": request.num_frames,
        }
        if "prompt" in self._taken:  # Stable Video Diffusion is told by its image alone
            arguments["prompt"] = list(request.prompts)
        if self._kind == "image-to-video":
            if not request.images:
                raise BadRequest("there is no image to begin from")
            images = [_opened(image) for image in request.images]
            arguments["image"] = images if n > 1 else images[0]
        elif request.images:
            raise BadRequest(f"{self._kind} takes no image")
        arguments = {name: value for name, value in arguments.items() if value is not None}
        if refused := sorted(arguments.keys() - self._taken.keys()):
            raise BadRequest(f"{type(self._loaded.pipeline).__name__} takes no {', '.join(refused)}")
        return arguments


def _opened(data: bytes) -> Any:
    from PIL import Image, UnidentifiedImageError

    try:
        return Image.open(io.BytesIO(data)).convert("RGB")
    except (UnidentifiedImageError, OSError) as error:
        raise BadRequest(f"an image cannot be read ({error})") from error


def _media(made: Any, *, video: bool) -> list[Medium]:
    """Return what a pipeline made, a picture as a video of one frame."""
    if not video:
        return [(image,) for image in made.images]
    frames: Sequence[Any] = made.frames
    return [list(one) for one in frames]
