"""``joulemark runs``: what was measured here, and how far repeated runs lie apart."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.option(
    "--runs-dir",
    type=click.Path(path_type=Path),
    default=Path("joulemark-runs"),
    show_default=True,
    help="Where the run directories are.",
)
@click.option(
    "--spread", is_flag=True, help="Mean ± sample σ (n) over the complete runs of each configuration."
)
@click.option("--json", "as_json", is_flag=True, help="Tell it as JSON.")
def runs(runs_dir: Path, spread: bool, as_json: bool) -> None:
    """List the runs below a directory: energy per correct answer, accuracy and tier, the newest last."""
    import orjson

    from joulemark.report.run_line import run_lines
    from joulemark.runs.headline_figures import headline_figures
    from joulemark.runs.listing import list_runs

    listed = list_runs(runs_dir)
    if spread:
        _print_spreads(listed, as_json=as_json)
        return
    if as_json:
        told = [{**facts, **headline_figures(Path(str(facts["run_dir"]))).to_json()} for facts in listed]
        click.echo(orjson.dumps(told, option=orjson.OPT_INDENT_2).decode())
        return
    if not listed:
        click.echo(f"no runs below {runs_dir}; `joulemark bench quick` makes one")
    for facts in listed:
        click.echo(run_lines(facts, headline_figures(Path(str(facts["run_dir"])))))


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
