"""A page that shows less than what was asked of the engine is not this engine's, or not all of it."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import steady_runs
from doubles.made_up_loads import at, closed_loop, load_of, stream, window_of
from joulemark.metrics import summarize
from joulemark.metrics.engine_figures import DEFINITIONS
from joulemark.metrics.page_doubt import page_doubt
from joulemark.metrics.run_view import EngineGauge
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.steady_window import steady_window
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt, Item
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B

CLOSED = Load(mode="closed", concurrency=8)


def loop() -> list[Item]:
    return closed_loop(8, 120, lambda k: 0.8 + 0.4 * ((k * 7919) % 101) / 100)


def read(quantity: str, of, items, seen_s: float = 0.0) -> EngineGauge:
    """Return what ``of`` (ns to values) was ``seen_s`` before each reading, read twice a second."""
    t_ns = np.arange(at(0.2), max(one.t_end for one in items), 500_000_000, dtype=np.int64)
    return EngineGauge(quantity, 0, t_ns, np.asarray(of(t_ns - round(seen_s * 1e9)), np.float64))


def page(items, share: float = 1.0, *, at_the_end: bool = False, seen_s: float = 0.0) -> list[EngineGauge]:
    """Return the page of an engine that is asked a ``share`` of what we ask."""
    if at_the_end:
        made = sorted(one.t_end for one in items for _ in range(one.completion_tokens))
    else:
        made = sorted(chunk.t_ns for one in items for chunk in stream(one))
    load = load_of(items)
    return [
        read("requests_running", lambda t: share * load.in_flight.at(t), items, seen_s),
        read("requests_waiting", lambda t: np.zeros(len(t)), items, seen_s),
        read("generation_tokens", lambda t: share * np.searchsorted(made, t, "right"), items, seen_s),
    ]


def doubt(items, gauges) -> str:
    part = window_of(items)
    return page_doubt(load_of(items, gauges), part.t0, part.t1)


def frozen(gauges, since_s: float) -> list[EngineGauge]:
    """Return the page as it stands still from an instant on."""
    found = []
    for one in gauges:
        last = one.value[one.t_ns <= at(since_s)][-1]
        found.append(dataclasses.replace(one, value=np.where(one.t_ns > at(since_s), last, one.value)))
    return found


@pytest.mark.parametrize("at_the_end", [False, True])
@pytest.mark.parametrize("seen_s", [0.0, 0.4])
def test_a_page_of_all_that_was_asked_is_believed(at_the_end: bool, seen_s: float) -> None:
    items = loop()
    gauges = page(items, at_the_end=at_the_end, seen_s=seen_s)
    assert doubt(items, gauges) == ""
    window = steady_window(CLOSED, load_of(items, gauges), window_of(items))
    assert isinstance(window, SteadyWindow)
    assert window.basis == "running"


def test_a_page_of_one_of_two_replicas_is_not_believed() -> None:
    items = loop()
    running, waiting, made = page(items, 0.5)
    assert "tokens" in doubt(items, [made])
    assert "3.9 requests" in doubt(items, [running, waiting])
    window = steady_window(CLOSED, load_of(items, [running, waiting, made]), window_of(items))
    assert isinstance(window, SteadyWindow)
    assert (window.basis, window.level) == ("in_flight", 8)
    assert window.mean_batch > 6  # those that generate, as the client saw them


def test_a_batch_below_what_is_in_flight_may_have_a_queue_that_is_not_shown() -> None:
    items = loop()
    assert doubt(items, page(items, 0.5)[:1]) == ""


@pytest.mark.parametrize("others", [0.0, 2.0])
def test_a_page_that_stands_still_is_not_believed(others: float) -> None:
    """Even where others made up for what it left out."""
    items = loop()
    running, waiting, made = frozen(page(items), 9.0)
    more = np.minimum(made.t_ns - at(0.2), at(9.0) - at(0.2)) * 1e-9 * others * 480
    gauges = [running, waiting, dataclasses.replace(made, value=made.value + more)]
    told = doubt(items, gauges)
    assert ("stood still" in told) == bool(others), told
    assert "tokens" in told
    window = steady_window(CLOSED, load_of(items, gauges), window_of(items))
    if not others:
        assert isinstance(window, SteadyWindow)
        assert window.basis == "in_flight"
    else:
        assert isinstance(window, Withheld)
        assert window.reason is Reason.FOREIGN_LOAD


def test_a_page_that_froze_before_the_stretch_shows_nothing_of_it() -> None:
    items = loop()
    watched = load_of(items, frozen(page(items), 9.0))
    assert "counted 0 generated tokens" in page_doubt(watched, at(10), at(16))


def test_an_engine_that_leaves_out_the_first_token_of_each_answer_is_believed() -> None:
    items = closed_loop(8, 120, lambda k: 0.8 + 0.4 * ((k * 7919) % 101) / 100, tokens=12)
    less = [dataclasses.replace(one, completion_tokens=11) for one in items]
    made = sorted(one.t_end for one in less for _ in range(one.completion_tokens or 0))
    gauge = read("generation_tokens", lambda t: np.searchsorted(made, t, "right"), items)
    assert doubt(items, [gauge]) == ""


def test_what_waits_to_be_tried_again_or_was_cut_is_not_missed_on_the_page() -> None:
    items = loop()
    stalled = [
        dataclasses.replace(
            one,
            attempts=(
                Attempt(one.t_begin, one.t_end - 3 * 10**8, "stall"),
                Attempt(one.t_end - 2 * 10**8, one.t_end),
            ),
            t_sent=one.t_end - 2 * 10**8,
            t_first=one.t_end - 10**8,
        )
        for one in items
    ]
    alone = load_of([dataclasses.replace(one, attempts=()) for one in stalled])
    in_flight = read(
        "requests_running",
        lambda t: sum((one.t_sent <= t) & (t < one.t_end) for one in stalled),
        items,
    )
    waiting = read("requests_waiting", lambda t: np.zeros(len(t)), items)
    assert alone.items
    assert doubt(stalled, [in_flight, waiting]) == ""


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.booleans(), st.integers(1, 16), st.integers(1, 80))
def test_no_page_that_tells_the_truth_late_is_doubted(
    seed: int, at_the_end: bool, places: int, tokens: int
) -> None:
    rng = np.random.default_rng(seed)
    items = closed_loop(places, 12 * places, lambda _: float(rng.uniform(0.3, 6.0)), tokens=tokens)
    gauges = page(items, at_the_end=at_the_end, seen_s=float(rng.uniform(0, 0.5)))
    watched = load_of(items, gauges)
    end = max(one.t_end for one in items)
    for t0_ns, t1_ns in ((items[0].t_begin, end), (at(2), at(8)), (end - at(6) + at(0), end)):
        assert page_doubt(watched, t0_ns, t1_ns) == ""


def test_a_run_with_such_a_page_says_it_loudly_and_tells_no_batch() -> None:
    config = ServerConfig(H100, LLAMA_8B, max_batch=8)
    made = steady_runs.closed(config, draw_requests(200, 200, 60, 5), 8, with_gauge=True)
    view = made.view
    stamps = np.sort(np.concatenate([done.token_ns for done in made.run.finished]))
    t_ns = view.engine_gauges[0].t_ns
    whole = EngineGauge("generation_tokens", 0, t_ns, np.searchsorted(stamps, t_ns, "right").astype(float))
    believed = summarize(dataclasses.replace(view, engine_gauges=(*view.engine_gauges, whole)))
    assert "gauge_contradicted" not in {c.code for c in believed.caveats}
    assert believed.figures["mean_running_requests"].value is not None

    half = dataclasses.replace(whole, value=whole.value / 2)
    gauges = (*view.engine_gauges, half)
    load = view.steady.load
    assert load is not None
    steady = dataclasses.replace(view.steady, load=dataclasses.replace(load, gauges=gauges))
    summary = summarize(dataclasses.replace(view, engine_gauges=gauges, steady=steady))
    (told,) = [c for c in summary.caveats if c.code == "gauge_contradicted"]
    assert told.loud
    assert "was not seen" in told.text
    assert "engine_not_watched" not in {c.code for c in summary.caveats}
    for defined in DEFINITIONS:
        assert summary.figures[defined.name].reason is Reason.NOT_REPORTED, defined.name
