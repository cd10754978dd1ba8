"""``joulemark frugal cutoff``: the published cut-off of a task, and the truth beside it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.options import FiniteRange, declared_rates, rate_options

if TYPE_CHECKING:
    from joulemark.frugal.published.method import Method
    from joulemark.frugal.published.study import Null

_NULL_ITEMS = 10_000


@click.command()
@click.argument("source", required=False, metavar="[RUN|FILE]", type=click.Path(path_type=Path))
@click.option("--metric", metavar="NAME", help="Another column: a score, a cost, a latency.")
@click.option("--model", metavar="NAME", help="Which model of a file that holds several.")
@click.option("--benchmark", metavar="NAME", help="Which matrix of an archive that holds several.")
@click.option(
    "--reading",
    type=click.Choice(["A", "B"]),
    default="B",
    show_default=True,
    help="Frames: overlapping windows (B, which gives the published figures) or disjoint ones (A).",
)
@click.option(
    "--frac", type=FiniteRange(0.05, 1), default=2 / 3, help="Lowess: share of the slopes (default: 2/3)."
)
@click.option(
    "--passes", type=click.IntRange(0, 20), default=3, show_default=True, help="Lowess: robust passes."
)
@click.option(
    "--frame",
    type=FiniteRange(0, 1e9, min_open=True),
    default=0.01,
    show_default=True,
    help="Length of a frame: items, or a share of all items where it is below 1.",
)
@click.option("--shuffles", type=click.IntRange(2, 100_000), default=1000, show_default=True)
@click.option("--sensitivity", type=FiniteRange(0, 100), default=1.0, show_default=True, help="Kneedle: S.")
@click.option(
    "--exact",
    is_flag=True,
    help="Every window and slope, as up to 2,000 items always; gives the p of normality. A minute at 50,000.",
)
@click.option(
    "--slope",
    type=click.Choice(["ols", "ends"]),
    help="Of a frame: least squares (the default where exact), or between its ends.",
)
@click.option(
    "--null", is_flag=True, help="Run the same pipeline on random numbers; without RUN|FILE on nothing else."
)
@click.option(
    "--null-numbers",
    type=click.Choice(["brownian", "bernoulli"]),
    default="brownian",
    show_default=True,
    help="Of --null: Brownian motion, or coins thrown anew for each shuffle.",
)
@click.option("--items", type=click.IntRange(10, 1_000_000), help="Of --null without RUN|FILE (10000).")
@click.option("--stratify", is_flag=True, help="Shuffles that keep the proportions of the domains.")
@click.option("--self-apply", is_flag=True, help="Apply it to its own result until normality is rejected.")
@click.option("--frame-study", is_flag=True, help="The cut-off by the length of frames.")
@click.option("--target", metavar="TARGET", help='What is to be known (default: "accuracy ±1pp").')
@click.option(
    "--project",
    "projects",
    multiple=True,
    metavar="NAME,KEY=VALUE,…",
    help="Cost, latency, carbon with another model, modelled: verbosity, usd_in, usd_out (per million "
    "tokens), gco2e_per_1k_tokens, s_per_token, chars_per_token, prompt_tokens.",
)
@rate_options
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page, one offline file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the figures as JSON, unrounded.")
def cutoff(
    source: Path | None,
    metric: str | None,
    model: str | None,
    benchmark: str | None,
    null: bool,
    null_numbers: str,
    items: int | None,
    page: Path | None,
    as_json: bool,
    **chosen: Any,
) -> None:
    """Compute the published cut-off, and say what it is: a constant of its smoother.

    Beside it stand the interval that plain random sampling gives at that size, and the number of items that
    a target needs.
    """
    from joulemark.frugal.published.study import Null
    from joulemark.record.errors import InputError

    kind = Null(null_numbers) if null else None
    if source is not None and items is not None:
        raise InputError("--items is for --null alone", why=f"{source} has its own", fix="leave it out")
    if source is None:
        if kind is None:
            raise InputError(
                "no run or file was named",
                why="there is nothing to cut",
                fix="joulemark frugal cutoff RUN|FILE, or --null",
            )
        alone = (
            "metric",
            "model",
            "benchmark",
            "target",
            "projects",
            "stratify",
            "self_apply",
            "frame_study",
        )
        _require_none({"metric": metric, "model": model, "benchmark": benchmark, **chosen}, alone)
        _of_null(kind, items or _NULL_ITEMS, chosen, page, as_json)
    else:
        _of_file(
            source, {"metric": metric, "model": model, "benchmark": benchmark}, kind, chosen, page, as_json
        )


def _of_null(kind: Null, items: int, chosen: Mapping[str, Any], page: Path | None, as_json: bool) -> None:
    from rich.console import Console

    from joulemark.cli.frugal_progress import ShuffleProgress
    from joulemark.frugal.published.study import run_null
    from joulemark.frugal.published.study_json import null_json
    from joulemark.report.frugal_cutoff_html import write_null
    from joulemark.report.frugal_cutoff_terminal import print_null

    method = _method(chosen)
    with ShuffleProgress(method.shuffles) as progress:
        found = run_null(kind, items, method, progress.stage)
    if page is not None:
        write_null(found, page, fix=_fix(page))
    if not as_json:
        print_null(found, Console())
    _end(null_json(found), page, as_json)


def _of_file(
    source: Path,
    which: Mapping[str, str | None],
    null: Null | None,
    chosen: Mapping[str, Any],
    page: Path | None,
    as_json: bool,
) -> None:
    from rich.console import Console

    from joulemark.cli.frugal_progress import ShuffleProgress
    from joulemark.frugal.outcomes.outcome_file import read_outcomes
    from joulemark.frugal.published.declared_model import parse_model
    from joulemark.frugal.published.honest import wanted_target
    from joulemark.frugal.published.study import study
    from joulemark.frugal.published.study_json import study_json
    from joulemark.report.frugal_cutoff_html import write_cutoff
    from joulemark.report.frugal_cutoff_terminal import print_cutoff

    method = _method(chosen)
    others = tuple(parse_model(text) for text in chosen["projects"])
    outcomes = read_outcomes(
        source,
        metric=which["metric"],
        model=which["model"],
        benchmark=which["benchmark"],
        rates=declared_rates(chosen),
    )
    target = chosen["target"]
    with ShuffleProgress(method.shuffles) as progress:
        found = study(
            outcomes,
            method,
            wanted=None if target is None else wanted_target(target, outcomes),
            stratify=chosen["stratify"],
            null=null,
            others=others,
            frames=chosen["frame_study"],
            itself=chosen["self_apply"],
            stages=progress.stage,
        )
    if page is not None:
        write_cutoff(found, page, fix=_fix(page))
    if not as_json:
        print_cutoff(found, Console())
    _end(study_json(found), page, as_json)


def _method(chosen: Mapping[str, Any]) -> Method:
    from joulemark.frugal.published.frames import Reading
    from joulemark.frugal.published.method import Method
    from joulemark.frugal.published.tracking import Slope

    frame = chosen["frame"]
    return Method(
        reading=Reading(chosen["reading"]),
        share=min(frame, 1.0),
        length=None if frame < 1 else round(frame),
        frac=chosen["frac"],
        passes=chosen["passes"],
        sensitivity=chosen["sensitivity"],
        shuffles=chosen["shuffles"],
        exact=chosen["exact"],
        slope=None if chosen["slope"] is None else Slope(chosen["slope"]),
        seed=chosen["seed"],
    )


def _require_none(options: Mapping[str, Any], names: tuple[str, ...]) -> None:
    """Refuse what random numbers have not."""
    from joulemark.record.errors import InputError

    for name in names:
        if options[name]:
            option = {"projects": "project"}.get(name, name).replace("_", "-")
            raise InputError(
                f"--{option} takes a run or a file",
                why="random numbers have none",
                fix=f"joulemark frugal cutoff RUN|FILE --null --{option} …",
            )


def _fix(page: Path) -> str:
    return f"make {page.parent} a folder that you may write in, or name another file with --html"


def _end(document: dict[str, Any], page: Path | None, as_json: bool) -> None:
    """Print the document, or where the page lies."""
    import orjson

    if as_json:
        document["page"] = None if page is None else str(page)
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
    elif page is not None:
        click.echo(f"\npage: {page.resolve()}")
