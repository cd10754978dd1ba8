"""Blocks of consecutive answers: what a meter can tell apart that is too slow for single ones.

A register that is renewed every T seconds gives an answer shorter than that no energy of its own. A block
of ten renewals it does tell. What the estimate can shift across an edge is at most a quarter of a renewal's
power (the straight line between two readings against a load that goes from nothing to its most), so both
edges together shift at most 5 % of a block; and its bound, which may give away four renewals of power
(ADR 9), leaves more than half of it certain. Much shorter blocks would hold the meter's noise, longer ones
are fewer.

Blocks are cut where an answer ended, so each holds all the energy of its answers and of the time before them.
What ends a block is time alone, so blocks of answers of one kind are of one kind too, and the ratio of their
mean sums is that of single answers (Wald's equation).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from joulemark.record.item import Item
from joulemark.record.reason import Reason
from joulemark.record.span import Span

RENEWALS = 10
MIN_BLOCKS = 10
_SURELY = 1.25  # answers differ in length, and others may be shorter
_LARGE_TASKS = {"gsm8k": 1319, "mmlu": 14042}
"""Tasks with many questions, whose answers are no shorter than those of `quick`; the smaller first."""


@dataclass(frozen=True, slots=True)
class AnswerBlock:
    """Answers by ``Item.key``, and the stretches of time that are theirs and nobody else's."""

    keys: tuple[tuple[str, int], ...]
    stretches: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class AnswerBlocks:
    """The blocks of a run whose meter renews every ``renewal_s`` seconds, with the ``joules`` of each.

    Every answer and every moment of the measured windows with answers is in one block, all repeats of a
    question in the same. With a ``reason`` there are none, and single answers have no energy either.
    ``overlapped``: requests shared their moments, so the blocks are equal stretches of time, each with the
    answers that ended in it.
    """

    renewal_s: float
    blocks: tuple[AnswerBlock, ...] = ()
    joules: tuple[float, ...] = ()
    reason: Reason | None = None
    overlapped: bool = False

    @property
    def method(self) -> str:
        """How an interval is made of them."""
        if self.overlapped:
            return f"bootstrap of {len(self.blocks)} stretches of time, since requests shared their moments"
        return (
            f"bootstrap of {len(self.blocks)} blocks of answers, since the meter renews about every "
            f"{self.renewal_s:.3g} s"
        )

    @property
    def no_single(self) -> str:
        """Say what it would take to know the energies of single answers."""
        return (
            f"The meter renews about every {self.renewal_s:.3g} s, and single answers are too short for it. "
            "A meter of the device, or one that renews faster than they end, tells them; more questions do "
            "not."
        )

    @property
    def why_none(self) -> str:
        """Complete the reason for which there are no blocks."""
        if self.reason is not Reason.OVERLAPPED:
            return ""
        return "A meter that is slower than the answers tells blocks of them only with `--concurrency 1`."

    def too_few(self, items: Sequence[Item]) -> str:
        """Say what the run lacks for an interval."""
        asked = Counter(item.item_id for item in items)
        repeats = max(asked.values(), default=1)
        n, least_s = len(self.blocks), RENEWALS * self.renewal_s
        more = self._as_many_as(len(asked), least_s * repeats)
        return (
            f"It renews about every {self.renewal_s:.3g} s, so a block lasts {least_s:.3g} s or more; there "
            f"{'is' if n == 1 else 'are'} {n}, and {MIN_BLOCKS} are needed. Ask more questions (for about "
            f"{MIN_BLOCKS * least_s * repeats:,.0f} s in all){more}, or use a meter that renews faster."
        )

    def _as_many_as(self, n_asked: int, least_s: float) -> str:
        """Say how many questions as long as these make blocks enough, and which task has them."""
        seconds = sum(part.t1 - part.t0 for block in self.blocks for part in block.stretches) * 1e-9
        if seconds <= 0:
            return ""
        needed = math.ceil(_SURELY * MIN_BLOCKS * math.ceil(least_s * n_asked / seconds))
        told = f": {needed:,} of their length in place of {n_asked:,}, repeats of one counting once"
        large = next((name for name, n in _LARGE_TASKS.items() if needed <= n), None)
        if large is None:
            return f"{told} (no task here has so many)"
        return f"{told} (`quick` has 52; `joulemark bench run {large} --limit {needed}` has enough)"


def cut_blocks(items: Sequence[Item], windows: Sequence[Span], least_ns: int) -> list[AnswerBlock]:
    """Cut ``windows`` (disjoint) into blocks whose stretches last ``least_ns`` in the mean, or into one.

    ``items`` are all within the windows and do not overlap. A block is closed by the first question that
    makes it long enough; what is left over at the end joins the last one. Questions count in the order in
    which they were first asked.
    """
    slots = _slots(items, windows)
    follows = [False, *(_follows(a, b) for (_, a), (_, b) in pairwise(slots))]
    questions: dict[str, list[int]] = {}
    for place, (item, _) in enumerate(slots):
        questions.setdefault(item.item_id, []).append(place)
    blocks: list[list[int]] = []
    open_block: set[int] = set()
    length_ns = stretches = 0
    for places in questions.values():
        for place in places:
            stretches += not (follows[place] and place - 1 in open_block)
            length_ns += slots[place][1].t1 - slots[place][1].t0
            open_block.add(place)
        if length_ns >= least_ns * stretches:
            blocks.append(sorted(open_block))
            open_block, length_ns, stretches = set(), 0, 0
    if open_block:
        blocks.append(sorted((blocks.pop() if blocks else []) + list(open_block)))
    return [_block([slots[place] for place in places]) for places in blocks]


def joined(one: AnswerBlock, other: AnswerBlock) -> AnswerBlock:
    """Return two blocks as one."""
    return AnswerBlock((*one.keys, *other.keys), _merged((*one.stretches, *other.stretches)))


def _block(slots: Sequence[tuple[Item, Span]]) -> AnswerBlock:
    return AnswerBlock(tuple(item.key for item, _ in slots), _merged(part for _, part in slots))


def _merged(parts: Iterable[Span]) -> tuple[Span, ...]:
    """Join stretches of which one begins where another ends."""
    found: list[Span] = []
    for part in sorted(parts):
        if found and _follows(found[-1], part):
            found[-1] = found[-1]._replace(t1=part.t1)
        else:
            found.append(part)
    return tuple(found)


def _follows(one: Span, other: Span) -> bool:
    return one.segment == other.segment and one.t1 == other.t0


def _slots(items: Sequence[Item], windows: Sequence[Span]) -> list[tuple[Item, Span]]:
    """Share the time of windows among their items, in order: each from the end of the one before to its own.

    The last item of a window has what is left of it. A window without items is in no slot.
    """
    slots = []
    for segment, t0, t1 in sorted(windows):
        here = sorted(
            (item for item in items if item.segment == segment and t0 <= item.t_begin and item.t_end <= t1),
            key=lambda item: item.t_end,
        )
        edges = [t0, *(item.t_end for item in here[:-1]), t1]
        slots += [(item, Span(segment, a, b)) for item, (a, b) in zip(here, pairwise(edges), strict=False)]
    return slots
