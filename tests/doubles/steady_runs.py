"""Loaded runs of the simulated server as the arithmetic sees them: client stamps, and true joules."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from doubles.run_views import device, manifest, meter
from joulemark.metrics.run_view import EngineGauge, RunView
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.record.energy import MeasuredEnergy, MeasuredOrWithheld, Method
from joulemark.record.item import Chunk, Item, Verdict
from joulemark.record.manifest import Baselines, Engine, Load, Window
from joulemark.record.scope import Scope
from joulemark.record.span import Span
from joulemark.runs.steady_energy import steady_state
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.request import Finished, SimRequest
from joulemark.simulate.virtual import SimulatedRun, poisson_arrivals_ns, run_closed, run_open

S = 1_000_000_000

Metered = Callable[[Sequence[Span]], list[MeasuredOrWithheld]]


@dataclass(frozen=True)
class Loaded:
    """A simulated load, and what was seen of it."""

    run: SimulatedRun
    view: RunView

    @property
    def part(self):
        return self.view.steady.window.part

    def ended_inside(self) -> list[Finished]:
        """Return the requests that ended in the steady window."""
        _, t0, t1 = self.part
        return [done for done in self.run.finished if t0 < done.t_end_ns <= t1]


def closed(config: ServerConfig, requests: Sequence[SimRequest], concurrency: int, **options) -> Loaded:
    """Return a closed loop; ``options`` as of `loaded`."""
    lead = options.get("lead", 0)
    load = Load(mode="closed", concurrency=concurrency, lead_requests=lead)
    return loaded(run_closed(config, requests, concurrency), load, **options)


def at_once(config: ServerConfig, requests: Sequence[SimRequest], **options) -> Loaded:
    """Return all requests sent at the same moment."""
    load = Load(mode="open", concurrency=None, arrival="at_once")
    return loaded(run_open(config, requests, [0] * len(requests)), load, **options)


def poisson(
    config: ServerConfig, requests: Sequence[SimRequest], rate: float, seed: int, **options
) -> Loaded:
    """Return requests that come by chance, ``rate`` a second: a Poisson process."""
    lead = options.get("lead", 0)
    load = Load(mode="open", concurrency=None, arrival="poisson", rate=rate, lead_requests=lead)
    arrivals_ns = poisson_arrivals_ns(len(requests), rate, seed)
    return loaded(run_open(config, requests, arrivals_ns), load, **options)


def books_meter(run: SimulatedRun) -> Metered:
    """Return a meter that says what the books say, all devices together."""

    def metered(spans: Sequence[Span]) -> list[MeasuredOrWithheld]:
        if not spans:
            return []
        edges = np.array([(span.t0, span.t1) for span in spans], np.int64)
        until = sum(run.books.energy_j(one, edges) for one in range(run.books.devices))
        joules = (until[:, 1] - until[:, 0]).tolist()
        return [MeasuredEnergy(j, j, j, "nvml:0", (Scope.gpu(0),), Method.COUNTER) for j in joules]

    return metered


def items_of(
    finished: Sequence[Finished], lead: int = 0, *, tokens_a_chunk: int = 1, right: np.ndarray | None = None
) -> tuple[list[Item], dict[tuple[str, int], tuple[Chunk, ...]]]:
    """Return items and chunks as a client that loses no time would have seen them, in order of sending.

    The first ``lead`` do not count. ``right`` bool[n] says which are correct, in that order; null: all.
    """
    ordered = sorted(finished, key=lambda done: (done.t_arrival_ns, int(done.request.request_id)))
    items, chunks = [], {}
    for place, done in enumerate(ordered):
        correct = right is None or bool(right[place])
        one = Item(
            item_id=f"q{done.request.request_id}",
            index=place,
            repeat=0,
            segment=0,
            phase="warmup" if place < lead else "measure",
            t_sent=done.t_arrival_ns,
            t_end=done.t_end_ns,
            t_first=done.t_first_ns,
            t_first_answer=done.t_first_ns,
            prompt_tokens=done.request.prompt_tokens,
            cached_tokens=done.cached_tokens,
            completion_tokens=done.request.output_tokens,
            streamed=True,
            verdict=Verdict.CORRECT if correct else Verdict.WRONG,
            correct=correct,
            score=float(correct),
        )
        # the first token is a chunk of its own, as it is the first that a client sees
        bounds = [*range(1, len(done.token_ns), tokens_a_chunk), len(done.token_ns)]
        stamps = done.token_ns[np.array(bounds) - 1].tolist()
        counts = np.diff([0, *bounds]).tolist()
        items.append(one)
        chunks[one.key] = tuple(Chunk(t, n, False) for t, n in zip(stamps, counts, strict=True) if n)
    return items, chunks


def gauge_of(run: SimulatedRun, period_s: float = 0.5) -> EngineGauge:
    """Return the batch as an engine's own page would have told it, read every ``period_s``."""
    t_ns = np.arange(run.books.t0_ns, run.t_end_ns, round(period_s * S), dtype=np.int64)
    place = np.searchsorted(run.steps.t0_ns, t_ns, "right") - 1
    running = (place >= 0) & (t_ns < run.steps.t1_ns[place])
    value = np.where(running, run.steps.batch[place], 0).astype(np.float64)
    return EngineGauge("requests_running", 0, t_ns, value)


def loaded(
    run: SimulatedRun,
    load: Load,
    *,
    lead: int = 0,
    with_gauge: bool = False,
    tokens_a_chunk: int = 1,
    right: np.ndarray | None = None,
    metered: Metered | None = None,
) -> Loaded:
    """Return a simulated run as a view with its steady state, metered by the books unless told otherwise."""
    items, chunks = items_of(run.finished, lead, tokens_a_chunk=tokens_a_chunk, right=right)
    first = next(item.t_sent for item in items if item.phase == "measure")
    last = max(item.t_end for item in items)
    window = Span(0, first, last)
    gauges = (gauge_of(run),) if with_gauge else ()
    meter_of = metered or books_meter(run)
    described = manifest(
        load=load,
        engine=Engine(kind="simulated", model="m", flags={"max_batch": run.config.max_batch}, local=True),
        windows=[Window(name="measure", segment=0, t0=first, t1=last)],
        meters=[meter()],
        devices=[device()],
        baselines=Baselines(loaded_idle_w=run.config.gpu.idle_w * run.config.devices, scope="gpu:0"),
    )
    view = RunView(
        manifest=described,
        items=tuple(items),
        chunks=chunks,
        headline_energy=meter_of([window])[0],
        headline_scope="gpu:0",
        duration_s=window.duration_s,
        engine_gauges=gauges,
        steady=steady_state(described, SegmentLoads(items, chunks, gauges), [window], meter_of),
    )
    return Loaded(run, view)
