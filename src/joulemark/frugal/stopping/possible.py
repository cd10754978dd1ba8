"""What is told before anything is asked: a target that can never be met is refused, not waited for."""

from __future__ import annotations

from collections.abc import Sequence

from joulemark.frugal.stopping.rule import LEAST, least_of
from joulemark.frugal.target import Bound, Column, Quantity, Target
from joulemark.metrics.carbon import intensity_given
from joulemark.metrics.money import by_tokens, electricity_priced
from joulemark.record.errors import InputError
from joulemark.record.manifest import Rates
from joulemark.tasks.task import TaskSet


def require_possible(targets: Sequence[Target], task: TaskSet, rates: Rates, *, metered: bool) -> None:
    """Raise `InputError` for a target that ``task`` cannot meet, with these rates, with or without a meter.

    ``metered`` is false where it is known that no meter will be read.
    """
    if any(question.session is not None for question in task.questions):
        raise InputError(
            f"{task.name} is asked in conversations, and --stop counts questions",
            why="the turns of one conversation are not independent",
            fix="leave --stop out, or ask fewer of them with --limit",
        )
    for target in targets:
        _require_graded(target, task)
        _require_paid_for(target.quantity, rates, metered=metered)


def _require_graded(target: Target, task: TaskSet) -> None:
    quantity = target.quantity
    graded = quantity.column is Column.CORRECT or quantity.per_correct
    if graded and task.problems is not None:
        raise InputError(
            f'--stop "{target.text}" cannot be judged while {task.name} is asked',
            why="its programs are judged when all of them were written",
            fix="stop on what is known at once: latency, tokens, joules or usd",
        )
    if graded and task.score_range is not None:
        raise InputError(
            f'--stop "{target.text}" needs answers that are right or wrong',
            why=f"{task.name} gives scores within {task.score_range[0]:g} and {task.score_range[1]:g}",
            fix='say how well the score is to be known: --stop "score ±2%"',
        )
    if graded and all(question.gold is None for question in task.questions):
        raise InputError(
            f'--stop "{target.text}" needs answers that are right or wrong',
            why=f"{task.name} has no reference answers",
            fix="stop on the latency, the tokens, the joules or the cost",
        )
    if quantity.column is Column.SCORE and task.score_range is None:
        raise InputError(
            f"{task.name} has no real-valued score",
            why="its answers are right or wrong",
            fix='say --stop "accuracy ±2pp"',
        )
    if isinstance(target, Bound) and quantity.column is Column.SCORE and task.score_range is not None:
        low, high = task.score_range
        if not low < target.threshold < high:
            raise InputError(
                f'--stop "{target.text}" is no question',
                why=f"the scores of {task.name} lie within {low:g} and {high:g}",
                fix="name a bound between them",
            )


def require_enough(targets: Sequence[Target], task: TaskSet) -> None:
    """Raise `InputError` where the questions are over before the first look that may end them."""
    n = len(task.questions)
    for target in targets:
        least = least_of(target.quantity.column)
        if n > least:
            continue
        why = f"the first look is after {least}, and the last question ends nothing early"
        if least > LEAST:
            why = f"costs are not believed before {least}: what is dear and rare would not have been seen"
        more = f", or ask more than {least} of the task's {task.n_drawn_from:,}"
        raise InputError(
            f'--stop "{target.text}" can never end {task.name}, of which {n} questions are asked',
            why=why,
            fix="leave --stop out, as all are asked anyway" + (more if task.n_drawn_from > least else ""),
        )


def _require_paid_for(quantity: Quantity, rates: Rates, *, metered: bool) -> None:
    priced_tokens = quantity.column is Column.USD and by_tokens(rates, local=False)
    if quantity.column is Column.USD and not priced_tokens and not electricity_priced(rates):
        raise InputError(
            f"--stop names {quantity.name}, and nothing has a price",
            fix="say --usd-per-kwh PRICE, --tariff FILE or --price IN,OUT",
        )
    if quantity.column is Column.GCO2E and not intensity_given(rates):
        raise InputError(
            f"--stop names {quantity.name}, and the grid's intensity is not known",
            fix="say --zone ZONE or --gco2e-per-kwh GRAMS",
        )
    if not metered and (quantity.takes_energy or (quantity.column is Column.USD and not priced_tokens)):
        raise InputError(
            f"--stop names {quantity.name}, and nothing is metered",
            why="without joules it can never be met, and everything would be asked",
            fix="`joulemark doctor` says how to get a meter; or stop on the accuracy, latency or tokens",
        )
