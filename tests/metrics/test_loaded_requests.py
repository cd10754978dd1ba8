"""Which block of a steady window an instant falls into."""

from __future__ import annotations

import dataclasses

import numpy as np

from doubles import run_views
from doubles.made_up_loads import at, load_of, request
from joulemark.metrics.loaded_requests import block_of, ended_by_block
from joulemark.metrics.steady_state import SteadyState
from joulemark.record.span import Span

BLOCKS = tuple(Span(0, at(10.0 * k), at(10.0 * (k + 1))) for k in range(1, 5))
STATE = SteadyState(blocks=BLOCKS)


def test_a_block_holds_its_end_and_not_its_begin() -> None:
    edges = np.array([BLOCKS[0].t0, *(block.t1 for block in BLOCKS)], np.int64)
    assert block_of(STATE, edges).tolist() == [-1, 0, 1, 2, 3]
    assert block_of(STATE, edges + 1).tolist() == [0, 1, 2, 3, -1]
    assert block_of(STATE, edges - 1).tolist() == [-1, 0, 1, 2, 3]
    assert block_of(SteadyState(), edges).tolist() == [-1] * 5


def test_what_ended_in_the_blocks_is_what_ended_in_the_window() -> None:
    """Requests that end with the window, or with a block, count once in either."""
    ends_s = [10.0, 10.5, 20.0, 20.0, 35.0, 50.0, 50.5]
    items = tuple(request(k, end_s - 5.0, end_s) for k, end_s in enumerate(ends_s))
    run = dataclasses.replace(run_views.without_meter(), items=items, steady=STATE)
    assert ended_by_block(run).tolist() == [3, 0, 1, 1]
    assert load_of(items).answered_between(BLOCKS[0].t0, BLOCKS[-1].t1) == 5
