"""How far a cost per correct answer would move with other questions of the same kind."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.accuracy import is_correct, is_scored
from joulemark.metrics.answer_blocks import MIN_BLOCKS, AnswerBlocks
from joulemark.metrics.bootstrap import MIN_SCORED_ITEMS, ratio_interval, small_sample_tail
from joulemark.metrics.item_costs import Cost, item_costs
from joulemark.record.item import Item
from joulemark.record.reason import Reason


@dataclass(frozen=True, slots=True)
class CostInterval:
    """A 95 % interval of total cost over correct answers, or why there is none; ``n`` distinct items.

    ``method`` says how it was made where single items did not do; ``detail`` completes the reason.
    """

    lo: float | None
    hi: float | None
    n: int
    reason: Reason | None = None
    detail: str = ""
    method: str = ""


def cost_interval(total: float, items: Sequence[Item], costs: Mapping[tuple[str, int], Cost]) -> CostInterval:
    """Resample (cost, correct) of the items jointly; see `joulemark.metrics.bootstrap.ratio_interval`.

    ``costs`` are those of single items by ``Item.key``, in the unit of ``total``. What of the total belongs
    to no item is spread evenly (`item_costs`), so that the resampled ratio is centred on the figure itself.
    An item without a cost withholds the interval with that item's reason.
    """
    n = len({item.item_id for item in items if is_scored(item)})
    if n < MIN_SCORED_ITEMS:
        return CostInterval(None, None, n, Reason.TOO_FEW_ITEMS)
    spread = item_costs(total, items, costs)
    if isinstance(spread, Reason):
        return CostInterval(None, None, n, spread)
    interval = ratio_interval(
        spread.of(items),
        [is_correct(item) for item in items],
        [item.item_id for item in items],
    )
    return CostInterval(interval.lo, interval.hi, n, interval.reason)


def block_interval(total: float, items: Sequence[Item], blocks: AnswerBlocks) -> CostInterval:
    """Resample (energy, correct) of blocks of answers jointly, where single answers have no energy.

    ``total`` and the blocks are in joules. What of the total is in no block is spread over them by their
    numbers of answers; stretches of a run whose requests overlapped hold all of their time, and a window too
    short for one is taken to be like them. Withheld below `MIN_BLOCKS`: in simulation the widened
    percentiles of `small_sample_tail` cover 94 to 95 % with ten blocks, and fewer are moved by any one of
    them.
    """
    n = len({item.item_id for item in items if is_scored(item)})
    if n < MIN_SCORED_ITEMS:
        return CostInterval(None, None, n, Reason.TOO_FEW_ITEMS)
    if blocks.reason is not None:
        return CostInterval(None, None, n, blocks.reason, blocks.why_none)
    if len(blocks.blocks) < MIN_BLOCKS:
        return CostInterval(None, None, n, Reason.TOO_FEW_BLOCKS, blocks.too_few(items))
    correct = {item.key for item in items if is_correct(item)}
    metered = math.fsum(blocks.joules)
    if blocks.overlapped and metered > 0:
        n_in_blocks = sum(len(block.keys) for block in blocks.blocks)
        joules = [j * total * n_in_blocks / (len(items) * metered) for j in blocks.joules]
    else:
        share = (total - metered) / len(items)
        joules = [j + share * len(block.keys) for j, block in zip(blocks.joules, blocks.blocks, strict=True)]
    interval = ratio_interval(
        joules,
        [len(correct.intersection(block.keys)) for block in blocks.blocks],
        tail=small_sample_tail(len(blocks.blocks)),
    )
    return CostInterval(interval.lo, interval.hi, n, interval.reason, method=blocks.method)
