"""``joulemark code grade``: run the programs in the answers of a run, and grade these."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from joulemark.cli.options import FiniteRange


@click.command()
@click.argument("run", type=click.Path(path_type=Path))
@click.option("--no-measure", is_flag=True, help="Only right or wrong: time no program.")
@click.option("--tests", "n_tests", type=click.IntRange(1, 100_000), help="Tests a problem (default: 100).")
@click.option(
    "--timeout", "timeout_s", type=FiniteRange(0, 3600, min_open=True), help="Seconds for one call."
)
@click.option("--memory", "memory_mib", type=click.IntRange(min=32), help="MiB that a program may use.")
@click.option("--workers", type=click.IntRange(min=1), help="Programs at a time (default: one a core).")
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
def grade(run: Path, no_measure: bool, workers: int | None, as_json: bool, **chosen: Any) -> None:
    """Run the programs in the answers of RUN, write their grades, and show the run.

    `joulemark bench run` does this by itself at its end. A grading that was stopped goes on where it was;
    other options than before judge everything anew, and what was there is kept beside it.
    """
    from joulemark.cli.grading import graded
    from joulemark.cli.report import show
    from joulemark.code.evaluation.settings import Settings
    from joulemark.code.joined.grade_run import settings_under_way

    said: dict[str, Any] = {name: value for name, value in chosen.items() if value is not None}
    if no_measure:
        said["measure"] = False
    settings = (settings_under_way(run) or Settings()).model_copy(update=said)
    view = graded(run, settings, workers)
    show(run, view, as_json=as_json)
