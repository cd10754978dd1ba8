"""The handful of settings without which two runs cannot be compared, for a line of the summary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from joulemark.record.manifest import Manifest

Setting = str | int | float | bool | None


def setup(manifest: Manifest) -> Mapping[str, Setting]:
    """Return what a run was made with; null where the engine or the machine does not say.

    ``machine`` names the boards that were measured, else the processor.
    """
    engine, host, sampling = manifest.engine, manifest.host, manifest.sampling
    boards = dict.fromkeys(d.name for d in manifest.devices if d.name and d.engine_on_device)
    processor = " × ".join(str(part) for part in (host.cpu_count, host.cpu_model) if part is not None)
    return {
        "threads": engine.flags.get("threads"),
        "seed": sampling.seed,
        "temperature": sampling.temperature,
        "max_tokens": sampling.max_tokens,
        "concurrency": manifest.load.concurrency,
        "engine_version": engine.version,
        "prefix_cache": engine.prefix_cache,
        "machine": ", ".join((*boards, processor)) or None,
    }
