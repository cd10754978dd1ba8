"""Progress of a sweep on the terminal."""

from __future__ import annotations

from types import TracebackType

from joulemark.cli.progress import TerminalObserver
from joulemark.metrics import summarize
from joulemark.record.errors import InputError
from joulemark.record.item import Item
from joulemark.report.html import write_report
from joulemark.runs.execute import RunOutcome
from joulemark.runs.layout import RunLayout
from joulemark.sweeps.grid import cell_text
from joulemark.sweeps.journal import PointRecord
from joulemark.sweeps.sweep import SweepObserver


class SweepTerminal(SweepObserver):
    """Says which point is measured, and shows the progress of each as that of any run."""

    def __init__(self) -> None:
        self._shown = TerminalObserver()
        self._told_late = False

    def __enter__(self) -> SweepTerminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._shown.__exit__(kind, error, traceback)

    def stage(self, what: str) -> None:
        """Print what begins."""
        self._shown.stage(what)

    def started(self, total: int, done: int) -> None:
        """Show the bar."""
        self._shown.started(total, done)

    def item(self, item: Item) -> None:
        """Advance the bar."""
        self._shown.item(item)

    def note(self, what: str) -> None:
        """Print a note."""
        self._shown.note(what)

    def point(self, number: int, total: int, record: PointRecord) -> None:
        """Print which point begins, with a bar of its own."""
        self._shown.__exit__(None, None, None)
        self._shown = TerminalObserver()
        self._shown.stage(f"point {number} of {total}: {cell_text(record.values)}")

    def ended(self, record: PointRecord, outcome: RunOutcome | None) -> None:
        """Write the run's page; print what became of a point that was not measured to its end."""
        self._shown.__exit__(None, None, None)
        if outcome is not None and outcome.view is not None:
            try:
                write_report(summarize(outcome.view), outcome.view, RunLayout(outcome.root).report)
            except InputError as error:
                self.note(f"no page: {error}")
        if record.state in ("failed", "saturated", "invalid"):
            again = record.state == "invalid" and self._told_late
            self._told_late |= record.state == "invalid"
            self.note(f"{cell_text(record.values)}: {record.state}: {'as above' if again else record.why}")
