"""``joulemark doctor``: what this machine can measure, and how to get the rest."""

from __future__ import annotations

import sys

import click


@click.command()
@click.option(
    "--meter", "meters", multiple=True, metavar="auto|nvml|rapl|none|replay:FILE", help="Look at these only."
)
@click.option("--no-test", is_flag=True, help="List the sources without the self-test of a few seconds.")
@click.option("--json", "as_json", is_flag=True)
def doctor(meters: tuple[str, ...], no_test: bool, as_json: bool) -> None:
    """List every source of energy: what it would measure, whether its self-test believes it, and for each
    missing one the command that mends it. Exit code 1 where there is no usable source.
    """
    import orjson
    from rich.console import Console

    from joulemark.report.diagnosis import print_diagnosis
    from joulemark.runs.diagnosis import diagnose

    diagnosis = diagnose(meters or ("auto",), test=not no_test)
    if as_json:
        click.echo(orjson.dumps(diagnosis.to_json(), option=orjson.OPT_INDENT_2).decode())
    else:
        print_diagnosis(diagnosis, Console())
    sys.exit(0 if diagnosis.usable else 1)
