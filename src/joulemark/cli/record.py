"""``joulemark record -- COMMAND``: what any program costs."""

from __future__ import annotations

import contextlib
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.options import FiniteRange, declared_rates, meters_option, rate_options
from joulemark.cli.waiting import say_where_seen

if TYPE_CHECKING:
    from joulemark.live.program import MeasuredProgram

_FILE_WIDTH = 110


@click.command(context_settings={"allow_interspersed_args": False})
@click.argument("command", nargs=-1, required=True, type=click.UNPROCESSED)
@meters_option
@click.option(
    "--interval", "poll_s", type=FiniteRange(0.02, 60), help="Read at least so often, in s (default: 0.2)."
)
@click.option("--json", "as_json", is_flag=True, help="Tell the result as JSON.")
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the result to this file, and nothing of it to standard error.",
)
@rate_options
def record(
    command: tuple[str, ...],
    meters: tuple[str, ...],
    poll_s: float | None,
    as_json: bool,
    out: Path | None,
    **options: Any,
) -> None:
    """Run COMMAND and tell what it took: joules by every meter, time, memory, processor seconds.

    \b
        joulemark record -- python train.py --epochs 3
        joulemark record --zone DEU --json --out cost.json -- make -j8

    The program keeps standard input, output and error, and gets the signals: Ctrl-C is its, and the result is
    told all the same. The result goes to standard error after it, or with --out to a file; never to standard
    output. The joules are those of the whole board, processor or machine in that time. Exit code: the
    program's; 128 + n where signal n ended it, 127 where it was not found, 126 where it cannot be run.
    """
    from joulemark.live.program import measure_program
    from joulemark.rates.declared import rates_of
    from joulemark.record.errors import InputError

    if options["price"] is not None:
        raise InputError(
            "--price prices tokens", why="a program has none", fix="use --usd-per-kwh or --tariff"
        )
    declared = declared_rates(options)
    rates = rates_of(declared) if declared.given else None
    if out is not None:
        _require_writable(out)
    measured = measure_program(command, meters, poll_s=poll_s, rates=rates, progress=say_where_seen())
    if measured.stretch is None:
        why = "it was not found" if measured.end.exit_code == 127 else "it cannot be run"
        click.echo(f"error: {command[0]}: {why}", err=True)
    try:
        _tell(measured, out, as_json=as_json)
    except OSError as error:  # the code is told even where the words are not
        with contextlib.suppress(OSError):
            click.echo(f"error: the result could not be written: {error.strerror}", err=True)
    sys.exit(measured.end.exit_code)


def _tell(measured: MeasuredProgram, out: Path | None, *, as_json: bool) -> None:
    import io

    from rich.console import Console

    from joulemark.report.measured_program import print_program

    if as_json:
        import orjson

        told = orjson.dumps(measured.to_json(), option=orjson.OPT_INDENT_2).decode() + "\n"
    else:
        terminal = Console(stderr=True)
        colours = out is None and terminal.is_terminal
        width = terminal.width if out is None else _FILE_WIDTH
        console = Console(file=io.StringIO(), highlight=False, width=width, force_terminal=colours)
        print_program(measured, console)
        assert isinstance(console.file, io.StringIO)
        told = console.file.getvalue()
    if out is not None:
        out.write_text(told, encoding="utf-8")
    else:
        sys.stderr.write(told)
        sys.stderr.flush()


def _require_writable(out: Path) -> None:
    """Raise `InputError` before the program runs where its result could not be kept."""
    from joulemark.record.errors import InputError

    try:
        out.open("a").close()
    except OSError as error:
        raise InputError(
            f"{out} cannot be written", why=str(error.strerror), fix="name another file"
        ) from error
