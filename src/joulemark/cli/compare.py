"""``joulemark compare``: runs side by side, and whether they can be told apart."""

from __future__ import annotations

from pathlib import Path

import click

from joulemark.cli.programs import ComparedPrograms, declared_watts, watts_options


@click.command()
@click.argument("runs", nargs=-1, required=True, metavar="A B [C...]", type=click.Path(path_type=Path))
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page, one offline file."
)
@click.option(
    "--stream", is_flag=True, help="Of two: after how many questions it is known who is right more often."
)
@click.option("--tie", default="1pp", show_default=True, help="With --stream: nearer than this is a tie.")
@click.option(
    "--metric",
    metavar="NAME",
    help="With --stream: the column or scorer to decide by, right and wrong or a score within 0 and 1.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
@watts_options
def compare(
    runs: tuple[Path, ...],
    page: Path | None,
    stream: bool,
    tie: str,
    metric: str | None,
    as_json: bool,
    engine_watts: float | None,
    program_watts: float | None,
) -> None:
    """Compare runs by what a correct answer cost: ratios with intervals, each run against the first.

    Of runs that asked for programs it also says after how many runs of these the dearer model has paid back.
    Runs that asked the same questions are paired by item. What may not be compared is withheld, with its
    reason. With --stream two runs are read question by question, those that still grow while they do.
    """
    if stream:
        from joulemark.cli.frugal_stream import compare_stream

        compare_stream(runs, tie, page, metric=metric, as_json=as_json)
        return
    import orjson

    from joulemark.metrics.compare_runs import LABELS, compare_runs
    from joulemark.record.errors import InputError
    from joulemark.runs.view import summary_of

    if metric is not None:
        raise InputError(
            "--metric is for --stream",
            why="without it all figures of the runs are compared",
            fix="leave --metric out, or say --stream",
        )
    if not 2 <= len(runs) <= len(LABELS):
        raise InputError(
            f"{len(runs)} run was named" if len(runs) == 1 else f"{len(runs)} runs were named",
            why=f"a comparison takes two to {len(LABELS)}",
            fix="joulemark compare RUN RUN; `joulemark runs` lists those there are",
        )
    for file in runs:
        if file.is_file():
            raise InputError(
                f"{file} is a file of outcomes and no run",
                why="costs are compared run by run; of files only who is right more often",
                fix="joulemark compare A B --stream",
            )
    declared = declared_watts(engine_watts, program_watts)
    read = [(run, *summary_of(run)) for run in runs]
    compared = compare_runs([(str(run), view, summary) for run, view, summary in read])
    labels = [one.label for one in compared.runs]
    programs = ComparedPrograms(
        [(label, run, view) for label, (run, view, _) in zip(labels, read, strict=True)], declared
    )
    if page is not None:
        from joulemark.report.comparison_html import write_comparison

        fix = f"make {page.parent} a folder that you may write in, or name another file with --html"
        write_comparison(compared, page, fix=fix)
    if as_json:
        document = {**compared.to_json(), "page": None if page is None else str(page), **programs.to_json()}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    from joulemark.report.comparison_terminal import print_comparison

    console = Console()
    print_comparison(compared, console)
    programs.print(console)
    if page is not None:
        click.echo(f"\npage: {page.resolve()}")
