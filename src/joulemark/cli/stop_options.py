"""``--stop``: when a measurement may end before everything was asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import click

from joulemark.record.errors import InputError

if TYPE_CHECKING:
    from joulemark.load.shape import LoadShape
    from joulemark.record.manifest import Rates
    from joulemark.runs.stop import StopRule
    from joulemark.tasks.task import TaskSet

STOP = "stops"

stop_option = click.option(
    "--stop",
    STOP,
    multiple=True,
    metavar="FIGURE±WIDTH|FIGURE>VALUE",
    help='End early once this is known: "accuracy ±2pp", "joules_per_correct ±5%", "accuracy > 0.7"; '
    'of several, once all are. Or once this run is told from another: "decided against RUN".',
)


def rule_of(options: Mapping[str, Any], task: TaskSet, rates: Rates, shape: LoadShape) -> StopRule | None:
    """Return what ends the asking of ``task`` early, null where nothing does; raises `InputError`.

    A target that can never be met is refused here, before anything is asked.
    """
    texts = options.get(STOP, ())
    if not texts:
        return None
    from joulemark.frugal.paired.against_text import against_rule, is_against
    from joulemark.frugal.prior.plain_draw import require_plain_draw
    from joulemark.frugal.stopping.possible import require_possible
    from joulemark.frugal.stopping.rule import TargetRule
    from joulemark.frugal.target import parse_targets

    if options.get("items") is not None:
        require_plain_draw(options["items"])
    if any(map(is_against, texts)):
        return against_rule(texts, task)
    targets = parse_targets(texts)
    rule = TargetRule(
        targets,
        len(task.questions),
        rates,
        population=task.n_drawn_from,
        in_flight=shape.concurrency or 1,
        score_range=task.score_range,
        sampled=_is_sampled(options.get("temperature"), task),
    )
    require_possible(targets, task, rates, metered=not rule.needs_energy or _has_meter(options["meters"]))
    return rule


def require_any_enough(texts: Sequence[str], tasks: Sequence[TaskSet]) -> None:
    """Raise `InputError` where no task has questions enough to be ended early; tell of single ones."""
    from joulemark.frugal.paired.against_text import is_against
    from joulemark.frugal.stopping.possible import require_enough
    from joulemark.frugal.target import parse_targets

    if not texts or any(map(is_against, texts)):
        return
    targets = parse_targets(tuple(texts))
    refused: list[InputError] = []
    for task in tasks:
        try:
            require_enough(targets, task)
        except InputError as error:
            refused.append(error)
    if len(refused) == len(tasks):
        raise refused[0]
    for one in refused:
        click.echo(f"! {one.what}: {one.why}", err=True)


def _is_sampled(temperature: float | None, task: TaskSet) -> bool:
    """Tell whether answers will be drawn, as a command's option or the task's preset says."""
    return (task.temperature or 0.0 if temperature is None else temperature) > 0


def _has_meter(meters: tuple[str, ...]) -> bool:
    """Tell whether any meter is there to be read; whether it sees the engine is told when that runs."""
    from joulemark.live.source_test import ACCOUNTS
    from joulemark.meters.discovery import NONE, discover

    if NONE in meters:
        return False
    return any(found.spec is not None and found.kind not in ACCOUNTS for found in discover(meters))
