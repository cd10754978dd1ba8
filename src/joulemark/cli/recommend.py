"""``joulemark recommend``: the configuration of the least energy within limits."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.limit_options import limit_options, limits_of, pairs_of
from joulemark.cli.options import declared_rates, rate_options
from joulemark.cli.ranked_output import page_fix, show
from joulemark.metrics.comparable import MIXABLE

if TYPE_CHECKING:
    from rich.console import Console

    from joulemark.metrics.limits import Limit
    from joulemark.metrics.recommendation import Recommendation

SLOW_TOKEN_S = 10.0
"""A limit a token above so many seconds is probably one in milliseconds, without its unit."""
_OF_A_TOKEN = ("tpot_", "itl_", "icl_")


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="DIR...", type=click.Path(path_type=Path))
@click.option("--model", metavar="NAME", help="The model, by its name or words of it.")
@click.option("--gpu", "devices", multiple=True, metavar="NAME", help="Only this device; may be repeated.")
@click.option("--max-gpus", "max_devices", type=click.IntRange(1), help="At most so many devices.")
@click.option("--task", metavar="NAME", help="The task, where there are several.")
@click.option(
    "--preset",
    type=click.Choice(["chat", "code", "image", "video"]),
    help="Usual limits: chat 100 ms a token; code 10 s, image 5 s, video 60 s for all of it.",
)
@limit_options
@click.option(
    "--objective",
    type=click.Choice(["request", "correct"]),
    default="request",
    show_default=True,
    help="The least joules a request (image, video), or a correct answer.",
)
@click.option(
    "--default",
    "defaults",
    multiple=True,
    metavar="SETTING=VALUE",
    help="Marks what you would have run (max_batch=256, device=H100), to compare against.",
)
@click.option(
    "--mix",
    "mixed",
    multiple=True,
    type=click.Choice(MIXABLE),
    help="Rank together what differs in this (never a simulation with others); else it is left out and told.",
)
@rate_options
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write the frontier as a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON, unrounded.")
def recommend(places: tuple[Path, ...], page: Path | None, as_json: bool, **options: Any) -> None:
    """Say which configuration takes the least energy within limits, and what it saves.

    DIR holds imported rows (`joulemark import`), runs, or folders of runs. Limits compare unrounded values;
    without a percentile they bound the mean. Exit code 1 where no configuration meets them: the nearest are
    told.
    """
    from joulemark.bundles.gather import gather
    from joulemark.metrics.recommendation_json import recommendation_json

    limits = limits_of(options)
    if told := _slow_tokens(limits):
        click.echo(told, err=True)
    gathered = gather(places, declared_rates(options))
    found = _recommendation(gathered.points, limits, options)
    if page is not None:
        from joulemark.report.frontier_html import write_frontier

        write_frontier(found, page, fix=page_fix(page))

    def in_words(console: Console) -> None:
        from joulemark.report.frontier_terminal import print_recommendation

        print_recommendation(found, console, unread=gathered.unread)

    show(recommendation_json(found), in_words, unread=gathered.unread, page=page, as_json=as_json)
    if found.pick is None:
        sys.exit(1)


def _slow_tokens(limits: Sequence[Limit]) -> str:
    """Return a hint where a limit a token is so high that milliseconds were probably meant, else nothing."""
    slow = next(
        (one for one in limits if one.name.startswith(_OF_A_TOKEN) and one.bound > SLOW_TOKEN_S), None
    )
    if slow is None:
        return ""
    meant = f"write {slow.bound:g}ms where milliseconds are meant"
    return f"note: {slow.name} may be {slow.bound:g} seconds a token; {meant}"


def _recommendation(points: Any, limits: tuple[Limit, ...], options: dict[str, Any]) -> Recommendation:
    from joulemark.bundles.selection import Selection, select
    from joulemark.metrics.comparable import SeveralTasks
    from joulemark.metrics.presets import PRESETS
    from joulemark.metrics.recommendation import Wish, recommend
    from joulemark.record.errors import InputError

    preset = PRESETS[options["preset"]] if options["preset"] else None
    selection = Selection(
        options["model"], options["task"], preset, options["devices"], options["max_devices"]
    )
    wish = Wish(
        limits=limits if preset is None else preset.limits(limits),
        objective="joules_per_correct" if options["objective"] == "correct" else "energy_j",
        default=dict(pairs_of(options["defaults"], "--default", "max_batch=256")),
        mix=frozenset(options["mixed"]),
    )
    try:
        return recommend(select(points, selection), wish)
    except SeveralTasks as error:
        raise InputError(
            "there are results of several tasks",
            why=f"joules of different questions are not compared: {', '.join(error.tasks)}",
            fix=f'name one: --task "{error.tasks[0]}"',
        ) from error
