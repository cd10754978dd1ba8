"""``joulemark bench``: ask questions of an engine under the meters, and say what a correct answer cost."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar

import click

from joulemark.cli.measure_options import (
    ENGINE_OPTIONS,
    MACHINE_OPTIONS,
    RECORD_OPTIONS,
    SAMPLING_OPTIONS,
    TASK_OPTIONS,
)
from joulemark.cli.open_answers import open_
from joulemark.cli.opt_in import opt_in, opt_out
from joulemark.cli.stop_options import stop_option
from joulemark.cli.submit import submit, withdraw

Command = TypeVar("Command", bound=Callable[..., Any])


_OPTIONS = (
    *ENGINE_OPTIONS,
    *TASK_OPTIONS,
    stop_option,
    click.option("--repeat", type=click.IntRange(min=1), help="Ask everything so often (default: once)."),
    click.option(
        "--concurrency",
        type=click.IntRange(min=1, max=1024),
        default=1,
        show_default=True,
        help="Requests in flight. 1 gives each answer its own energy.",
    ),
    *SAMPLING_OPTIONS,
    click.option(
        "--no-measure",
        is_flag=True,
        help="Of tasks that ask for programs: run these for right or wrong only, and time none.",
    ),
    *MACHINE_OPTIONS,
    *RECORD_OPTIONS,
)


def measuring(command: Command) -> Command:
    """Give a command the options of a measurement."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


@click.group()
def bench() -> None:
    """Measure what a correct answer costs.

    A run that was interrupted, or killed, goes on where it stopped when the same command is given again.
    """


for _command in (opt_in, opt_out, submit, withdraw, open_):
    bench.add_command(_command)


@bench.command()
@measuring
@click.option(
    "--suite", default="quick", show_default=True, help="Another suite: published, medium, full, reference."
)
def quick(suite: str, **options: Any) -> None:
    """Measure the built-in quick suite (short form of `bench run quick`)."""
    _run((suite,), options)


@bench.command()
@click.argument("names", nargs=-1, required=True, metavar="SUITE|TASK|FILE.toml...")
@measuring
def run(names: tuple[str, ...], **options: Any) -> None:
    """Measure suites and tasks; `joulemark task list` names them, and FILE.toml is a task of your own."""
    _run(names, options)


def _run(names: tuple[str, ...], options: dict[str, Any]) -> None:
    from joulemark.cli.measuring import measure

    sys.exit(measure(names, options))
