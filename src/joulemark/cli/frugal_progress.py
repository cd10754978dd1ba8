"""Progress of many shuffles on the terminal; on standard error, so that ``--json`` stays clean."""

from __future__ import annotations

import sys
from collections.abc import Callable
from types import TracebackType

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class ShuffleProgress:
    """A bar that begins anew with each stage; nothing where standard error is no terminal."""

    def __init__(self, shuffles: int) -> None:
        self._shuffles = shuffles
        self._progress = Progress(
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False),
            transient=True,
            disable=not sys.stderr.isatty(),
            refresh_per_second=4,
        )
        self._bar = self._progress.add_task("shuffles", total=shuffles)

    def __enter__(self) -> ShuffleProgress:
        self._progress.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._progress.stop()

    def stage(self, what: str) -> Callable[[int], None]:
        """Begin a stage; what is returned is told how many of its shuffles are done."""
        self._progress.reset(self._bar, description=what, total=self._shuffles)
        return lambda done: self._progress.update(self._bar, completed=done)
