"""From the options of a command to the engine that is asked."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joulemark.cli.progress import TerminalObserver
from joulemark.cli.waiting import each_once, say
from joulemark.engines.embedded import EmbeddedEngine, EmbeddedOptions
from joulemark.engines.engine import Engine
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.record.errors import InputError

EMBEDDED, AUTO = "embedded", "auto"


def with_found_engine(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Put the engine that runs here in the place of ``auto``: one for the whole command.

    Raises `InputError` for none, several, or one that is far away.
    """
    if options["engine_url"] != AUTO:
        return options
    from joulemark.engines.autodetect import find_engine

    found = find_engine()
    say(f"found {found.title}")
    return {**options, "engine_url": found.url}


def engine_of(options: Mapping[str, Any], observer: TerminalObserver, *, n_parallel: int = 1) -> Engine:
    """Return the engine, not started; raises `InputError` for options that do not belong to it.

    ``n_parallel``: how many requests the embedded engine is to work on at once.
    """
    progress = each_once(observer.stage)
    if (made := options.get("diffusion")) is not None:
        from joulemark.engines.diffusion import DiffusionEngine

        return DiffusionEngine(made, progress=progress)
    url, model = options["engine_url"], options["model"]
    allow_cache = bool(options.get("allow_cache"))
    if url == EMBEDDED:
        embedded = EmbeddedOptions(
            model=Path(model) if model else None,
            threads=options["threads"],
            n_ctx=options["n_ctx"],
            n_parallel=n_parallel,
            allow_cache=allow_cache,
        )
        if options["api_key_env"] is not None:
            raise InputError("--api-key-env goes with --engine URL", why="the embedded engine needs no key")
        return EmbeddedEngine(embedded, progress=progress)
    if options["threads"] is not None:
        raise InputError(
            "--threads is for the embedded engine",
            why=f"the engine at {url} was started by somebody else",
            fix="set it where that engine is started",
        )
    chosen = UrlOptions(url, model, options["api_key_env"], options["n_ctx"], allow_cache=allow_cache)
    return UrlEngine(chosen, progress=progress)
