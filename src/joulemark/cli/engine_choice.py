"""From the options of a command to the engine that is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joulemark.cli.progress import TerminalObserver, engine_progress
from joulemark.engines.embedded import EmbeddedEngine, EmbeddedOptions
from joulemark.engines.engine import Engine
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.errors import InputError

EMBEDDED, AUTO = "embedded", "auto"


def engine_of(choices: Mapping[str, Any], observer: TerminalObserver) -> Engine:
    """Return the engine, not started; raises `InputError` for options that do not belong to it."""
    url, model = choices["engine_url"], choices["model"]
    progress = engine_progress(observer)
    if url == EMBEDDED:
        options = EmbeddedOptions(
            model=Path(model) if model else None,
            threads=choices["threads"],
            n_ctx=choices["n_ctx"],
            n_parallel=choices["concurrency"],
        )
        if choices["api_key_env"] is not None:
            raise InputError("--api-key-env goes with --engine URL", why="the embedded engine needs no key")
        return EmbeddedEngine(options, progress=progress)
    if url == AUTO:
        from joulemark.engines.autodetect import find_engine

        found = find_engine()
        url = found.url
        progress(f"Found {found.title}", None)
    if choices["threads"] is not None:
        raise InputError(
            "--threads is for the embedded engine",
            why=f"the engine at {url} was started by somebody else",
            fix="set it where that engine is started",
        )
    return UrlEngine(UrlOptions(url, model, choices["api_key_env"], choices["n_ctx"]), progress=progress)
