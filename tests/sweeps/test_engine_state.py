"""How an engine was while a point was measured: from its own gauges, else from the client's view."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from doubles.run_views import T0, S, item, manifest
from joulemark.metrics.run_view import EngineGauge, RunView
from joulemark.metrics.summary import summarize
from joulemark.record.manifest import Load, Window
from joulemark.record.reason import Reason
from joulemark.sweeps.engine_state import EngineState, engine_state


def gauge(quantity: str, *readings: tuple[float, float]) -> EngineGauge:
    """Return readings as (seconds after the start, value)."""
    t_ns = np.array([T0 + round(at * S) for at, _ in readings], np.int64)
    return EngineGauge(quantity, 0, t_ns, np.array([value for _, value in readings]))


def run(*gauges: EngineGauge, cached: int | None = None, tokens: int | None = 30) -> RunView:
    """Return four requests of 70 prompt tokens within a window of ten seconds."""
    items = tuple(
        item(k, start_s=1.0 + 2 * k, tokens=tokens, prompt_tokens=70, cached_tokens=cached) for k in range(4)
    )
    window = Window(name="measure", segment=0, t0=T0, t1=T0 + 10 * S)
    return RunView(manifest=manifest(windows=[window]), items=items, engine_gauges=gauges)


def state(view: RunView) -> EngineState:
    return engine_state(view, summarize(view))


def test_without_gauges_the_share_is_of_the_requests_and_the_rest_is_withheld() -> None:
    found = state(run())
    assert found.decode_share.value == pytest.approx(0.3)
    assert found.mean_batch.value == 1.0
    for value in (found.preemptions, found.kv_used_share):
        assert value.reason is Reason.NOT_REPORTED
    assert found.to_json()["reasons"].keys() == {"preemptions", "kv_used_share"}  # type: ignore[index,union-attr,call-overload]


def test_prompts_that_were_found_in_a_cache_were_not_processed() -> None:
    assert state(run(cached=40)).decode_share.value == pytest.approx(0.5)


def test_a_request_without_counts_withholds_the_share() -> None:
    assert state(run(tokens=None)).decode_share.reason is Reason.NOT_REPORTED


def test_counters_are_read_between_the_edges_of_the_window() -> None:
    found = state(
        run(
            gauge("preemptions", (-3, 2), (-1, 5), (4, 6), (9, 9), (11, 50)),
            gauge("prompt_tokens", (-1, 1000), (9, 1100)),
            gauge("generation_tokens", (-1, 0), (9, 300)),
        )
    )
    assert found.preemptions.value == 4
    assert found.decode_share.value == pytest.approx(300 / 400)


def test_a_counter_that_began_anew_is_withheld() -> None:
    found = state(run(gauge("preemptions", (-1, 50), (9, 3))))
    assert found.preemptions.reason is Reason.COUNTER_RESET


def test_the_memory_in_use_is_a_mean_over_time() -> None:
    """0.2 for five seconds, then 0.8 for the other five."""
    found = state(run(gauge("kv_used_share", (-1, 0.2), (5, 0.8), (11, 0.0))))
    assert found.kv_used_share.value == pytest.approx(0.5)
    # what was not read yet is no part of the mean
    late = state(run(gauge("kv_used_share", (5, 0.8))))
    assert late.kv_used_share.value == pytest.approx(0.8)
    never = state(run(gauge("kv_used_share", (12, 0.8))))
    assert never.kv_used_share.value is None


def test_a_loaded_run_without_a_steady_state_has_no_mean_batch() -> None:
    view = run()
    loaded = replace(
        view, manifest=view.manifest.model_copy(update={"load": Load(mode="closed", concurrency=4)})
    )
    assert state(loaded).mean_batch.value is None
    assert state(loaded).mean_batch.reason is not None
