"""What an engine is started with, in our own names, whichever engine it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields

from joulemark.engines.kinds.identity import Flag
from joulemark.record.axis import AXES
from joulemark.record.errors import InputError

PREEMPTIONS = ("recompute", "swap")
OF_MEDIA = ("denoising_steps", "height", "width", "frames")
"""Settings of what a pipeline makes, which an engine that answers in words does not have."""
_COUNTS = tuple(axis.name for axis in AXES if axis.launched and axis.type is int)


class CannotLaunch(InputError):
    """An engine cannot be started with these settings; another point of a sweep may do."""


@dataclass(frozen=True, slots=True)
class LaunchSettings:
    """The settings of an engine; null leaves a choice to it.

    ``max_batch``: requests worked on at once (of a pipeline: what a batch makes); ``max_batched_tokens``:
    tokens of one step; ``n_ctx``: context of one request in tokens; ``prefix_cache``: whether prompts share
    what they have in common; ``preemption``: what happens to a request for which there is no memory left,
    ``recompute`` or ``swap``. ``prefill_instances`` and ``decode_instances`` go together and split the two
    phases between servers, each of ``tensor_parallel × pipeline_parallel`` devices. ``denoising_steps``,
    ``height`` and ``width`` in pixels and ``frames`` are of the pictures or videos that a pipeline makes.
    ``model`` is a name or a path. ``flags`` are the engine's own, without the dashes: a value, true for a
    flag without one, false to leave it out. ``devices`` are what ``CUDA_VISIBLE_DEVICES`` takes, empty: as
    the environment has it.

    Raises `InputError` for values that no engine could have.
    """

    model: str | None = None
    max_batch: int | None = None
    max_batched_tokens: int | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    prefill_instances: int | None = None
    decode_instances: int | None = None
    preemption: str | None = None
    quantization: str | None = None
    prefix_cache: bool | None = None
    n_ctx: int | None = None
    denoising_steps: int | None = None
    height: int | None = None
    width: int | None = None
    frames: int | None = None
    flags: Mapping[str, Flag] = field(default_factory=dict)
    devices: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for name in _COUNTS:
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} is {value}", why="it must be at least 1")
        if self.preemption is not None and self.preemption not in PREEMPTIONS:
            raise InputError(f"preemption is {self.preemption!r}", why=f"it is {' or '.join(PREEMPTIONS)}")
        if (self.prefill_instances is None) != (self.decode_instances is None):
            raise InputError(
                "prefill_instances and decode_instances go together",
                fix="give both, or neither",
            )

    @property
    def is_split(self) -> bool:
        """Whether prefill and decode have servers of their own."""
        return self.prefill_instances is not None

    @property
    def devices_each(self) -> int:
        """How many devices one server takes."""
        return (self.tensor_parallel or 1) * (self.pipeline_parallel or 1)

    @property
    def asked(self) -> dict[str, Flag]:
        """The settings that were chosen, by name; neither model, devices nor the engine's own flags."""
        named = (f.name for f in fields(self) if f.name not in ("model", "flags", "devices"))
        return {name: value for name in named if (value := getattr(self, name)) is not None}


def flag_arguments(flags: Mapping[str, Flag], taken: Mapping[str, str]) -> list[str]:
    """Return an engine's own flags as arguments, in the order given.

    ``taken`` maps flags that a setting of ours stands for to its name; those are refused, for the record
    would not know them. Raises `InputError`.
    """
    arguments: list[str] = []
    for name, value in flags.items():
        bare = name.lstrip("-")
        ours = taken.get(bare.replace("_", "-"))
        if ours is not None:
            raise InputError(
                f"the flag --{bare} is set by {ours}", fix=f"give {ours} in place of flags.{bare}"
            )
        if value is None or value is False:
            continue
        arguments.append(f"--{bare}")
        if value is not True:
            arguments.append(str(value))
    return arguments
