"""Whatever was seen of a load, there is a steady state with figures, or a reason."""

import dataclasses
import json

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from doubles.made_up_loads import closed_loop, stream
from doubles.run_views import T0, S
from joulemark.metrics.input_aware_figures import input_aware_figures
from joulemark.metrics.loaded_definitions import DEFINITIONS, STEADY
from joulemark.metrics.loaded_energy import loaded_figures
from joulemark.metrics.loaded_summary import loaded_summary
from joulemark.metrics.run_view import EngineGauge, RunView
from joulemark.metrics.segment_loads import SegmentLoads
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt, Chunk, Item, Verdict
from joulemark.record.manifest import Engine, Load, Window
from joulemark.record.reason import Reason
from joulemark.record.span import Span
from joulemark.runs.input_aware import input_aware
from joulemark.runs.steady_energy import steady_state

SECONDS = st.floats(0, 40)
COUNT = st.none() | st.integers(0, 3_000)
REQUESTS = st.fixed_dictionaries(
    {
        "start_s": SECONDS,
        "first_s": st.none() | st.floats(0, 8),
        "end_s": st.floats(0, 8),
        "tokens": COUNT,
        "prompt_tokens": COUNT,
        "cached_tokens": COUNT,
        "phase": st.sampled_from(["warmup", "measure", "measure", "measure", "abandoned"]),
        "verdict": st.none() | st.sampled_from(Verdict),
        "segment": st.sampled_from([0, 0, 0, 1]),
    }
)
CHUNKS = st.lists(st.tuples(st.floats(0, 8), st.none() | st.integers(0, 50)), max_size=6)
LOADS = st.sampled_from(
    [
        Load(),
        Load(mode="closed", concurrency=3),
        Load(mode="closed", concurrency=2, lead_requests=3),
        Load(mode="open", concurrency=None, arrival="poisson", rate=1.0, ramp_s=5.0),
        Load(mode="open", concurrency=None, arrival="at_once"),
        Load(mode="trace", concurrency=8, trace="t", lead_requests=50),
    ]
)


def as_item(index: int, seen: dict, due: bool) -> Item:
    one = run_views.item(
        index,
        start_s=seen["start_s"],
        first_s=seen["first_s"],
        end_s=seen["end_s"],
        tokens=seen["tokens"],
        verdict=seen["verdict"],
        prompt_tokens=seen["prompt_tokens"],
        cached_tokens=seen["cached_tokens"],
        phase=seen["phase"],
        segment=seen["segment"],
        streamed=seen["first_s"] is not None,
    )
    tried = (Attempt(one.t_sent - S // 2, one.t_sent, "reset"), Attempt(one.t_sent, one.t_end))
    return dataclasses.replace(
        one, attempts=tried if index % 5 == 4 else (), t_scheduled=one.t_sent - S if due else None
    )


@settings(deadline=None, max_examples=60)
@given(
    st.lists(st.tuples(REQUESTS, CHUNKS), max_size=25),
    LOADS,
    st.lists(st.none() | st.floats(0, 1e5), min_size=6, max_size=6),
    st.booleans(),
    st.lists(st.floats(0, 9), max_size=80),
    st.booleans(),
)
def test_a_window_and_figures_or_a_reason(seen, load, joules, due, gauge, regular):
    items = [as_item(index, request, due) for index, (request, _) in enumerate(seen)]
    chunks = {
        item.key: tuple(
            Chunk(item.t_sent + round(s * S), n, False) for s, n in sorted(parts, key=lambda p: p[0])
        )
        for item, (_, parts) in zip(items, seen, strict=True)
    }
    if regular:  # so that there is a steady state, whatever else came in between
        loop = closed_loop(3, 100, lambda k: 0.7 + 0.6 * ((k * 37) % 11) / 10)
        loop = [dataclasses.replace(one, item_id=f"loop{k}") for k, one in enumerate(loop)]
        items += loop
        chunks |= {one.key: stream(one) for one in loop}
    windows = [Span(0, T0, T0 + 45 * S), Span(1, T0 + S, T0 + 30 * S)]

    def metered(spans):
        told = (joules[k % 6] for k in range(len(spans)))
        return [Withheld(Reason.GAP_TOO_LONG) if j is None else run_views.measured(j) for j in told]

    t_ns = T0 + np.arange(len(gauge), dtype=np.int64) * S // 2
    gauges = (EngineGauge("requests_running", 0, t_ns, np.array(gauge, np.float64)),)
    manifest = run_views.manifest(
        load=load,
        engine=Engine(kind="vllm", model="m", flags={"max_num_seqs": 2}, local=True),
        windows=[Window(name="measure", segment=w.segment, t0=w.t0, t1=w.t1) for w in windows],
    )
    total = run_views.measured(1e6)
    rows, checks, fit = input_aware(manifest, SegmentLoads(items, chunks), windows, metered, total, "gpu:0")
    view = RunView(
        manifest=manifest,
        items=tuple(items),
        chunks=chunks,
        headline_energy=total,
        headline_scope="gpu:0",
        attributions=rows,
        checks=checks,
        duration_s=74.0,
        engine_gauges=gauges,
        steady=steady_state(manifest, SegmentLoads(items, chunks, gauges), windows, metered),
        input_aware=fit,
    )
    assert (fit.weights is None) == (fit.reason is not None)
    figures = {**loaded_figures(view), **input_aware_figures(fit)}
    assert set(figures) == {d.name for d in DEFINITIONS}
    told = loaded_summary(view, figures["steady_joules_per_request"]).to_json()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert (told["window"] is None) == (told["reason"] is not None)
    if isinstance(view.steady.window, Withheld):
        assert all(figures[d.name].reason is view.steady.window.reason for d in STEADY)
