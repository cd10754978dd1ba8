"""``joulemark board rebuild``: all rows of a leaderboard anew."""

from __future__ import annotations

import sys

import click

from joulemark.cli.board_database import HELP, opened


@click.command()
@click.option("--database", required=True, metavar="FILE|URL", help=HELP)
@click.option("--from-bundles", is_flag=True, help="Recompute every run from its bundle first.")
@click.option("--json", "as_json", is_flag=True, help="Print what was done as JSON.")
def rebuild(database: str, from_bundles: bool, as_json: bool) -> None:
    """Make all rows of a leaderboard anew from its accepted runs and published rows.

    Rows are kept as runs come and go, so this changes nothing unless something is wrong with them.
    --from-bundles is for after an upgrade whose figures are others. The board may be served meanwhile.
    """
    from joulemark.cli.board_extra import require_board

    require_board()
    import orjson

    from joulemark.board.intake.recomputed import recompute
    from joulemark.board.standing.kept import rebuild as made_anew

    told: dict[str, object] = {"recomputed": 0, "unreadable": []}
    with opened(database) as engine:
        if from_bundles:
            hidden = not sys.stderr.isatty()
            with click.progressbar(
                length=1000, label="recomputing runs", file=sys.stderr, hidden=hidden
            ) as bar:
                found = recompute(engine, lambda at, of: bar.update(at * 1000 // of - bar.pos))
            told = {"recomputed": found.n_runs, "unreadable": list(found.unreadable), "rows": found.n_rows}
        else:
            told["rows"] = made_anew(engine)
    if as_json:
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    click.echo(f"{told['rows']} rows, {told['recomputed']} runs recomputed")
    for digest in told["unreadable"] if isinstance(told["unreadable"], list) else []:
        click.echo(f"  as it was: {digest}: its bundle cannot be read by this version")
