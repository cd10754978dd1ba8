"""``joulemark doctor``: what this machine can measure, and how to get the rest."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from joulemark.cli.options import meters_option

if TYPE_CHECKING:
    from joulemark.runs.diagnosis import Diagnosis


@click.command()
@meters_option
@click.option(
    "--keep", is_flag=True, help="Keep the meters named by address on file, for `auto` to find them."
)
@click.option("--no-test", is_flag=True, help="List the sources without the self-test of a few seconds.")
@click.option(
    "--restore", "restores", is_flag=True, help="Put back power limits that a killed calibration left."
)
@click.option("--factory", is_flag=True, help="With --restore: to the factory's limits.")
@click.option(
    "--forget", "forgotten", multiple=True, metavar="KIND:ADDRESS", help="Take a meter off the file again."
)
@click.option("--json", "as_json", is_flag=True, help="Tell it as JSON.")
def doctor(
    meters: tuple[str, ...],
    keep: bool,
    no_test: bool,
    restores: bool,
    factory: bool,
    forgotten: tuple[str, ...],
    as_json: bool,
) -> None:
    """List every source of energy: what it would measure, whether its self-test believes it, and for each
    missing one the command that mends it. Exit code 1 where there is no usable source.

    With --restore it puts back the power limits that a calibration was killed before it could, and no more;
    with --forget it takes meters off the file, and no more.
    """
    import orjson
    from rich.console import Console

    from joulemark.calibration.restore import leftover
    from joulemark.report.diagnosis import print_diagnosis
    from joulemark.report.wording import printable
    from joulemark.runs.diagnosis import diagnose

    if factory and not restores:
        raise click.UsageError("--factory goes with --restore")
    if forgotten:
        if keep or restores or meters != ("auto",):
            raise click.UsageError("--forget stands alone: it tests nothing")
        _forget(forgotten, as_json=as_json)
        return
    if restores:
        _restore(to_default=factory, as_json=as_json)
        return
    left = leftover()
    diagnosis = diagnose(meters, test=not no_test)
    if as_json:
        document = {**diagnosis.to_json(), "power_limits_left": left}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        print_diagnosis(diagnosis, Console())
    if keep:
        _keep(meters, diagnosis)
    elif diagnosis.worth_keeping:
        click.echo(f"{_named(diagnosis.worth_keeping)} works; add --keep to use it in every run", err=True)
    if left is not None:
        click.secho(f"! {printable(left)}", err=True, bold=True, fg="red")
    sys.exit(0 if diagnosis.usable else 1)


def _keep(meters: tuple[str, ...], diagnosis: Diagnosis) -> None:
    """Put the meters that were named by address on file; raises `InputError` where one gives nothing."""
    from joulemark.meters.configured import keep_meters
    from joulemark.record.errors import InputError

    addressed = [meter for meter in meters if ":" in meter]
    if not addressed:
        raise InputError("no meter to keep", fix="joulemark doctor --meter KIND:ADDRESS --keep")
    if simulated := [meter for meter in addressed if meter in diagnosis.simulated]:
        raise InputError(
            "nothing was kept",
            why=f"{_named(simulated)} is a SIMULATED board, and a meter on file is read in every run",
            fix="name it in the one run of the simulated engine: --meter KIND:ADDRESS",
        )
    if not diagnosis.all_usable:
        raise InputError("nothing was kept", why="not every meter named here can be read", fix="see above")
    click.echo(f"kept in {keep_meters(addressed)}", err=True)


def _forget(meters: tuple[str, ...], *, as_json: bool) -> None:
    import orjson

    from joulemark.meters.configured import configured_meters, forget_meters, meters_path

    forgotten, path = forget_meters(meters), str(meters_path())
    if as_json:
        document = {"forgotten": forgotten, "on_file": configured_meters(), "file": path}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    click.echo(f"forgotten: {_named(forgotten)} (in {path})")


def _named(meters: Sequence[str]) -> str:
    from joulemark.report.wording import printable

    return ", ".join(map(printable, meters))


def _restore(*, to_default: bool, as_json: bool) -> None:
    import orjson

    from joulemark.calibration.restore import restore
    from joulemark.report.wording import printable

    said = restore(to_default=to_default)
    if as_json:
        click.echo(orjson.dumps({"restored": said}, option=orjson.OPT_INDENT_2).decode())
        return
    for line in said or ["no calibration left a power limit changed"]:
        click.echo(printable(line))
