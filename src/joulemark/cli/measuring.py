"""From the options of ``bench`` to runs and their reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console

from joulemark.cli.engine_choice import engine_of
from joulemark.cli.jobs import Job, data_of, jobs_of
from joulemark.cli.progress import TerminalObserver
from joulemark.metrics import RunView, Summary, summarize
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates, Sampling
from joulemark.report.html import write_report
from joulemark.report.terminal import print_summary
from joulemark.runs.executor import LocalExecutor
from joulemark.runs.finalize import refresh
from joulemark.runs.layout import RunLayout
from joulemark.runs.plan import RunPlan
from joulemark.runs.rates import DeclaredRates, rates_of
from joulemark.runs.series import Series

INTERRUPTED = 130
SIDE_BY_SIDE = "tasks.html"


@dataclass(frozen=True, slots=True)
class Reported:
    """A run whose figures were printed; ``answered``: some request of it was."""

    job: Job
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
        return {"run_dir": str(self.root), "report": self.page, **self.summary.to_json()}


def measure(names: Sequence[str], choices: Mapping[str, Any]) -> int:
    """Run each task and report it; returns the exit code (see `joulemark.cli.__main__.main`)."""
    jobs = jobs_of(names, choices)
    if choices["out"] is not None and len(jobs) > 1:
        raise InputError(
            "--out names one directory for several tasks", fix="use --runs-dir DIR, or one task a command"
        )
    rates = rates_of(declared_rates(choices))
    # All data first: a missing file of the last task must not be told after hours of the first.
    several = len(jobs) > 1
    tasks = [job.load(data_of(job, choices["data"], several=several)) for job in jobs]
    series = Series(choices["runs_dir"], _settings(names, choices)) if several else None
    reported: list[Reported] = []
    code = 1
    for job, task in zip(jobs, tasks, strict=True):
        done = series.finished_run(job.label) if series else None
        if done is not None:
            click.echo(f"{job.label} is done already: {done}", err=True)
            reported.append(_report(job, done, refresh(RunLayout(done)), as_json=choices["as_json"]))
            code = 0 if reported[-1].answered else code
            continue
        with TerminalObserver() as observer:
            plan = _plan(job, task, rates, choices, observer)
            try:
                outcome = LocalExecutor().run(plan, observer)
            except KeyboardInterrupt:
                click.echo("interrupted", err=True)
                return code if code == 0 else INTERRUPTED
        if series is not None:
            series.note(job.label, outcome.root)
        if outcome.view is not None and outcome.completed:
            reported.append(_report(job, outcome.root, outcome.view, as_json=choices["as_json"]))
            code = 0 if reported[-1].answered else code
        if outcome.error is not None:
            raise outcome.error
        if outcome.end == "interrupted":
            click.echo("interrupted: the same command goes on from here", err=True)
            return code if outcome.completed else INTERRUPTED
    if series is not None:
        series.finish()
    _close(reported, as_json=choices["as_json"])
    return code


def _settings(names: Sequence[str], choices: Mapping[str, Any]) -> dict[str, object]:
    """Return what makes two commands the same series."""
    return {
        "names": list(names),
        **{name: str(value) for name, value in choices.items() if name != "as_json"},
    }


def declared_rates(choices: Mapping[str, Any]) -> DeclaredRates:
    """Return what the options say of money and carbon."""
    return DeclaredRates(
        choices["usd_per_kwh"], choices["price"], choices["gco2e_per_kwh"], choices["zone"], choices["pue"]
    )


def _plan(
    job: Job, task: Any, rates: Rates, choices: Mapping[str, Any], observer: TerminalObserver
) -> RunPlan:
    chosen = job.choices
    sampling = Sampling(
        temperature=_first(chosen["temperature"], task.temperature, 0.0),
        top_p=_first(chosen["top_p"], task.top_p, 1.0),
        seed=chosen["seed"],
        max_tokens=task.max_tokens,
    )
    return RunPlan(
        task=task,
        engine=engine_of(choices, observer),
        sampling=sampling,
        repeats=chosen["repeat"] or 1,
        concurrency=choices["concurrency"],
        retries=choices["retries"],
        timeout_s=choices["timeout_s"],
        out=choices["out"],
        runs_dir=choices["runs_dir"],
        meters=tuple(choices["meters"]) or ("auto",),
        engine_pid=choices["engine_pid"],
        boards=tuple(choices["boards"]),
        temperature_limit_c=choices["max_temperature"],
        suite=job.suite.name if job.suite else None,
        may_rank=job.may_rank,
        standing=job.standing,
        rates=rates,
    )


def _first(*values: float | None) -> float:
    return next(value for value in values if value is not None)


def _report(job: Job, root: Path, view: RunView, *, as_json: bool) -> Reported:
    """Print the run's figures and write its page.

    A page that cannot be written (full disk) costs no figure: it is said, and the figures are printed.
    """
    layout, summary = RunLayout(root), summarize(view)
    try:
        write_report(summary, view, layout.report)
        page: str | None = str(layout.report.resolve())
    except InputError as error:
        click.echo(f"no page: {error}", err=True)
        page = None
    reported = Reported(job, root, page, view, summary)
    if as_json:
        click.echo(orjson.dumps(reported.to_json(), option=orjson.OPT_INDENT_2).decode())
    else:
        print_summary(summary, Console(), view)
        click.echo(f"\nrun:    {root}\nreport: {page or 'none'}")
    return reported


def _close(reported: Sequence[Reported], *, as_json: bool) -> None:
    """Put the tasks of one command side by side: in the terminal, and on a page beside the last run's."""
    if len(reported) < 2:
        return
    from joulemark.metrics.compare_runs import compare_runs
    from joulemark.report.comparison_html import write_comparison
    from joulemark.report.comparison_terminal import print_runs

    compared = compare_runs([(one.job.label, one.view, one.summary) for one in reported])
    page = reported[-1].root / SIDE_BY_SIDE
    try:
        write_comparison(compared, page)
        told = f"all of them side by side: {page.resolve()}"
    except InputError as error:
        told = f"no page: {error}"
    if not as_json:
        click.echo("")
        print_runs(compared, Console())
    click.echo(told, err=as_json)
