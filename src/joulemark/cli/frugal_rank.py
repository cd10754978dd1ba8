"""``joulemark frugal rank``: many models in order, with as few questions as that takes."""

from __future__ import annotations

from pathlib import Path

import click


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="RUN|FILE...", type=click.Path(path_type=Path))
@click.option(
    "--model", "models", multiple=True, help="Of a table or an archive: this model; may be given again."
)
@click.option("--benchmark", help="Of an archive that holds several: which one.")
@click.option(
    "--metric",
    metavar="NAME",
    help="The column, scorer or statistic to rank by: right and wrong, or a score within 0 and 1.",
)
@click.option(
    "--tie", default="1pp", show_default=True, help="Models that are nearer than this are a tie (1pp, 0.02)."
)
@click.option(
    "--control",
    type=click.Choice(["family", "fdr", "none"]),
    default="family",
    show_default=True,
    help="All claims right with 95 %; at most 5 % of the claims false; or each pair by itself.",
)
@click.option("--json", "as_json", is_flag=True, help="Print models and pairs as JSON, unrounded.")
def rank(
    files: tuple[Path, ...],
    models: tuple[str, ...],
    benchmark: str | None,
    metric: str | None,
    tie: str,
    control: str,
    as_json: bool,
) -> None:
    """Rank models by how often they are right (or a score): groups told apart, and what that takes.

    Finished runs are replayed in one random order. Each pair is asked no further than until it is settled.
    """
    import orjson

    from joulemark.frugal.paired.decision import PairedTest
    from joulemark.frugal.paired.gather import read_models
    from joulemark.frugal.paired.ranking import CONTROLS
    from joulemark.frugal.paired.ranking import rank as ranked
    from joulemark.frugal.paired.tie_width import require_narrow, tie_width
    from joulemark.report.frugal_paired_ranking import print_ranking, ranking_json

    both, without = read_models(files, models=models, benchmark=benchmark, metric=metric)
    epsilon = tie_width(tie)
    require_narrow(epsilon, both.span, scored=both.graded == "score")
    question = PairedTest(epsilon=epsilon, span=both.span, real=not both.binary)
    how = next(one for one in CONTROLS if one == control)
    found = ranked(both.values, question, how, drawn_from=both.n_items, refusals=both.refusals)
    if as_json:
        document = ranking_json(both, without, found)
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    print_ranking(both, without, found, Console())
