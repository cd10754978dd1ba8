"""The requests that a loaded run counts, and which block of its steady window their output fell into."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from joulemark.metrics.batch_means import Scores
from joulemark.metrics.run_view import RunView
from joulemark.metrics.steady_state import SteadyState
from joulemark.metrics.token_course import tokens_made
from joulemark.metrics.token_doubt import CONTRADICTED, counts_contradicted
from joulemark.record.energy import Withheld
from joulemark.record.item import Item
from joulemark.record.reason import Reason

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class CountedRequests:
    """The requests that count, of the window's segment, with the output tokens of each (float64[n]).

    ``block`` int64[n] is the place of the block that holds the middle of its output, -1 for none.
    """

    items: tuple[Item, ...]
    tokens: Floats
    block: Ints

    @property
    def completed(self) -> Floats:
        """1 for each request that was answered and 0 for one that failed: float64[n]."""
        return np.array([not item.failed for item in self.items], np.float64)

    def tokens_for(self, counts: Floats) -> float:
        """Return the output tokens of all requests, failed ones too, over the number of those that count.

        ``counts`` float64[n] is 1 for a request that counts and 0 for one that does not; some must count.
        """
        return float(self.tokens.sum() / counts.sum())

    def scores(self, per_token: float, counts: Floats) -> Scores:
        """Return what each request adds to the error of ``per_token`` × `tokens_for`, and where."""
        values = per_token * (self.tokens - self.tokens_for(counts) * counts) / counts.sum()
        return Scores(values, self.block, [item.item_id for item in self.items])


def counted_requests(run: RunView) -> CountedRequests | Withheld:
    """Return the requests that count with their tokens; a failed one has those that were seen of it."""
    items = segment_requests(run)
    if isinstance(items, Withheld):
        return items
    if counts_contradicted(items):
        return Withheld(Reason.NOT_REPORTED, CONTRADICTED)
    tokens = [_tokens_of(item, run) for item in items]
    missing = sum(map(math.isnan, tokens))
    if missing:
        return Withheld(Reason.NOT_REPORTED, f"{missing} of {len(items)} requests have no token count.")
    middle = [((item.t_end if item.t_first is None else item.t_first) + item.t_end) // 2 for item in items]
    return CountedRequests(items, np.array(tokens), block_of(run.steady, np.array(middle, np.int64)))


def segment_requests(run: RunView) -> tuple[Item, ...] | Withheld:
    """Return the counted requests of the steady window's segment, whenever they were asked."""
    window = run.steady.window
    if isinstance(window, Withheld):
        return window
    items = tuple(item for item in run.measured_items if item.segment == window.part.segment)
    return items or Withheld(Reason.NOTHING_SCORED, "No counted request is in the window's segment.")


def sent_in_window(run: RunView) -> Sequence[Item]:
    """Return the counted requests that were sent in the steady window; none where there is no window."""
    window = run.steady.window
    if isinstance(window, Withheld):
        return ()
    segment, t0, t1 = window.part
    return [item for item in run.measured_items if item.segment == segment and t0 <= item.t_begin <= t1]


def ended_by_block(run: RunView) -> Floats:
    """Return how many requests, lead requests too, were answered in each block: float64[K]."""
    state = run.steady
    if not state.blocks:
        return np.empty(0)
    here = [i for i in run.items if i.segment == state.blocks[0].segment and not i.failed]
    ends = np.array([item.t_end for item in here], np.int64)
    block = block_of(state, ends)
    return np.bincount(block[block >= 0], minlength=len(state.blocks)).astype(np.float64)


def block_of(state: SteadyState, t_ns: Ints) -> Ints:
    """Return the place of the block that holds each instant int64[n], -1 where none does."""
    if not state.blocks:
        return np.full(len(t_ns), -1, np.int64)
    edges = np.array([state.blocks[0].t0, *(block.t1 for block in state.blocks)], np.int64)
    place = np.searchsorted(edges, t_ns, "left") - 1  # a block holds its end, not its begin
    return np.where(place < len(state.blocks), place, -1).astype(np.int64)


def _tokens_of(item: Item, run: RunView) -> float:
    made = tokens_made(item, run.chunks.get(item.key, ()))
    if made is None:
        return 0.0 if item.failed else math.nan
    return made
