"""From the options of ``bench`` to runs and their reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
import orjson
from rich.console import Console

from joulemark.cli.progress import TerminalObserver, engine_progress
from joulemark.engines.embedded import EmbeddedEngine, EmbeddedOptions
from joulemark.engines.engine import Engine
from joulemark.engines.openai_api import UrlEngine, UrlOptions
from joulemark.metrics import RunView, summarize
from joulemark.record.errors import InputError
from joulemark.record.manifest import Sampling
from joulemark.report.html import write_report
from joulemark.report.terminal import print_summary
from joulemark.runs.executor import LocalExecutor
from joulemark.runs.layout import RunLayout
from joulemark.runs.plan import RunPlan
from joulemark.tasks.registry import load_task

INTERRUPTED = 130


def measure(names: Sequence[str], choices: Mapping[str, Any]) -> int:
    """Run each task and report it; returns the exit code (see `joulemark.cli.__main__.main`)."""
    if choices["out"] is not None and len(names) > 1:
        raise InputError(
            "--out names one directory for several tasks", fix="use --runs-dir DIR, or one task a command"
        )
    code = 1
    for name in names:
        with TerminalObserver() as observer:
            plan = _plan(name, choices, observer)
            try:
                outcome = LocalExecutor().run(plan, observer)
            except KeyboardInterrupt:
                click.echo("interrupted", err=True)
                return code if code == 0 else INTERRUPTED
        if outcome.view is not None and outcome.completed:
            answered = _report(outcome.root, outcome.view, as_json=choices["as_json"])
            code = 0 if answered else code
        if outcome.error is not None:
            raise outcome.error
        if outcome.end == "interrupted":
            click.echo("interrupted: the same command goes on from here", err=True)
            return code if outcome.completed else INTERRUPTED
    return code


def _plan(name: str, choices: Mapping[str, Any], observer: TerminalObserver) -> RunPlan:
    task = load_task(
        name,
        data=choices["data"],
        limit=choices["limit"],
        n_shot=choices["shots"],
        subset_key=choices["subset_key"],
    )
    if choices["max_tokens"] is not None:
        task = task.with_budget(choices["max_tokens"])
    sampling = Sampling(
        temperature=choices["temperature"],
        top_p=choices["top_p"],
        seed=choices["seed"],
        max_tokens=task.max_tokens,
    )
    return RunPlan(
        task=task,
        engine=_engine(choices, observer),
        sampling=sampling,
        repeats=choices["repeat"],
        concurrency=choices["concurrency"],
        retries=choices["retries"],
        timeout_s=choices["timeout_s"],
        out=choices["out"],
        runs_dir=choices["runs_dir"],
        meters=tuple(choices["meters"]) or ("auto",),
        engine_pid=choices["engine_pid"],
        boards=tuple(choices["boards"]),
        temperature_limit_c=choices["max_temperature"],
    )


def _engine(choices: Mapping[str, Any], observer: TerminalObserver) -> Engine:
    url, model = choices["engine_url"], choices["model"]
    progress = engine_progress(observer)
    if url == "embedded":
        options = EmbeddedOptions(
            model=Path(model) if model else None,
            threads=choices["threads"],
            n_ctx=choices["n_ctx"],
            n_parallel=choices["concurrency"],
        )
        if choices["api_key_env"] is not None:
            raise InputError("--api-key-env goes with --engine URL", why="the embedded engine needs no key")
        return EmbeddedEngine(options, progress=progress)
    for option in ("threads", "n_ctx"):
        if choices[option] is not None:
            raise InputError(
                f"--{option.replace('_', '-')} is for the embedded engine",
                why=f"the engine at {url} was started by somebody else",
                fix="set it where that engine is started",
            )
    return UrlEngine(UrlOptions(url, model, choices["api_key_env"]), progress=progress)


def _report(root: Path, view: RunView, *, as_json: bool) -> bool:
    """Print the run's figures and write its page; tells whether any request was answered.

    A page that cannot be written (full disk) costs no figure: it is said, and the figures are printed.
    """
    layout, summary = RunLayout(root), summarize(view)
    try:
        write_report(summary, view, layout.report)
        page: str | None = str(layout.report.resolve())
    except InputError as error:
        click.echo(f"no page: {error}", err=True)
        page = None
    if as_json:
        document = {"run_dir": str(root), "report": page, **summary.to_json()}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        print_summary(summary, Console())
        click.echo(f"\nrun:    {root}\nreport: {page or 'none'}")
    return summary.n_requests > summary.verdicts.get("failed", 0)
