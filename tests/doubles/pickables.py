"""Candidates made up in memory, with known truth: straight lines, and runs of the simulated server."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from doubles import steady_runs
from doubles.points import point
from joulemark.metrics.accuracy import wilson_interval
from joulemark.metrics.attribution import attribute_sequential
from joulemark.metrics.cost_model import CostModel, CostPoint, fit
from joulemark.metrics.picking import Candidate
from joulemark.metrics.run_view import RunView
from joulemark.metrics.value import Value
from joulemark.record.manifest import Load, Rates
from joulemark.record.span import Span
from joulemark.runs.input_aware import input_aware
from joulemark.runs.spans import gap_spans, item_span
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100, GpuModel
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.request import SimRequest
from joulemark.simulate.virtual import run_closed

FIXED, ALPHA, BETA = 40.0, 0.06, 1.8
S = 1_000_000_000
OVERHEAD_NS = 40_000_000


def share(right: int, n: int) -> Value:
    """Return an accuracy with its Wilson interval."""
    lo, hi = wilson_interval(right, n)
    return Value(right / n, "1", lo, hi, "ci95", n=n)


def linear_model(
    rng: np.random.Generator, n: int = 60, noise_j: float = 12.0, factor: float = 1.0
) -> CostModel:
    """Fit n requests of lognormal lengths that cost `factor` times the straight line, plus noise."""
    prompts = np.maximum(1, np.rint(rng.lognormal(np.log(300), 0.5, n))).astype(int)
    outputs = np.maximum(1, np.rint(rng.lognormal(np.log(80), 0.6, n))).astype(int)
    joules = factor * (FIXED + ALPHA * prompts + BETA * outputs) + rng.normal(0, noise_j, n)
    return fit(
        [
            CostPoint(f"q{k}", 0, int(p), int(c), float(j))
            for k, (p, c, j) in enumerate(zip(prompts, outputs, joules, strict=True))
        ]
    )


def candidate(
    label: str = "one",
    seed: int = 0,
    *,
    right: int | None = 60,
    of: int = 100,
    factor: float = 1.0,
    noise_j: float = 12.0,
    rates: Rates | None = None,
    idle_w: Value | None = None,
    point_fields: dict[str, Any] | None = None,
    **fields: Any,
) -> Candidate:
    """Return a candidate whose requests cost `factor` times the straight line."""
    made = point(label=label, **(point_fields or {}))
    if right is not None:
        made = dataclasses.replace(made, accuracy=share(right, of))
    more: dict[str, Any] = {} if idle_w is None else {"idle_w": idle_w}
    model = linear_model(np.random.default_rng(seed), noise_j=noise_j, factor=factor)
    return Candidate(made, fields.pop("model", model), rates or Rates(), **more, **fields)


def lengths(rng: np.random.Generator, n: int, prompt: int, output: int) -> list[SimRequest]:
    """Return requests of lognormal lengths about these medians."""
    prompts, outputs = (rng.lognormal(np.log(median), 0.5, n) for median in (prompt, output))
    pairs = zip(prompts, outputs, strict=True)
    return [SimRequest(str(k), max(1, int(p)), max(2, int(c))) for k, (p, c) in enumerate(pairs)]


def one_at_a_time(
    rng: np.random.Generator, n: int, prompt: int, output: int, gpu: GpuModel = H100
) -> RunView:
    """Return a sequential run of the simulated server with the true joules of its books.

    Each request is under way `OVERHEAD_NS` before the server has it, as one over a network is.
    """
    run = run_closed(
        ServerConfig(gpu, LLAMA_8B, max_batch=8),
        lengths(rng, n, prompt, output),
        1,
        client_delay_ns=100_000_000,
    )
    view = steady_runs.loaded(run, Load()).view
    items = tuple(dataclasses.replace(item, t_sent=item.t_sent - OVERHEAD_NS) for item in view.items)
    windows = [w.model_copy(update={"t0": w.t0 - OVERHEAD_NS}) for w in view.manifest.windows]
    metered = steady_runs.books_meter(run)
    spans = [Span(0, w.t0, w.t1) for w in windows]
    (total,) = metered(spans)
    rows, proof = attribute_sequential(
        items, metered([item_span(i) for i in items]), metered(gap_spans(spans, items)), total, "gpu:0"
    )
    return dataclasses.replace(
        view,
        manifest=view.manifest.model_copy(update={"windows": windows}),
        items=items,
        headline_energy=total,
        attributions=rows,
        checks=(proof,),
        headline_method=rows[0].method,
    )


def many_at_once(rng: np.random.Generator, n: int, prompt: int, output: int, in_flight: int = 16) -> RunView:
    """Return a closed loop of the simulated server with the input-aware shares of its books."""
    config = ServerConfig(H100, LLAMA_8B, max_batch=32)
    run = run_closed(config, lengths(rng, n, prompt, output), in_flight)
    load = Load(mode="closed", concurrency=in_flight, lead_requests=in_flight)
    view = steady_runs.loaded(run, load, lead=in_flight, with_gauge=True).view
    spans = [Span(0, w.t0, w.t1) for w in view.manifest.windows]
    rows, checks, found = input_aware(
        view.manifest,
        view.loads,
        spans,
        steady_runs.books_meter(run),
        view.headline_energy,
        "gpu:0",
    )
    return dataclasses.replace(view, attributions=rows, checks=checks, input_aware=found)
