"""``joulemark grid``: the table of grid intensities, with year, source and licence."""

from __future__ import annotations

import click


@click.command()
@click.argument("zone", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print the rows as JSON, unrounded.")
def grid(zone: str | None, as_json: bool) -> None:
    """Print the grid's carbon intensity of ZONE (FRA, FR, US-CA, WORLD), or of every zone there is.

    `--zone` of `bench`, `report`, `record` and `calibrate` takes the same codes. Two tables differ by 4 to
    27 % for one zone, so a factor is always shown with its year and source.
    """
    from dataclasses import asdict

    import orjson

    from joulemark.metrics.grid import grid_table
    from joulemark.rates.declared import zone_intensity

    rows = [zone_intensity(zone)] if zone is not None else list(grid_table().values())
    if as_json:
        document = [asdict(row) for row in rows]
        shown = document[0] if zone is not None else document
        click.echo(orjson.dumps(shown, option=orjson.OPT_INDENT_2).decode())
        return
    credits: dict[tuple[str, str, str], int] = {}
    for row in rows:
        credit = credits.setdefault((row.source, row.basis, row.licence), len(credits) + 1)
        named = f"{row.name} ({row.alpha2})" if row.alpha2 else row.name
        click.echo(f"{row.zone:<6}{row.gco2e_per_kwh:>9.2f} g CO2e/kWh  {row.year}  [{credit}]  {named}")
    click.echo("")
    for (source, basis, licence), number in credits.items():
        click.echo(f"[{number}] {source}; {basis}; {licence}")
