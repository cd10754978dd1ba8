"""From the options of ``bench`` to runs and their reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import orjson
from rich.console import Console

from joulemark.calibration.restore import leftover
from joulemark.cli.engine_choice import engine_of, with_found_engine
from joulemark.cli.grading import judged
from joulemark.cli.jobs import Work, jobs_of
from joulemark.cli.options import declared_rates
from joulemark.cli.programs import print_programs, programs_json, write_pages
from joulemark.cli.progress import TerminalObserver
from joulemark.cli.stop_options import STOP, require_any_enough, rule_of
from joulemark.cli.submit import after_run
from joulemark.engines.engine import Engine
from joulemark.metrics import RunView, Summary, summarize
from joulemark.rates.declared import rates_of
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates, Sampling
from joulemark.report.terminal import print_summary
from joulemark.runs.executor import LocalExecutor
from joulemark.runs.interruption import Interrupts
from joulemark.runs.plan import RunPlan
from joulemark.runs.series import Series
from joulemark.tasks.task import TaskSet

if TYPE_CHECKING:
    from joulemark.metrics.compare_runs import RunsComparison

INTERRUPTED = 130
SIDE_BY_SIDE = "tasks.html"


@dataclass(frozen=True, slots=True)
class Reported:
    """A run whose figures were printed; ``answered``: some request of it was."""

    job: Work
    root: Path
    page: str | None
    view: RunView
    summary: Summary

    @property
    def answered(self) -> bool:
        """Whether any request was answered."""
        return self.summary.n_requests > self.summary.verdicts.get("failed", 0)

    def to_json(self) -> dict[str, Any]:
        """Return the run's document."""
        whole = {"run_dir": str(self.root), "report": self.page, **self.summary.to_json()}
        return {**whole, **programs_json(self.root, self.view)}


def measure(names: Sequence[str], options: Mapping[str, Any]) -> int:
    """Run suites and tasks by their names and report each; returns the exit code."""
    return carry_out(jobs_of(names, options), names, options)


def carry_out(jobs: Sequence[Work], names: Sequence[str], options: Mapping[str, Any]) -> int:
    """Run each task and report it; returns the exit code (see `joulemark.cli.__main__.main`).

    Ctrl-C ends it with the figures of what was measured by then; pressed again, it takes none of them away.
    """
    with Interrupts() as interrupts:
        return _carry_out(jobs, names, options, interrupts)


def _carry_out(
    jobs: Sequence[Work], names: Sequence[str], options: Mapping[str, Any], interrupts: Interrupts
) -> int:
    if (left := leftover()) is not None:
        click.echo(f"! {left}", err=True)
    several = len(jobs) > 1
    if options["out"] is not None and several:
        raise InputError(
            "--out names one directory for several tasks", fix="use --runs-dir DIR, or one task a command"
        )
    rates = rates_of(declared_rates(options))
    engine_options = with_found_engine(options)
    # All data first: a missing file of the last task must not be told after hours of the first.
    tasks = [job.task_set(several=several) for job in jobs]
    for task in tasks:
        click.echo(f"· {task.name}: {len(task.questions):,} items, {_where_from(task)}", err=True)
    for job, task in zip(jobs, tasks, strict=True):
        rule_of(job.options, task, rates, job.shape)  # what can never be met is refused before any is asked
    require_any_enough(options.get(STOP, ()), tasks)
    series = Series(options["runs_dir"], _settings(names, options)) if several else None
    reported: list[Reported] = []
    code: int | None = None
    try:
        for job, task in zip(jobs, tasks, strict=True):
            with TerminalObserver() as observer:
                known = series.known_run(job.name) if series else None
                asked = {**engine_options, "diffusion": job.options.get("diffusion")}
                engine = engine_of(asked, observer, n_parallel=job.n_parallel)
                plan = plan_of(job, task, rates, engine, known)
                outcome = LocalExecutor(interrupts).run(plan, observer)
            view, stopped = judged(task, outcome, job.options)
            if view is not None and outcome.completed:
                reported.append(_reported(job, outcome.root, view))
                if not options["as_json"]:
                    _print(reported[-1])
                after_run(outcome.root, reported[-1].summary)
            if outcome.error is not None:
                raise outcome.error
            if series is not None:
                _remember(series, job.name, outcome.root)
            if stopped:
                break
            if outcome.end == "interrupted" or outcome.asked_to_end or interrupts.came:
                click.echo("interrupted: the same command goes on from here", err=True)
                code = None if outcome.completed else INTERRUPTED
                break
        else:
            if series is not None:
                series.finish()
    except KeyboardInterrupt:
        click.echo("interrupted", err=True)
        code = INTERRUPTED
    finally:
        _close(reported, n_wanted=len(jobs), as_json=options["as_json"])
    if any(one.answered for one in reported):
        return 0
    return 1 if code is None else code


