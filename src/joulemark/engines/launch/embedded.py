"""The embedded engine started with settings in the names of a sweep."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

from joulemark.engines.embedded import EmbeddedEngine, EmbeddedOptions
from joulemark.engines.engine import Engine, Progress, silent
from joulemark.engines.launch.described import DescribedEngine
from joulemark.engines.launch.settings import CannotLaunch, LaunchSettings

EMBEDDED = "embedded"
_ONE = ("tensor_parallel", "pipeline_parallel")
_WHY = {
    "max_batched_tokens": "its server takes llama.cpp's own number",
    "prefill_instances": "it is one server",
    "preemption": "each request has its part of the context from the start",
    "quantization": "it runs a model as its file is quantized: name another file with model",
}


def embedded_engine(
    settings: LaunchSettings,
    *,
    threads: int | None = None,
    log_dir: Path | None = None,
    progress: Progress = silent,
) -> Engine:
    """Return the embedded engine, not started; raises `CannotLaunch` for what it cannot do."""
    require_embedded(settings)
    options = EmbeddedOptions(
        model=Path(settings.model) if settings.model else None,
        threads=threads,
        n_ctx=settings.n_ctx,
        n_parallel=settings.max_batch or 1,
    )
    engine = EmbeddedEngine(options, log_dir=log_dir, progress=progress)
    return DescribedEngine(engine, {"max_batch": options.n_parallel})


def require_embedded(settings: LaunchSettings) -> None:
    """Raise `CannotLaunch` for settings that the embedded engine has no place for."""
    for name in (one.name for one in fields(settings)):
        value = getattr(settings, name)
        if name in _WHY and value is not None:
            raise CannotLaunch(f"the embedded engine takes no {name}", why=_WHY[name])
        if name in _ONE and value not in (None, 1):
            raise CannotLaunch(f"the embedded engine has no {name} {value}", why="it uses one device")
    if settings.prefix_cache:
        raise CannotLaunch(
            "the embedded engine keeps no prompts", why="what is measured must not depend on what came before"
        )
    if settings.flags:
        raise CannotLaunch(f"the embedded engine takes no flags ({', '.join(settings.flags)})")
    if settings.devices:
        raise CannotLaunch("the embedded engine chooses its device itself")
