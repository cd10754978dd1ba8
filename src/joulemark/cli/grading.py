"""Grading the programs of a run at the end of the command that asked for them, or by hand later."""

from __future__ import annotations

import time
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

import click
import rich.progress
from rich.console import Console

from joulemark.record.errors import InputError

if TYPE_CHECKING:
    from joulemark.code.contain.containment import Containment
    from joulemark.code.evaluation.job import Done
    from joulemark.code.evaluation.settings import Settings
    from joulemark.metrics.run_view import RunView
    from joulemark.runs.execute import RunOutcome
    from joulemark.tasks.task import TaskSet

_SAY_EVERY_S = 10.0


class GradingProgress:
    """Shows how many problems are done, on standard error: a context manager and a watcher."""

    def __init__(self) -> None:
        self._console = Console(stderr=True, highlight=False)
        self._progress: rich.progress.Progress | None = None
        self._bar: rich.progress.TaskID | None = None
        self._total = self._done = 0
        self._said_s = time.monotonic()

    def __enter__(self) -> GradingProgress:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def started(self, n_problems: int, n_done: int) -> None:
        """Show the bar, already filled by what an earlier life of the grading did."""
        self._total, self._done = n_problems, n_done
        before = f", {n_done} are done already" if n_done else ""
        self._say(f"· running the programs of {n_problems} problems{before}")
        if not self._console.is_terminal:
            return
        self._progress = rich.progress.Progress(
            rich.progress.TextColumn("  running"),
            rich.progress.BarColumn(),
            rich.progress.MofNCompleteColumn(),
            rich.progress.TimeRemainingColumn(),
            console=self._console,
            transient=True,
            # each refresh takes processor time beside programs that are being measured
            refresh_per_second=1,
        )
        self._progress.start()
        self._bar = self._progress.add_task("run", total=n_problems, completed=n_done)

    def finished(self, done: Done) -> None:
        """Advance the bar; where there is no terminal, say now and then how far it is."""
        from joulemark.report.wording import printable

        self._done += 1
        if done.failure is not None:
            self._say(f"! {printable(done.problem_id)} cannot judge: {printable(done.failure)}")
        if done.not_measured is not None:
            self._say(f"· {printable(done.problem_id)}: {printable(done.not_measured)}")
        if self._progress is not None and self._bar is not None:
            self._progress.update(self._bar, advance=1)
        elif time.monotonic() - self._said_s >= _SAY_EVERY_S:
            self._said_s = time.monotonic()
            self._say(f"  {self._done} of {self._total} problems")

    def _say(self, text: str) -> None:
        try:
            self._console.print(text, style="dim", markup=False)
        except OSError:
            self._console.quiet = True  # progress that nobody reads must not end a grading


class SelfTestFailed(InputError):
    """What holds programs here does not hold what it must."""

    exit_code = 3


def require_selftest(containment: Containment) -> None:
    """Run the self-test once for this machine and version. Raises `SelfTestFailed`."""
    from joulemark.code.evaluation.environment import environment_of
    from joulemark.code.selftest.passed import has_passed, remember
    from joulemark.code.selftest.selftest import run_selftest

    environment = environment_of(containment).environment_id
    passed = has_passed(environment)
    if passed is None:
        click.echo("· testing what holds generated programs here (once, about a minute)", err=True)
        passed = all(case.passed for case in run_selftest(containment))
        remember(environment, passed=passed)
    if not passed:
        raise SelfTestFailed(
            "generated programs cannot be scored here",
            why="the self-test was not passed: a program could cheat, or get out",
            fix="joulemark code selftest   # says which cases, and what would mend them",
        )


def command_for(root: Path) -> str:
    """Return the command that grades a run."""
    return f"joulemark code grade {root}"


def judged(task: TaskSet, outcome: RunOutcome, options: Mapping[str, Any]) -> tuple[RunView | None, bool]:
    """Return a run as it is once its programs were run, and whether that was interrupted.

    Only a whole run is graded, for every answer that comes later would be judged beside others. What keeps a
    run from being graded is told, and costs none of its figures.
    """
    from joulemark.code.joined.grade_run import waits_for_grades
    from joulemark.runs.finalize import refresh
    from joulemark.runs.layout import RunLayout

    view = outcome.view
    if view is None or task.problems is None or not waits_for_grades(view):
        return view, False
    if outcome.completed < outcome.total and outcome.end != "stopped":
        click.echo(f"not graded: answers are missing; {command_for(outcome.root)} grades these", err=True)
        return view, False
    from joulemark.code.evaluation.settings import Settings

    try:
        settings = Settings(measure=not options.get("no_measure", False))
        return graded(outcome.root, settings), False
    except InputError as error:
        click.echo(f"not graded: {error}\n  later: {command_for(outcome.root)}", err=True)
        return view, False
    except KeyboardInterrupt:
        click.echo(f"interrupted: {command_for(outcome.root)} goes on from here", err=True)
        return refresh(RunLayout(outcome.root)), True


def graded(root: Path, settings: Settings | None, n_workers: int | None = None) -> RunView:
    """Grade a run with its progress shown; returns it as it is then. Raises `InputError`."""
    from joulemark.code.contain.containment import probe
    from joulemark.code.evaluation.executor import LocalExecutor
    from joulemark.code.joined.grade_run import grade_run

    held = probe()
    require_selftest(held)
    with GradingProgress() as progress:
        done = grade_run(
            root, settings, containment=held, executor=LocalExecutor(n_workers), watcher=progress
        )
    if done.failures:
        click.echo(f"{len(done.failures)} problems could not judge: their answers have no verdict", err=True)
    return done.view
