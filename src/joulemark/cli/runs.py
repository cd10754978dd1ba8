"""``joulemark runs``: what was measured here, and how far repeated runs lie apart."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--runs-dir", type=click.Path(path_type=Path), default=Path("joulemark-runs"), show_default=True
)
@click.option(
    "--spread", is_flag=True, help="Mean ± sample σ (n) over the complete runs of each configuration."
)
@click.option("--json", "as_json", is_flag=True)
def runs(runs_dir: Path, spread: bool, as_json: bool) -> None:
    """List the runs below a directory."""
    import orjson

    from joulemark.report.wording import printable
    from joulemark.runs.listing import list_runs

    listed = list_runs(runs_dir)
    if spread:
        _print_spreads(listed, as_json=as_json)
        return
    if as_json:
        click.echo(orjson.dumps(listed, option=orjson.OPT_INDENT_2).decode())
        return
    if not listed:
        click.echo(f"no runs below {runs_dir}; `joulemark bench quick` makes one")
    for facts in listed:
        answers = f"{facts['answers']}/{facts['wanted']}"
        line = f"{facts['created_utc']}  {facts['state']:<8} {answers:>9}  {facts['run_dir']}"
        click.echo(printable(line, keep_spaces=True))


def _print_spreads(listed: list[dict[str, object]], *, as_json: bool) -> None:
    import orjson

    from joulemark.metrics.catalogue import definition
    from joulemark.report.repeats import spread_text
    from joulemark.report.wording import printable
    from joulemark.runs.spread import spreads_of

    found = spreads_of(listed)
    if as_json:
        click.echo(orjson.dumps([one.to_json() for one in found], option=orjson.OPT_INDENT_2).decode())
        return
    if not found:
        click.echo("no complete runs; a spread needs two of one configuration: repeat the same command")
    for one in found:
        click.echo(printable(f"{one.task} · {one.model} · configuration {one.config_hash[:12]}"))
        for root in one.run_dirs:
            click.echo(f"    {printable(root)}")
        if one.refusal is not None:
            click.echo(f"    not pooled: {printable(one.refusal)}")
        told = {name: spread for name, spread in one.figures.items() if spread.sigma is not None}
        if one.refusal is None and not told:
            click.echo("    one run, asked once: no spread")
        for name, spread in told.items():
            click.echo(f"  {definition(name).title:<38} {spread_text(name, spread)}")
