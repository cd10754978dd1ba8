"""Which engines can be started here, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from joulemark.engines.engine import Engine, Progress, silent
from joulemark.engines.launch.command import Launcher
from joulemark.engines.launch.diffusers import DIFFUSERS, require_pipeline
from joulemark.engines.launch.embedded import EMBEDDED, embedded_engine, require_embedded
from joulemark.engines.launch.launched import LaunchedEngine, LaunchOptions
from joulemark.engines.launch.llama_server import LlamaServer
from joulemark.engines.launch.settings import OF_MEDIA, CannotLaunch, LaunchSettings
from joulemark.engines.launch.sglang import Sglang
from joulemark.engines.launch.vllm import Vllm

__all__ = ["DIFFUSERS", "EMBEDDED", "KINDS", "LAUNCHERS", "command_lines", "launched_engine"]

_ALL: tuple[Launcher, ...] = (Vllm(), Sglang(), LlamaServer())
LAUNCHERS: Mapping[str, Launcher] = MappingProxyType({one.kind: one for one in _ALL})
"""The engines that are started by a command line."""
KINDS = (*LAUNCHERS, EMBEDDED, DIFFUSERS)
"""All engines that can be started here."""


def command_lines(kind: str, settings: LaunchSettings, options: LaunchOptions) -> list[str]:
    """Return the lines that start an engine, with ``--port 0`` for ports that are chosen then.

    Empty for the embedded engine and for pipelines, which run in a child of our own. Raises
    `joulemark.engines.launch.settings.CannotLaunch` for what the engine cannot do; whether its program is
    here is not looked at.
    """
    _require_of_its_sort(kind, settings)
    if kind == EMBEDDED:
        require_embedded(settings)
        return []
    if kind == DIFFUSERS:
        require_pipeline(settings)
        if options.program is not None or options.router is not None:
            raise CannotLaunch(
                "a pipeline has no command line of its own", why="it runs in the Python that runs joulemark"
            )
        return []
    launcher = LAUNCHERS[kind]
    program = options.program or launcher.program
    return [one.shown() for one in launcher.commands(settings, program, lambda: 0, options.router)]


def launched_engine(
    kind: str,
    settings: LaunchSettings,
    options: LaunchOptions,
    *,
    threads: int | None = None,
    log_dir: Path | None = None,
    progress: Progress = silent,
) -> Engine:
    """Return an engine that answers in words, not started.

    Its `start` raises `InputError` with the end of its log. A pipeline is made by
    `joulemark.engines.diffusion.DiffusionEngine`, which has to know what it is to make.
    """
    if kind == DIFFUSERS:
        raise ValueError("a pipeline answers no words: make a DiffusionEngine")
    _require_of_its_sort(kind, settings)
    if kind == EMBEDDED:
        return embedded_engine(settings, threads=threads, log_dir=log_dir, progress=progress)
    return LaunchedEngine(LAUNCHERS[kind], settings, options, log_dir=log_dir, progress=progress)


def _require_of_its_sort(kind: str, settings: LaunchSettings) -> None:
    """Raise `CannotLaunch` where an engine that answers in words is to make pictures."""
    given = [name for name in OF_MEDIA if getattr(settings, name) is not None]
    if given and kind != DIFFUSERS:
        raise CannotLaunch(
            f"{kind} takes no {', '.join(given)}",
            why="it answers in words; pictures and videos are made by the engine diffusers",
        )
