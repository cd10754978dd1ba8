"""The axes along which configurations of an engine differ: one table of names, for all who name them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

AxisValue = str | int | float | bool


@dataclass(frozen=True, slots=True)
class Axis:
    """A setting by our name, and the type of its values (whole numbers count, from 1 on).

    ``short`` is its word in a label, null: its name. A label does not tell a value of ``usual``, and a
    ``quiet`` one only where configurations would look alike without it. ``engines`` are its names among the
    flags that engines report, ``published`` those in the files of others. ``launched``: an engine is started
    with it.
    """

    name: str
    type: type[str] | type[int] | type[float] | type[bool]
    short: str | None = None
    usual: tuple[AxisValue, ...] = ()
    engines: tuple[str, ...] = ()
    published: tuple[str, ...] = ()
    quiet: bool = False
    launched: bool = False

    def of(self, flags: Mapping[str, AxisValue | None]) -> AxisValue | None:
        """Return the value among an engine's flags, null where none has it; our own name comes first."""
        return next((v for name in (self.name, *self.engines) if self.takes(v := flags.get(name))), None)

    def takes(self, value: AxisValue | None) -> bool:
        """Tell whether it is a value of this axis."""
        if self.type is bool or self.type is str:
            return isinstance(value, self.type)
        if isinstance(value, bool) or not isinstance(value, int if self.type is int else int | float):
            return False
        return value > 0


AXES = (
    Axis(
        "max_batch",
        int,
        "batch",
        engines=("max_num_seqs", "max_running_requests", "n_parallel", "parallel"),
        published=("max_num_seqs", "batch_size"),
        launched=True,
    ),
    Axis(
        "max_batched_tokens",
        int,
        "batched tokens",
        engines=("max_num_batched_tokens",),
        published=("max_num_batched_tokens",),
        launched=True,
    ),
    Axis(
        "tensor_parallel",
        int,
        "TP",
        usual=(1,),
        engines=("tensor_parallel_size", "tp_size"),
        published=("tensor_parallel",),
        launched=True,
    ),
    Axis(
        "pipeline_parallel",
        int,
        "PP",
        usual=(1,),
        engines=("pipeline_parallel_size", "pp_size"),
        launched=True,
    ),
    Axis("expert_parallel", int, "EP", usual=(1,), engines=("ep_size",), published=("expert_parallel",)),
    Axis(
        "data_parallel",
        int,
        "DP",
        usual=(1,),
        engines=("data_parallel_size", "dp_size"),
        published=("data_parallel",),
    ),
    Axis("ulysses_degree", int, usual=(1,), published=("ulysses_degree",)),
    Axis("ring_degree", int, usual=(1,), published=("ring_degree",)),
    Axis("prefill_instances", int, "prefill", launched=True),
    Axis("decode_instances", int, "decode", launched=True),
    Axis("preemption", str, launched=True),
    Axis("power_limit_w", float, "power limit W"),
    Axis("denoising_steps", int, "steps", published=("inference_steps",), launched=True),
    Axis("height", int, published=("image_height", "video_height", "height"), launched=True),
    Axis("width", int, published=("image_width", "video_width", "width"), launched=True),
    Axis("frames", int, published=("num_frames",), launched=True),
    Axis("fps", int, published=("fps",)),
    Axis("prefix_cache", bool, quiet=True, launched=True),
    Axis("n_ctx", int, engines=("context_length", "max_model_len"), quiet=True, launched=True),
    Axis("quantization", str, launched=True),
)
"""In the order in which a label tells them."""

AXIS: Mapping[str, Axis] = MappingProxyType({axis.name: axis for axis in AXES})
"""Each by our name."""

PUBLISHED_NAMES: Mapping[str, str] = MappingProxyType(
    {theirs: axis.name for axis in AXES for theirs in axis.published}
)
"""Our name by the names in the files of others."""
