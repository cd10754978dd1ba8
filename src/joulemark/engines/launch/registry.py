"""Which engines can be started here, by their names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from joulemark.engines.engine import Engine, Progress, silent
from joulemark.engines.launch.command import Launcher
from joulemark.engines.launch.embedded import EMBEDDED, embedded_engine, require_embedded
from joulemark.engines.launch.launched import LaunchedEngine, LaunchOptions
from joulemark.engines.launch.llama_server import LlamaServer
from joulemark.engines.launch.settings import LaunchSettings
from joulemark.engines.launch.sglang import Sglang
from joulemark.engines.launch.vllm import Vllm

__all__ = ["EMBEDDED", "KINDS", "LAUNCHERS", "command_lines", "launched_engine"]

_ALL: tuple[Launcher, ...] = (Vllm(), Sglang(), LlamaServer())
LAUNCHERS: Mapping[str, Launcher] = MappingProxyType({one.kind: one for one in _ALL})
"""The engines that are started by a command line."""
KINDS = (*LAUNCHERS, EMBEDDED)
"""All engines that can be started here."""


def command_lines(kind: str, settings: LaunchSettings, options: LaunchOptions) -> list[str]:
    """Return the lines that start an engine, with ``--port 0`` for ports that are chosen then.

    Empty for the embedded engine. Raises `joulemark.engines.launch.settings.CannotLaunch` for what the engine
    cannot do; whether its program is here is not looked at.
    """
    if kind == EMBEDDED:
        require_embedded(settings)
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
    """Return an engine of a kind, not started; its `start` raises `InputError` with the end of its log."""
    if kind == EMBEDDED:
        return embedded_engine(settings, threads=threads, log_dir=log_dir, progress=progress)
    return LaunchedEngine(LAUNCHERS[kind], settings, options, log_dir=log_dir, progress=progress)
