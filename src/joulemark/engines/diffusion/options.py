"""What is made by which pipeline, and how: what the user may choose."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Literal

from joulemark.record.errors import InputError

MediaKind = Literal["text-to-image", "text-to-video", "image-to-video"]
Medium = Literal["image", "video"]

KINDS: dict[MediaKind, Medium] = {
    "text-to-image": "image",
    "text-to-video": "video",
    "image-to-video": "video",
}
"""What each kind of pipeline makes."""
DTYPES = ("auto", "bfloat16", "float16", "float32")
_LEAST = MappingProxyType({"batch": 1, "steps": 1, "height": 8, "width": 8, "frames": 1})


@dataclass(frozen=True, slots=True)
class DiffusionOptions:
    """A pipeline and its settings.

    ``pipeline`` is a folder, or a repository of the Hugging Face hub at ``revision``. A request makes
    ``batch`` pictures or videos of ``height`` × ``width`` pixels (and ``frames``) in ``steps`` steps.
    ``device`` null: the first accelerator, else the processor; ``dtype`` ``auto``: bfloat16 on an
    accelerator, float32 on the processor. ``save_to`` gets what was made once the engine is stopped, null:
    it is dropped at once; at most ``keep_bytes`` (as plain pixels) of it are kept until then. ``loader``
    names another maker of pipelines, ``module:function``, such as one over several boards.
    """

    pipeline: str
    kind: MediaKind
    batch: int = 1
    steps: int = 30
    height: int = 1024
    width: int = 1024
    frames: int | None = None
    revision: str | None = None
    device: str | None = None
    dtype: str = "auto"
    save_to: Path | None = None
    keep_bytes: int = 4 << 30
    loader: str = "joulemark.engines.diffusion.loading:load"
    start_deadline_s: float = 3600.0

    def __post_init__(self) -> None:
        for name, least in _LEAST.items():
            value = getattr(self, name)
            if value is not None and value < least:
                raise InputError(f"{name} is {value}", why=f"it must be at least {least}")
        if self.dtype not in DTYPES:
            raise InputError(f"there is no dtype {self.dtype!r}", why=f"there are {', '.join(DTYPES)}")
        if (self.medium == "video") != (self.frames is not None):
            wrong = "needs" if self.frames is None else "takes no"
            raise InputError(
                f"{self.kind} {wrong} --frames",
                fix="joulemark media PIPELINE --kind text-to-video --frames 49",
            )

    @property
    def medium(self) -> Medium:
        """What is made."""
        return KINDS[self.kind]

    @property
    def folder(self) -> Path | None:
        """The pipeline's folder on this machine, null where it is a repository of the hub."""
        path = Path(self.pipeline)
        return path if path.is_dir() else None
