"""Progress of a run on the terminal; on standard error, so that ``--json`` stays clean."""

from __future__ import annotations

import sys
import time
from types import TracebackType

import rich.progress
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TaskID, TextColumn, TimeRemainingColumn

from joulemark.record.item import Item
from joulemark.report.wording import printable
from joulemark.runs.observer import Observer

_SAY_EVERY_S = 10.0
_FEW = 5  # of fewer answers, how long the others take cannot be said
_LONG_S = 3600.0


class _Console(Console):
    """A console whose reader may go away: progress that nobody reads must not end a run."""

    def on_broken_pipe(self) -> None:
        """Fall silent."""
        self.quiet = True


class TerminalObserver(Observer):
    """Shows stages as lines and items as a bar; plain lines where the output is no terminal."""

    def __init__(self) -> None:
        self._console = _Console(stderr=True, highlight=False)
        self._progress: rich.progress.Progress | None = None
        self._bar: TaskID | None = None
        self._total = self._done = self._done_before = self._correct = 0
        self._began_s = self._said_s = 0.0
        self._standing = ""
        self._enough: float | None = None

    def __enter__(self) -> TerminalObserver:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._end_bar()

    def stage(self, what: str) -> None:
        """Print what begins."""
        self._end_bar()
        self._print(f"· {printable(what)}", "dim")

    def note(self, what: str) -> None:
        """Print a note above the bar."""
        self._print(f"! {printable(what)}", "yellow")

    def started(self, total: int, done: int) -> None:
        """Show the bar, already filled by what an earlier life of the run stored."""
        self._total, self._done, self._done_before = total, done, done
        self._began_s = self._said_s = time.monotonic()
        if done:
            self._print(f"· resuming: {done} of {total} answers are stored already")
        if not sys.stderr.isatty():
            self._print(f"· asking {total - done} questions", "dim")
            return
        self._progress = rich.progress.Progress(
            TextColumn("  asking"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[correct]}"),
            TimeRemainingColumn(),
            TextColumn("{task.fields[standing]}"),
            console=self._console,
            transient=True,
            # Each refresh costs processor time that the engine on the same machine would have had.
            refresh_per_second=2,
        )
        self._progress.start()
        self._bar = self._progress.add_task("ask", total=total, completed=done, correct="", standing="")

    def item(self, item: Item) -> None:
        """Advance the bar; where there is no terminal, say now and then how far it is."""
        self._done += 1
        self._correct += bool(item.correct)
        if self._progress is not None and self._bar is not None:
            graded = item.verdict is not None
            self._progress.update(self._bar, advance=1, correct=f"{self._correct} correct" if graded else "")
        elif time.monotonic() - self._said_s >= _SAY_EVERY_S:
            self._said_s = time.monotonic()
            took_s = self._said_s - self._began_s
            asked = self._done - self._done_before
            each_s = took_s / max(asked, 1)
            left_s = each_s * (self._total - self._done)
            left = self._left(each_s, left_s) if asked >= _FEW else ""
            more = "; --limit asks fewer" if asked >= _FEW and left_s > _LONG_S else ""
            self._print(f"  {self._done} of {self._total} after {_lasting(took_s)}{left}{more}", "dim")
            if self._standing:
                self._print(f"  {self._standing}", "dim")

    def _left(self, each_s: float, most_s: float) -> str:
        """Say how long it takes: to where a target seems to be met, if there is one, and to the end."""
        if not self._standing:
            return f", about {_lasting(most_s)} left"
        if self._enough is None:
            return f", about {_lasting(most_s)} left at most"
        likely_s = each_s * max(self._enough * self._total - self._done, 0.0)
        return f", about {_lasting(likely_s)} left to the target, {_lasting(most_s)} at most"

    def standing(self, what: str, enough: float | None) -> None:
        """Keep how far the run is from ending early, shown beside the bar or with the next line."""
        self._standing, self._enough = printable(what), enough
        if self._progress is not None and self._bar is not None:
            self._progress.update(self._bar, standing=self._standing)

    def _print(self, text: str, style: str = "") -> None:
        try:
            self._console.print(text, style=style, markup=False)
        except OSError:
            self._console.quiet = True  # a full or closed standard error

    def _end_bar(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = self._bar = None


def _lasting(seconds: float) -> str:
    """Return a stretch of time in the unit in which people say it."""
    for unit, name in ((86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= 2 * unit:
            return f"{seconds / unit:.0f} {name}"
    return f"{seconds:.0f} s"
