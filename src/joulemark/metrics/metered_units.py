"""The joules of some questions, in the units that the meters tell apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from joulemark.metrics.answer_blocks import AnswerBlocks
from joulemark.metrics.finite_ratio import Units
from joulemark.metrics.item_costs import item_costs, item_joules
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value, withheld
from joulemark.record.energy import Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason


def metered_units(
    run: RunView, questions: Sequence[Sequence[Item]], divisors: Sequence[float]
) -> Units | Value:
    """Return the joules of ``questions`` (each its repeats), or the withheld value that says why not.

    A unit is a question; where the meter is too slow for that, a block of answers that it tells apart; where
    requests overlapped, a stretch of time with the answers that ended in it. What belongs to no answer (idle,
    residual, requests that were cut off) is spread evenly over the run's answers. ``divisors`` (one a
    question) are summed over a unit.
    """
    energy = run.headline_energy
    if isinstance(energy, Withheld):
        return withheld("J", energy.reason, detail=energy.detail)
    if run.time_blocks is not None:  # they hold all the energy of their time
        return _of_blocks(run.time_blocks, 0.0, questions, divisors)
    if run.blocks is not None:
        rest_j = energy.joules - math.fsum(run.blocks.joules)
        return _of_blocks(run.blocks, rest_j / max(len(run.measured_items), 1), questions, divisors)
    spread = item_costs(energy.joules, run.measured_items, item_joules(run))
    if isinstance(spread, Reason):
        return withheld("J", spread)
    cost = [math.fsum(spread.of(repeats)) for repeats in questions]
    return Units(np.array(cost), np.array(divisors, np.float64), len(questions))


def _of_blocks(
    blocks: AnswerBlocks,
    share_j: float,
    questions: Sequence[Sequence[Item]],
    divisors: Sequence[float],
) -> Units | Value:
    if blocks.reason is not None:
        return withheld("J", blocks.reason, detail=blocks.why_none)
    # of an answer: a question's repeats may lie in several stretches
    divisor_of = {
        item.key: value / len(one) for one, value in zip(questions, divisors, strict=True) for item in one
    }
    repeats = max(len(one) for one in questions)
    cost, divisor, n_answers = [], [], 0
    for joules, block in zip(blocks.joules, blocks.blocks, strict=True):
        if divisor_of.keys() >= set(block.keys):
            cost.append(joules + share_j * len(block.keys))
            divisor.append(math.fsum(divisor_of[key] for key in block.keys))
            n_answers += len(block.keys)
    return Units(np.array(cost), np.array(divisor, np.float64), n_answers // repeats)
