"""An engine whose record says more of it than it does itself."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from joulemark.engines.engine import Engine
from joulemark.engines.exchange import Endpoint
from joulemark.engines.kinds.identity import Flag
from joulemark.engines.request_style import RequestWriter

if TYPE_CHECKING:
    from joulemark.record import manifest


class DescribedEngine:
    """Another `Engine`, with ``flags`` beside its own in the manifest."""

    def __init__(self, engine: Engine, flags: Mapping[str, Flag]) -> None:
        self._engine, self._flags = engine, dict(flags)

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go."""
        return self._engine.endpoint

    async def start(self) -> None:
        """Make the engine ready."""
        await self._engine.start()

    async def stop(self) -> None:
        """End what `start` started."""
        await self._engine.stop()

    def describe(self) -> manifest.Engine:
        """Return the engine's own entry with the flags added."""
        facts = self._engine.describe()
        return facts.model_copy(update={"flags": {**facts.flags, **self._flags}})

    @property
    def request_body(self) -> RequestWriter:
        """How it wants requests."""
        return self._engine.request_body

    def pid(self) -> int | None:
        """Return the engine's process id, null when it is not known or not here."""
        return self._engine.pid()

    def died(self) -> bool:
        """Tell whether the engine's process is known to have ended by itself."""
        return self._engine.died()

    @property
    def log_path(self) -> Path | None:
        """Where the engine's log is, null where there is none of ours."""
        return self._engine.log_path
