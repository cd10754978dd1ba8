"""``joulemark board build``: a whole board as files."""

from __future__ import annotations

import sys
from pathlib import Path

import click


@click.command()
@click.argument("folder", metavar="DIR", type=click.Path(path_type=Path))
@click.option(
    "--from",
    "places",
    required=True,
    multiple=True,
    metavar="BUNDLES|DATABASE",
    help="A folder of bundles (*.zip, at any depth), a bundle, or one board's database. May be repeated.",
)
@click.option(
    "--rows",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="PATH",
    help="Imported rows (`joulemark import`): a file, or a folder of them. May be repeated.",
)
@click.option(
    "--cache",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Keep what was recomputed, so that an unchanged bundle is not recomputed by the next build.",
)
@click.option("--public-url", metavar="URL", help="Where the board will be found: it then has a feed.")
@click.option("--strict", is_flag=True, help="Exit code 3 where a bundle is refused or quarantined.")
@click.option("--json", "as_json", is_flag=True, help="Print the report of the build.")
def build(
    folder: Path,
    places: tuple[str, ...],
    rows: tuple[Path, ...],
    cache: Path | None,
    public_url: str | None,
    strict: bool,
    as_json: bool,
) -> None:
    """Write the leaderboard, the evidence of every run, the frontier and the methodology to DIR.

    Every bundle is verified and judged as a served board does it. The pages need no server and work from
    any folder. DIR is replaced as a whole, and only where it is empty or was built by this command.

    Exit code 0: built; 3: built, and --strict found a bundle that gave no accepted run; 2: bad input.
    """
    from joulemark.cli.board_extra import require_board

    require_board()
    import orjson

    from joulemark.board.site.build import build as built
    from joulemark.bundles.submission.server import address_of

    url = None if public_url is None else address_of(public_url, None)
    with click.progressbar(
        length=1000,
        label="examining bundles",
        file=sys.stderr,
        show_pos=False,
        hidden=not sys.stderr.isatty(),
    ) as bar:

        def told(at: int, of: int) -> None:
            bar.update(at * 1000 // of - bar.pos)

        found = built(folder, places, rows, cache=cache, public_url=url, told=told)
    if as_json:
        click.echo(orjson.dumps(found.to_json(), option=orjson.OPT_INDENT_2).decode())
    else:
        collected = found.collected
        again = f", {found.n_known} of them known from before" if found.n_known else ""
        click.echo(f"board in {folder}: {collected.n_accepted} of {collected.n_files} runs accepted{again}")
        if collected.n_published:
            click.echo(f"  {collected.n_published} rows that others published")
        for one in collected.problems:
            click.echo(f"  {one.status}: {one.file or one.digest}: {'; '.join(one.why) or 'no reason told'}")
        click.echo(f"  open {folder / 'index.html'}")
    sys.exit(3 if strict and found.collected.problems else 0)
