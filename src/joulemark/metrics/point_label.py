"""How an operating point is called in short: its devices, and the settings that tell it from others."""

from __future__ import annotations

import re
from collections.abc import Mapping

from joulemark.metrics.setup import Setting

# settings whose value is the usual one are not worth a word
_UNTOLD: Mapping[str, tuple[Setting, ...]] = {
    "tensor_parallel": (1,),
    "pipeline_parallel": (1,),
    "expert_parallel": (1,),
    "data_parallel": (1,),
    "ulysses_degree": (1,),
    "ring_degree": (1,),
}
_SHORT = {
    "max_batch": "batch",
    "max_batched_tokens": "batched tokens",
    "tensor_parallel": "TP",
    "pipeline_parallel": "PP",
    "expert_parallel": "EP",
    "data_parallel": "DP",
    "denoising_steps": "steps",
    "power_limit_w": "power limit W",
    "prefill_instances": "prefill",
    "decode_instances": "decode",
}
_BOARD = re.compile(r"NVIDIA\s+|AMD\s+Instinct\s+", re.IGNORECASE)


def point_label(device: str | None, n_devices: int | None, settings: Mapping[str, Setting]) -> str:
    """Return a short name like ``A100-SXM4-40GB ×4, batch 128, TP 4``."""
    board = "" if device is None else _BOARD.sub("", device).strip()
    count = f" ×{n_devices}" if board and n_devices is not None and n_devices > 1 else ""
    told = [board + count] if board else []
    for name, value in settings.items():
        if value is None or value in _UNTOLD.get(name, ()):
            continue
        short = _SHORT.get(name, name.replace("_", " "))
        told.append(f"{short} {value:g}" if isinstance(value, float) else f"{short} {value}")
    return ", ".join(told) or "as it stands"
