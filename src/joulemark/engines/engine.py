"""Who answers: the protocol that a run sees, whichever engine stands behind it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from joulemark.engines.exchange import Endpoint
from joulemark.engines.request_style import RequestWriter

if TYPE_CHECKING:
    from joulemark.record import manifest

Progress = Callable[[str, float | None], None]
"""Is told what is being done and, where known, which fraction of it (0 to 1); any thread may call it."""


class Engine(Protocol):
    """An engine that answers chat requests.

    `start` must have returned before anything else is believed; `stop` is safe to call at any time and more
    than once. An engine that is only a URL is looked at by `start`, never started, and left alone by `stop`.
    """

    @property
    def endpoint(self) -> Endpoint:
        """Where requests go."""
        ...

    async def start(self) -> None:
        """Make the engine ready. Raises `InputError` with the command that helps."""
        ...

    async def stop(self) -> None:
        """End what `start` started."""
        ...

    def describe(self) -> manifest.Engine:
        """Return what is known of the engine, for the manifest; each null has its reason."""
        ...

    @property
    def request_body(self) -> RequestWriter:
        """How it wants chat requests: ``request_body(messages, max_tokens=…)`` returns one, ready to send."""
        ...

    def pid(self) -> int | None:
        """Return the engine's process id on this machine, null when it is not known or not here."""
        ...

    def died(self) -> bool:
        """Tell whether the engine's process is known to have ended by itself."""
        ...

    @property
    def log_path(self) -> Path | None:
        """Where the engine's log is on this machine, null where there is none of ours."""
        ...


def silent(_message: str, _fraction: float | None) -> None:
    """Report no progress."""
