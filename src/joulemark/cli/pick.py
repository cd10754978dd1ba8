"""``joulemark pick``: which model and configuration to run for a workload, and how sure that is."""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from joulemark.cli.limit_options import limit_options, limits_of
from joulemark.cli.options import FiniteRange, declared_rates, rate_options
from joulemark.cli.pick_words import budget, length
from joulemark.cli.ranked_output import page_fix, show
from joulemark.cli.seconds import limit_seconds

if TYPE_CHECKING:
    from rich.console import Console

    from joulemark.metrics.picking import Constraint, TextWorkload, Workload

_BY = ("joules_per_correct", "joules", "usd", "gco2e", "usd_per_correct", "gco2e_per_correct")


@click.command()
@click.argument("places", nargs=-1, required=True, metavar="RUN|DIR...", type=click.Path(path_type=Path))
@click.option("--prompt-tokens", type=length, metavar="N|N±SD", help="Tokens of a prompt: 1200, or 1200±400.")
@click.option("--completion-tokens", type=length, metavar="N|N±SD", help="Tokens of an answer.")
@click.option(
    "--like",
    type=click.Path(path_type=Path, exists=True),
    metavar="FILE|RUN",
    help="Take the lengths from a sample: JSONL of token counts or of prompts and answers, a pasted prompt, "
    "or a run.",
)
@click.option(
    "--requests-per-day", type=FiniteRange(0, min_open=True), metavar="R", help="How many come a day."
)
@click.option("--hardware", metavar="NAME", help="Only devices of this name, or words of it.")
@click.option("--model", metavar="NAME", help="Only models of this name, or words of it.")
@click.option("--task", metavar="NAME", help="Only runs of this task: the accuracy is that of it.")
@partial(limit_options, time=limit_seconds)
@click.option("--budget", "budgets", multiple=True, type=budget, metavar='"$5/day"|"2kWh/day"|"1kg/day"',
              help="The most dollars, energy or CO2e a day. May be repeated.")  # fmt: skip
@click.option(
    "--budget-of",
    type=click.Choice(["day", "requests"]),
    default="day",
    show_default=True,
    help="day: requests and standby between them, which needs `joulemark calibrate`; requests: these alone.",
)
@click.option("--by", type=click.Choice(_BY), default="joules_per_correct", show_default=True,
              help="What to make small.")  # fmt: skip
@rate_options
@click.option(
    "--html", "page", type=click.Path(path_type=Path, dir_okay=False), help="Write the ranking as a page."
)
@click.option("--json", "as_json", is_flag=True, help="Print all of it as JSON, unrounded.")
def pick(places: tuple[Path, ...], page: Path | None, as_json: bool, **options: Any) -> None:
    """Say which model and configuration to run for a workload, what it costs, and how sure that is.

    Requests of the workload are priced by the cost model of each run (joules by prompt and answer tokens),
    which need not have seen such lengths. Published rows are scaled and stand in a table of their own. Exit
    code 1 where nothing keeps what was asked: what fails is told with its figure and its limit.
    """
    from joulemark.bundles.pickable import pickable
    from joulemark.metrics.picking import Wanted, picked_json
    from joulemark.metrics.picking import pick as picked

    workload = _workload(options)
    wanted = Wanted(options["by"], _constraints(options))
    among = pickable(places, declared_rates(options))
    found = picked(among.candidates, workload, wanted)
    if page is not None:
        from joulemark.report.pick_html import write_pick

        write_pick(found, page, fix=page_fix(page))

    def in_words(console: Console) -> None:
        from joulemark.report.pick_terminal import print_pick

        print_pick(found, console, unread=among.unread)

    show(picked_json(found), in_words, unread=among.unread, page=page, as_json=as_json)
    if found.best is None:
        sys.exit(1)


def _workload(options: dict[str, Any]) -> Workload | TextWorkload:
    """Return the workload that the options say; raises `InputError` where they say none, or two."""
    from joulemark.bundles.like import example_of
    from joulemark.metrics.picking import TextWorkload, declared, sampled
    from joulemark.record.errors import InputError

    prompt, completion, like = options["prompt_tokens"], options["completion_tokens"], options["like"]
    a_day = options["requests_per_day"]
    if like is None:
        if prompt is None or completion is None:
            raise InputError(
                "how long the requests are was not said",
                fix="--prompt-tokens 1200 --completion-tokens 300, or --like FILE",
            )
        return declared(prompt, completion, a_day)
    if prompt is not None:
        raise InputError(
            "--like and --prompt-tokens were both given",
            why="each says how long prompts are",
            fix="leave one out",
        )
    example = example_of(like)
    lacking = any(answer is None for _, answer in (*example.counts, *example.texts))
    if lacking and completion is None:
        raise InputError(
            f"{like} does not say how long the answers are", fix="add --completion-tokens, for instance 300"
        )
    if not lacking and completion is not None:
        raise InputError(
            "--like and --completion-tokens were both given",
            why="the sample holds answers of its own",
            fix="leave one out",
        )
    if lacking and completion.sd:
        raise InputError(
            "answers of a sample without any have one length here",
            fix=f"--completion-tokens {completion.mean:g}",
        )
    if example.texts:
        mean = None if completion is None else completion.mean
        return TextWorkload(example.texts, mean, a_day, example.told)
    pairs = [(p, completion.mean if c is None else c) for p, c in example.counts]
    return sampled(pairs, a_day, example.told)


def _constraints(options: dict[str, Any]) -> tuple[Constraint, ...]:
    from joulemark.metrics.picking.asked import constraints_of
    from joulemark.record.errors import InputError

    a_day = options["requests_per_day"]
    named = {name: options[name] for name in ("hardware", "model", "task")}
    of_requests = options["budget_of"] == "requests"
    try:
        return constraints_of(
            named, limits_of(options, limit_seconds), options["budgets"], a_day, of_requests=of_requests
        )
    except ValueError as error:
        raise InputError(str(error), fix="--requests-per-day 1000") from error
