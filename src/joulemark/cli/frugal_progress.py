"""Progress of many shuffles; on standard error, so that ``--json`` stays clean."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from types import TracebackType

import click
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

EVERY_S = 10.0


class ShuffleProgress:
    """A bar that begins anew with each stage; where standard error is no terminal, a line now and then.

    ``every_s`` seconds lie between two lines, and before the first: what is done sooner says nothing.
    """

    def __init__(self, shuffles: int, every_s: float = EVERY_S) -> None:
        self._shuffles = shuffles
        self._every_s = every_s
        self._told_s = time.monotonic()
        self._is_terminal = sys.stderr.isatty()
        self._progress = Progress(
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True, highlight=False),
            transient=True,
            disable=not self._is_terminal,
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

        def told(done: int) -> None:
            self._progress.update(self._bar, completed=done)
            now_s = time.monotonic()
            if not self._is_terminal and now_s - self._told_s >= self._every_s:
                self._told_s = now_s
                click.echo(f"  {what}: {done:,} of {self._shuffles:,}", err=True)

        return told
