"""``joulemark board import`` and ``board seed``: what others published, and the first runs of a new board."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from joulemark.cli.board_database import database_option, is_there, opened

_json = click.option("--json", "as_json", is_flag=True, help="Print what was taken as JSON.")


@click.command(name="import")
@click.argument("places", nargs=-1, metavar="FILE|DIR...", type=click.Path(path_type=Path))
@database_option
@_json
def import_(places: tuple[Path, ...], database: str, as_json: bool) -> None:
    """Show rows that others published on a board, at the lowest rung of trust.

    FILE was made by `joulemark import`; of a DIR all such files are taken. Rows that the board has change
    nothing. Those that cannot be physical are shown without a rank. Exit code 1 where no row was taken.
    """
    from joulemark.cli.board_extra import require_board

    require_board()
    import orjson

    from joulemark.board.imports.rows import take_rows
    from joulemark.board.imports.seed import stored_rows
    from joulemark.record.errors import InputError

    if not places:
        raise InputError(
            "no file of rows was named",
            fix="joulemark board import FILE   (`joulemark import KIND FILE --into DIR` makes one)",
        )
    rows, passed_over = stored_rows(places)
    is_new = not is_there(database)
    with opened(database, may_make=True) as engine:
        taken = take_rows(engine, rows)
    if as_json:
        document = {
            "is_new_board": is_new,
            "n_new": taken.n_new,
            "n_known": taken.n_known,
            "implausible": list(taken.implausible),
            "passed_over": [{"path": path, "why": why} for path, why in passed_over],
        }
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        if is_new:
            click.echo(f"{database} is a new board: there was none")
        click.echo(f"{taken.n_new} rows are new, {taken.n_known} were there")
        _tell(taken.implausible, passed_over)
    if not rows:
        sys.exit(1)


@click.command()
@click.argument("places", nargs=-1, metavar="FILE|DIR...", type=click.Path(path_type=Path))
@click.option(
    "--mlenergy",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    metavar="DIR",
    help="A folder with ML.ENERGY's published CSV files.",
)
@click.option("--more", is_flag=True, help="The board need not be empty.")
@database_option
@_json
def seed(places: tuple[Path, ...], mlenergy: Path | None, more: bool, database: str, as_json: bool) -> None:
    """Fill a new board: bundles of real runs and imported rows below FILE|DIR, and ML.ENERGY's rows.

    Bundles are verified and judged as submissions are. Exit code 1 where nothing was taken.
    """
    from joulemark.cli.board_extra import require_board

    require_board()
    import orjson

    from joulemark.board.imports.seed import is_empty
    from joulemark.board.imports.seed import seed as seeded
    from joulemark.record.errors import InputError

    if not places and mlenergy is None:
        raise InputError("nothing was named to seed with", fix="joulemark board seed FOLDER --mlenergy DIR")
    with opened(database, may_make=True) as engine:
        if not more and not is_empty(engine):
            raise InputError("the board is not empty", fix="--more adds to what is there")
        found = seeded(engine, places, mlenergy)
    if as_json:
        document = {
            "bundles": found.bundles,
            "n_new": found.rows.n_new,
            "n_known": found.rows.n_known,
            "implausible": list(found.rows.implausible),
            "passed_over": [{"path": path, "why": why} for path, why in found.passed_over],
        }
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    else:
        for status, n in sorted(found.bundles.items()):
            click.echo(f"{n} bundle{'' if n == 1 else 's'} {status}")
        click.echo(f"{found.rows.n_new} published rows are new, {found.rows.n_known} were there")
        _tell(found.rows.implausible, found.passed_over)
    if not found.bundles and not found.rows.n_new + found.rows.n_known:
        sys.exit(1)


def _tell(implausible: tuple[str, ...], passed_over: list[tuple[str, str]]) -> None:
    from joulemark.report.wording import printable

    for line in implausible[:20]:
        click.echo(f"not ranked: {printable(line)}")
    if len(implausible) > 20:
        click.echo(f"not ranked: {len(implausible) - 20} more")
    for path, why in passed_over:
        click.echo(f"passed over: {printable(path)}: {printable(why)}")
