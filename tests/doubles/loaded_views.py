"""Runs of the simulated server under load as a page gets them: with gauges, power and shares."""

from __future__ import annotations

import dataclasses
from functools import cache

import numpy as np

from doubles import steady_runs
from doubles.run_views import device, meter
from joulemark.metrics.input_aware_fit import InputAwareFit
from joulemark.metrics.run_view import PowerTimeline, RunView
from joulemark.record.manifest import Window
from joulemark.record.scope import Scope
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.request import SimRequest

S = 1_000_000_000
MAX_BATCH, CONCURRENCY, LEAD = 8, 12, 12
LIMIT_W = 700.0
FIT = InputAwareFit(
    n=60,
    degrees=57,
    weights=(90.0, 1.4, 0.05, 0.3, 0.0),
    idle_source="baseline",
    se_prompt_j=0.002,
    independent=0.4,
    r2=0.93,
    prompt_share=0.2,
    output_share=0.55,
    idle_share=0.25,
    joules_per_output_token=0.4,
    reason=None,
)


@cache
def closed(n: int = 400) -> RunView:
    """Return a closed loop that comes to a steady state, three answers of four right."""
    rng = np.random.default_rng(5)
    requests = [SimRequest(str(k), int(p), int(d)) for k, (p, d) in enumerate(rng.integers(40, 120, (n, 2)))]
    right = rng.random(n) < 0.75
    config = ServerConfig(H100, LLAMA_8B, max_batch=MAX_BATCH)
    made = steady_runs.closed(config, requests, CONCURRENCY, lead=LEAD, with_gauge=True, right=right)
    return _complete(made)


@cache
def poisson(n: int = 400, rate: float = 6.0) -> RunView:
    """Return requests that come by chance, each due a moment before it was sent."""
    rng = np.random.default_rng(6)
    requests = [SimRequest(str(k), 60, int(d)) for k, d in enumerate(rng.integers(40, 120, n))]
    config = ServerConfig(H100, LLAMA_8B, max_batch=MAX_BATCH)
    view = _complete(steady_runs.poisson(config, requests, rate, seed=3))
    due = tuple(dataclasses.replace(one, t_scheduled=one.t_sent - S // 100) for one in view.items)
    return dataclasses.replace(view, items=due)


def refused() -> RunView:
    """Return a load that was over before it was steady."""
    return closed(30)


def with_memory() -> RunView:
    """Return the closed loop with a meter of the board's memory beside that of the board."""
    view = closed()
    (board,) = view.timelines
    scope = Scope.gpu(0).child("memory")
    memory = dataclasses.replace(
        board, source="nvml:0:memory", scope=scope.label, power_w=0.2 * board.power_w
    )
    meters = [*view.manifest.meters, meter("nvml:0:memory", scope=scope)]
    manifest = view.manifest.model_copy(update={"meters": meters})
    return dataclasses.replace(view, manifest=manifest, timelines=(board, memory))


def _complete(made: steady_runs.Loaded) -> RunView:
    view = made.view
    first = min(item.t_sent for item in view.items)
    (window,) = view.manifest.windows
    lead = [Window(name="warmup", segment=0, t0=first, t1=window.t0)] if first < window.t0 else []
    t_ns = np.arange(first, window.t1, S // 10, dtype=np.int64)
    joules = made.run.books.energy_j(0, t_ns)
    power_w = np.diff(joules) / 0.1
    manifest = view.manifest.model_copy(
        update={
            "windows": [*lead, window],
            "devices": [device(power_limit_w=LIMIT_W)],
            "headline_scope": [str(Scope.gpu(0))],
        }
    )
    return dataclasses.replace(
        view,
        manifest=manifest,
        timelines=(PowerTimeline("nvml:0", "gpu:0", 0, t_ns[1:], power_w),),
        input_aware=FIT,
    )
