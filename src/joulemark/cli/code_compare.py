"""``joulemark code compare`` and ``compare-environments``: several evaluations side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from joulemark.record.errors import InputError

if TYPE_CHECKING:
    from joulemark.code.evaluation.journal import Recorded
    from joulemark.code.evaluation.record import EvaluationRecord

_DIRECTORY = click.Path(path_type=Path)  # a file of programs gets an error of its own


@click.command()
@click.argument("directories", nargs=-1, required=True, metavar="DIR DIR...", type=_DIRECTORY)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
def compare(directories: tuple[Path, ...], as_json: bool) -> None:
    """Set evaluations side by side: all problems, then those to which every model has a right answer.

    The same answers evaluated again give a mean with its deviation; evaluated with another number of tests,
    what the tests change. Figures rank only within one environment, and others are refused.
    """
    import orjson
    from rich.console import Console

    from joulemark.code.evaluation.comparison import compare_evaluations
    from joulemark.report.code_comparison import comparison_json, print_code_comparison

    compared = compare_evaluations(_read(directories))
    if as_json:
        click.echo(orjson.dumps(comparison_json(compared), option=orjson.OPT_INDENT_2).decode())
        return
    print_code_comparison(compared, Console())


@click.command("compare-environments")
@click.argument("directories", nargs=-1, required=True, metavar="DIR DIR...", type=_DIRECTORY)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
def compare_environments(directories: tuple[Path, ...], as_json: bool) -> None:
    """Say how far machines agree about models: evaluations of the same answers on each of them.

    Kendall's tau of the models' and the tasks' rankings, and whether the ratios differ between machines.
    """
    import orjson
    from rich.console import Console

    from joulemark.code.evaluation.comparison import compare_machines
    from joulemark.report.code_comparison import machines_json, print_machines

    compared = compare_machines(_read(directories))
    if as_json:
        click.echo(orjson.dumps(machines_json(compared), option=orjson.OPT_INDENT_2).decode())
        return
    print_machines(compared, Console())


def _read(directories: tuple[Path, ...]) -> list[tuple[str, EvaluationRecord, Recorded]]:
    from joulemark.code.evaluation.record import evaluation_in, read_record
    from joulemark.code.evaluation.sound import read_rows

    if len(directories) < 2:
        raise InputError(
            "one evaluation was named",
            why="a comparison takes two or more",
            fix="joulemark code compare DIR DIR",
        )
    records = [(one, read_record(one)) for one in map(evaluation_in, directories)]
    return [(str(one), record, read_rows(one, record)) for one, record in records]
