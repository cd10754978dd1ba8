"""An engine that stays up between runs: started by the first, ended when the sweep is done with it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from joulemark.engines.engine import Engine
from joulemark.engines.exchange import Endpoint
from joulemark.engines.request_style import RequestWriter

if TYPE_CHECKING:
    from joulemark.record import manifest


class KeptEngine:
    """An `Engine` whose `stop` leaves it running; `close` ends it. One that died is started anew.

    ``make`` returns an engine that was not started. ``start_failed``: the last start did; ``failed_at`` is
    the sweep's note of the point at which it did.
    """

    def __init__(self, make: Callable[[], Engine]) -> None:
        self._make = make
        self._engine: Engine | None = None
        self.start_failed = False
        self.failed_at: str | None = None

    async def start(self) -> None:
        """Make sure that it runs."""
        engine = self._engine
        if engine is not None and engine.died():
            self._engine = None
            await engine.stop()
        if self._engine is not None:
            return
        self.start_failed = True
        engine = self._make()
        try:
            await engine.start()
        except BaseException:
            await engine.stop()
            raise
        self._engine, self.start_failed = engine, False

    async def stop(self) -> None:
        """Leave it running."""

    def close(self) -> None:
        """End it; of no effect where it does not run."""
        engine, self._engine = self._engine, None
        if engine is not None:
            asyncio.run(engine.stop())

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go."""
        return self._running().endpoint

    def describe(self) -> manifest.Engine:
        """Return the engine's own entry."""
        return self._running().describe()

    @property
    def request_body(self) -> RequestWriter:
        """How it wants requests."""
        return self._running().request_body

    def pid(self) -> int | None:
        """Return the engine's process id, null when it is not known, not here or not running."""
        return self._engine.pid() if self._engine else None

    def died(self) -> bool:
        """Tell whether it was started and has ended by itself."""
        return self._engine is not None and self._engine.died()

    @property
    def log_path(self) -> Path | None:
        """Where the engine's log is."""
        return self._engine.log_path if self._engine else None

    def _running(self) -> Engine:
        if self._engine is None:
            raise RuntimeError("the engine has not been started")
        return self._engine
