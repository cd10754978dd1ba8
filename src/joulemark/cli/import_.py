"""``joulemark import``: results that others published, as rows to choose among."""

from __future__ import annotations

from pathlib import Path

import click


@click.command(name="import")
@click.argument("kind", metavar="KIND")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(path_type=Path))
@click.option(
    "--into", required=True, metavar="DIR", type=click.Path(path_type=Path), help="Where the rows are stored."
)
@click.option("--task", help="The task, where neither the file's name nor its columns say it.")
@click.option("--replace", is_flag=True, help="Take the place of rows from an older version of the file.")
@click.option("--json", "as_json", is_flag=True, help="Print what was imported as JSON.")
def import_(
    kind: str, files: tuple[Path, ...], into: Path, task: str | None, replace: bool, as_json: bool
) -> None:
    """Read FILE of a KIND and store its rows in DIR, for `joulemark recommend DIR`.

    \b
    KIND is one of
      mlenergy     ML.ENERGY: a CSV of early 2025, a task file of the v3 leaderboard, a run's results.json
      mlenergy-v1  ML.ENERGY 2023: GPU_TASK_benchmark.csv with score.csv beside it

    What is published has the lowest trust: it is never ranked with measured runs unless told. The same file
    again changes nothing.
    """
    import orjson

    from joulemark.bundles.kinds import import_file
    from joulemark.bundles.published import n_without_energy

    done = [(path, import_file(kind, path, into, task=task, replace=replace)) for path in files]
    if as_json:
        document = [
            {
                "file": str(path),
                "stored": str(stored.path),
                "state": stored.state,
                "n_rows": len(stored.rows),
                "n_zero_energy": n_without_energy(stored.rows),
                "task": stored.rows[0].task,
                "unit": stored.rows[0].unit,
                "models": sorted({row.model for row in stored.rows}),
                "devices": sorted({row.device for row in stored.rows if row.device is not None}),
                "tpot_definition": stored.rows[0].tpot_definition,
                "source": stored.rows[0].source,
                "licence": stored.rows[0].licence,
                "replaced": [str(old) for old in stored.replaced],
            }
            for path, stored in done
        ]
        shown = document[0] if len(document) == 1 else document
        click.echo(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
        return
    for path, stored in done:
        rows = stored.rows
        models = len({row.model for row in rows})
        click.echo(
            f"{path.name}: {len(rows)} rows of {models} models, task {rows[0].task}: {stored.state}, "
            f"in {stored.path}"
        )
        zeros = n_without_energy(rows)
        if zeros:
            click.echo(f"note: {zeros} of them were published with 0 J, so their energy is not known")
    click.echo(f"next: joulemark recommend {into} --model NAME --max-tpot 100ms")
