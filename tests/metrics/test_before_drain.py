"""A request's cost under load, without the time in which the last ones are awaited."""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics.answer_blocks import AnswerBlock, AnswerBlocks
from joulemark.metrics.before_drain import joules_per_request, seconds_per_request
from joulemark.metrics.run_view import RunView
from joulemark.record.item import Item
from joulemark.record.manifest import Window
from joulemark.record.span import Span
from joulemark.record.window_name import WindowName

IN_FLIGHT, IDLE_W, EACH_W = 16, 60.0, 10.0


def loaded(n: int, *, seed: int) -> list[Item]:
    """Return ``n`` requests of lognormal lengths, sixteen at a time, then awaited."""
    chance = np.random.default_rng(seed)
    free, items = [0.0] * IN_FLIGHT, []
    for number, took_s in enumerate(chance.lognormal(0.0, 0.7, n).tolist()):
        begin_s = heapq.heappop(free)
        heapq.heappush(free, begin_s + took_s)
        items.append(item(number, start_s=begin_s, end_s=took_s))
    return items


def run(items: Sequence[Item], edges: int = 40) -> RunView:
    """Return them under a board that draws ``EACH_W`` for each in flight beside what it draws idle."""
    t0, t1 = min(one.t_begin for one in items), max(one.t_end for one in items)
    cuts = np.linspace(t0, t1, edges + 1).astype(np.int64).tolist()
    spans = [Span(0, a, b) for a, b in pairwise(cuts)]
    joules = [
        IDLE_W * span.duration_s
        + EACH_W * 1e-9 * sum(max(min(one.t_end, span.t1) - max(one.t_begin, span.t0), 0) for one in items)
        for span in spans
    ]
    blocks = [
        AnswerBlock(tuple(one.key for one in items if span.t0 < one.t_end <= span.t1), (span,))
        for span in spans
    ]
    window = Window(name=WindowName.MEASURE, segment=0, t0=t0, t1=t1)
    return replace(
        RunView(manifest=run_views.manifest(windows=[window]), items=tuple(items)),
        time_blocks=AnswerBlocks(0.1, tuple(blocks), tuple(joules), overlapped=True),
        duration_s=(t1 - t0) * 1e-9,
    )


def test_what_is_awaited_at_the_end_is_in_no_mean() -> None:
    """Of 200 requests, sixteen at a time: with the wait they tell a tenth too much of the seconds."""
    seconds, joules, with_wait = [], [], []
    mean_s = math.exp(0.7**2 / 2)
    for seed in range(40):
        part = run(loaded(200, seed=seed))
        assert part.duration_s is not None
        each_s, each_j = seconds_per_request(part), joules_per_request(part)
        assert each_s is not None
        assert each_j is not None
        seconds.append(each_s / (mean_s / IN_FLIGHT))
        joules.append(each_j / (mean_s * (IDLE_W / IN_FLIGHT + EACH_W)))
        with_wait.append(part.duration_s / 200 / (mean_s / IN_FLIGHT))
    # 200 lengths are known to within 5 %, the mean of 40 such runs to within 0.9 %
    assert np.mean(with_wait) > 1.08
    assert np.mean(seconds) == pytest.approx(1, abs=0.025)
    assert np.mean(joules) == pytest.approx(1, abs=0.025)


def test_requests_that_all_began_at_once_tell_of_no_load() -> None:
    at_once = run(loaded(IN_FLIGHT, seed=1))
    assert seconds_per_request(at_once) is None
    assert joules_per_request(at_once) is None
    assert joules_per_request(replace(at_once, time_blocks=None)) is None