def _settings(names: Sequence[str], choices: Mapping[str, Any]) -> dict[str, object]:
    """Return what makes two commands the same series."""
    return {
        "names": list(names),
        **{name: str(value) for name, value in choices.items() if name != "as_json"},
    }


def _where_from(task: TaskSet) -> str:
    """Say where items came from, so that a wrong file is seen before it is asked."""
    examples = f", {task.n_shot} examples" if task.n_shot else ""
    return f"{task.source}, split {task.split}{examples}"


def _remember(series: Series, name: str, root: Path) -> None:
    """Note a part of the command as measured; where that fails, only a resumed command is worse off."""
    try:
        series.note(name, root)
    except InputError as error:
        click.echo(f"the command could not be made resumable: {error}", err=True)


def plan_of(job: Work, task: TaskSet, rates: Rates, engine: Engine, known: Path | None) -> RunPlan:
    """Return the run that a task and the options of its command describe."""
    options = job.options
    sampling = Sampling(
        temperature=_first(options["temperature"], task.temperature, 0.0),
        top_p=_first(options["top_p"], task.top_p, 1.0),
        seed=options["seed"],
        max_tokens=task.max_tokens,
    )
    return RunPlan(
        task=task,
        engine=engine,
        sampling=sampling,
        repeats=options.get("repeat") or 1,
        load=job.shape,
        prepare=job.prepare,
        retries=options["retries"],
        timeout_s=options["timeout_s"],
        out=options["out"],
        known=known,
        runs_dir=options["runs_dir"],
        meters=tuple(options["meters"]),
        engine_pid=options["engine_pid"],
        boards=tuple(options["boards"]),
        temperature_limit_c=options["max_temperature"],
        suite=job.suite.name if job.suite else None,
        may_rank=job.standing.may_rank,
        standing=job.standing.why,
        rates=rates,
        limits_s=options.get("slo", {}),
        stop=rule_of(options, task, rates, job.shape),
    )


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)


def _reported(job: Work, root: Path, view: RunView) -> Reported:
    """Compute a run's figures and write its page.

    A page that cannot be written (full disk) costs no figure: it is said, and the figures are printed.
    """
    summary = summarize(view)
    try:
        page: str | None = str(write_pages(root, summary, view).resolve())
    except InputError as error:
        click.echo(f"no page: {error}", err=True)
        page = None
    return Reported(job, root, page, view, summary)


def _print(one: Reported) -> None:
    console = Console()
    print_summary(one.summary, console, one.view)
    print_programs(one.root, one.view, console)
    click.echo(f"\nrun:    {one.root}\nreport: {one.page or 'none'}")


def _close(reported: Sequence[Reported], *, n_wanted: int, as_json: bool) -> None:
    """Print the JSON document; put several tasks side by side, on a page beside the last run's."""
    compared = None
    if 1 < len(reported) == n_wanted:
        from joulemark.metrics.compare_runs import compare_runs

        compared = compare_runs([(one.job.name, one.view, one.summary) for one in reported])
        _side_by_side(compared, reported[-1].root / SIDE_BY_SIDE, as_json=as_json)
    if not as_json:
        return
    runs = [one.to_json() for one in reported]
    if n_wanted > 1:
        comparison = None if compared is None else compared.to_json()
        click.echo(_json({"runs": runs, "comparison": comparison}))
    elif runs:
        click.echo(_json(runs[0]))


def _side_by_side(compared: RunsComparison, page: Path, *, as_json: bool) -> None:
    from joulemark.report.comparison_html import write_comparison
    from joulemark.report.comparison_terminal import print_runs

    try:
        write_comparison(compared, page)
        told = f"all of them side by side: {page.resolve()}"
    except InputError as error:
        told = f"no page: {error}"
    if not as_json:
        click.echo("")
        print_runs(compared, Console())
    click.echo(told, err=as_json)


def _json(document: Mapping[str, Any]) -> str:
    return orjson.dumps(document, option=orjson.OPT_INDENT_2).decode()
