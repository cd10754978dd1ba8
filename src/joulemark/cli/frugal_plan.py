"""``joulemark frugal plan``: how many items a target needs, and what they cost, before any is asked."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.options import FiniteRange, declared_rates, rate_options

if TYPE_CHECKING:
    from joulemark.frugal.planning.known_task import KnownTask
    from joulemark.rates.declared import DeclaredRates

_TARGET = "accuracy ±1pp"


@click.command()
@click.argument("sources", nargs=-1, metavar="[RUN|FILE]...", type=click.Path(path_type=Path))
@click.option(
    "--task",
    "stated",
    multiple=True,
    metavar="NAME=N:p[:COST,…]",
    help="A task as you state it: gsm8k=1319:0.57, with costs of an item gsm8k=1319:0.57:12±4J,1.3s.",
)
@click.option(
    "--target",
    "--stop",
    "targets",
    multiple=True,
    metavar="TARGET",
    help='What is to be known, as of `bench run --stop` (default: "accuracy ±1pp").',
)
@click.option(
    "--over",
    type=click.Choice(["each", "mean", "pooled"]),
    default="each",
    show_default=True,
    help="Every task reaches the target, or the plain mean over tasks does, or the mean over all items.",
)
@click.option(
    "--cost",
    "by_cost",
    metavar="NAME|items",
    help="What the allocation over tasks keeps small: energy_j, usd, wall_s … (default: the first known).",
)
@click.option(
    "--of",
    "sizes",
    multiple=True,
    metavar="[NAME=]N",
    help="Items of the whole task, where a run asked fewer.",
)
@click.option("--model", metavar="NAME", help="Which model of files that hold several.")
@click.option(
    "--benchmark", "benchmarks", multiple=True, metavar="NAME", help="Which matrices of an archive."
)
@click.option(
    "--metric", metavar="NAME", help="The column, scorer or statistic that says how good an answer is."
)
@click.option(
    "--by-domain", is_flag=True, help="Plan the parts of one file (its column of domains) as tasks."
)
@click.option(
    "--gain",
    type=FiniteRange(0, 1000, min_open=True),
    default=1.0,
    show_default=True,
    help="How many times smaller prior knowledge makes the variance (see `joulemark frugal choose`).",
)
@rate_options
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write a page, one offline file."
)
@click.option("--json", "as_json", is_flag=True, help="Print the plan as JSON, unrounded.")
def plan(
    sources: tuple[Path, ...],
    stated: tuple[str, ...],
    targets: tuple[str, ...],
    over: str,
    by_cost: str | None,
    sizes: tuple[str, ...],
    model: str | None,
    benchmarks: tuple[str, ...],
    metric: str | None,
    by_domain: bool,
    gain: float,
    page: Path | None,
    as_json: bool,
    **rates: Any,
) -> None:
    """Say how many items targets need, and what these cost, per task and over tasks.

    What is known comes from earlier runs (or any file of outcomes), or is stated with --task.
    """
    import orjson

    from joulemark.frugal.planning.plan import OVERS
    from joulemark.frugal.planning.plan import plan as planned
    from joulemark.frugal.planning.plan_course import course_of
    from joulemark.frugal.planning.plan_json import plan_json
    from joulemark.frugal.planning.stated_task import parse_task
    from joulemark.frugal.target import parse_targets
    from joulemark.record.errors import InputError

    wanted = parse_targets(targets or (_TARGET,))
    declared = declared_rates(rates)
    tasks = [
        *_known(sources, model, benchmarks, metric, declared, by_domain=by_domain),
        *map(parse_task, stated),
    ]
    if not tasks:
        raise InputError(
            "no task was named",
            why="a plan needs to know how outcomes spread",
            fix="joulemark frugal plan RUN, or --task NAME=N:p",
        )
    of = OVERS[OVERS.index(over)]
    found = planned(_sized(tasks, sizes), wanted, over=of, by_cost=by_cost, gain=gain)
    if page is not None:
        from joulemark.report.frugal_plan_html import write_plan

        fix = f"make {page.parent} a folder that you may write in, or name another file with --html"
        write_plan(found, page, fix=fix)
    if as_json:
        document = {**plan_json(found, course_of(found)), "page": None if page is None else str(page)}
        click.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2).decode())
        return
    from rich.console import Console

    from joulemark.report.frugal_plan_terminal import print_plan

    print_plan(found, Console())
    if page is not None:
        click.echo(f"\npage: {page.resolve()}")


def _known(
    sources: tuple[Path, ...],
    model: str | None,
    benchmarks: tuple[str, ...],
    metric: str | None,
    rates: DeclaredRates,
    *,
    by_domain: bool,
) -> list[KnownTask]:
    """Return what files and runs tell, each name once."""
    from joulemark.frugal.outcomes.outcome_file import read_outcomes
    from joulemark.frugal.planning.known_task import by_domain as parts_of
    from joulemark.frugal.planning.known_task import known_from
    from joulemark.record.errors import InputError

    found: list[KnownTask] = []
    for source in sources:
        for benchmark in benchmarks or (None,):
            outcomes = read_outcomes(source, metric=metric, model=model, benchmark=benchmark, rates=rates)
            if not by_domain:
                found.append(known_from(outcomes, name=benchmark or outcomes.task or source.stem))
                continue
            if outcomes.domains is None:
                raise InputError(
                    f"{source} names no domains of its items",
                    why="there is no column domain, category, subject or group",
                    fix="leave --by-domain out",
                )
            found += parts_of(outcomes)
    return found


def _sized(tasks: list[KnownTask], sizes: tuple[str, ...]) -> list[KnownTask]:
    """Return the tasks with the sizes that were said, and with names of which none stands twice."""
    from dataclasses import replace

    from joulemark.frugal.planning.stated_task import with_size
    from joulemark.record.errors import InputError

    seen: dict[str, int] = {}
    named = []
    for task in tasks:
        seen[task.name] = seen.get(task.name, 0) + 1
        times = seen[task.name]
        named.append(task if times == 1 else replace(task, name=f"{task.name} ({times})"))
    for text in sizes:
        name, _, digits = text.rpartition("=")
        places = [k for k, task in enumerate(named) if not name or task.name == name]
        if not digits.isdecimal() or len(places) != 1 or len(digits) > 12:
            raise InputError(
                f"--of {text} names no size of a task",
                why=f"the tasks are {', '.join(task.name for task in named)}",
                fix="--of N for one task, --of NAME=N for one of several",
            )
        named[places[0]] = with_size(named[places[0]], int(digits))
    return named
