"""Others on the same engine: their joules are in the window, and its figures are withheld."""

import dataclasses

import numpy as np
import pytest

from doubles import steady_runs
from doubles.made_up_loads import at, closed_loop, load_of, request, stream, window_of
from joulemark.metrics import summarize
from joulemark.metrics.foreign_load import foreign_load, is_watched
from joulemark.metrics.loaded_definitions import STEADY
from joulemark.metrics.loaded_energy import loaded_figures
from joulemark.metrics.request_work import Work, work_of
from joulemark.metrics.run_view import EngineGauge
from joulemark.metrics.steady import steady_window
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.virtual import poisson_arrivals_ns, run_open

CLOSED = Load(mode="closed", concurrency=8)


def loop():
    return closed_loop(8, 120, lambda k: 0.8 + 0.4 * ((k * 7919) % 101) / 100)


def read(quantity, of, items, offset_s=0.2):
    """Return a gauge of ``of`` (instants in ns to values), read twice a second over a load."""
    t_ns = np.arange(at(offset_s), max(one.t_end for one in items), 500_000_000, dtype=np.int64)
    return EngineGauge(quantity, 0, t_ns, np.asarray(of(t_ns), np.float64))


def running(items, foreign=0.0):
    load = load_of(items)
    return read("requests_running", lambda t_ns: load.in_flight.at(t_ns) + foreign, items)


def counter(items, *, at_the_end=False, times=1.0):
    """Return the engine's counter of generated tokens, ``times`` as many as ours."""
    if at_the_end:
        stamps = sorted(one.t_end for one in items for _ in range(one.completion_tokens))
    else:
        stamps = sorted(chunk.t_ns for one in items for chunk in stream(one))
    return read("generation_tokens", lambda t_ns: times * np.searchsorted(stamps, t_ns, "right"), items)


def found(items, *gauges):
    return steady_window(CLOSED, load_of(items, gauges), window_of(items))


def test_sixteen_others_beside_eight_of_ours_are_seen_in_the_batch():
    items = loop()
    assert isinstance(found(items, running(items)), SteadyWindow)
    why = found(items, running(items, 16.0))
    assert isinstance(why, Withheld)
    assert why.reason is Reason.FOREIGN_LOAD
    assert "24.0 requests" in why.detail
    assert "8.0 of them ours" in why.detail
    assert isinstance(found(items, running(items, 0.6)), SteadyWindow)  # 3 % and half a request
    assert found(items, running(items, 1.0)).reason is Reason.FOREIGN_LOAD


def test_those_that_wait_count_where_the_engine_tells_of_them():
    items = loop()
    waiting = read("requests_waiting", lambda t_ns: np.full(len(t_ns), 2.0), items)
    assert found(items, running(items), waiting).reason is Reason.FOREIGN_LOAD


def test_a_lagging_gauge_of_a_load_that_comes_by_chance_is_no_proof():
    rng = np.random.default_rng(4)
    starts = np.cumsum(rng.exponential(0.3, 400)).tolist()
    items = [request(k, t, t + 0.4 * float(rng.uniform(0.5, 1.5))) for k, t in enumerate(starts)]
    load = load_of(items)
    lagging = read("requests_running", lambda t_ns: load.in_flight.at(t_ns - 400_000_000), items)
    watched = load_of(items, [lagging])
    for t0_s in range(5, 100, 6):
        assert foreign_load(watched, at(t0_s), at(t0_s + 6)) is None, t0_s
    # an engine that does not renew its gauge while it idles
    full = read("requests_running", lambda t_ns: np.maximum(load.in_flight.at(t_ns), 1.0), items)
    assert foreign_load(load_of(items, [full]), at(5), at(100)) is None


@pytest.mark.parametrize("at_the_end", [False, True])
def test_the_engines_count_of_tokens_is_held_against_ours(at_the_end):
    items = loop()
    assert isinstance(found(items, counter(items, at_the_end=at_the_end)), SteadyWindow)
    why = found(items, counter(items, at_the_end=at_the_end, times=1.5))
    assert isinstance(why, Withheld)
    assert why.reason is Reason.FOREIGN_LOAD
    assert "tokens" in why.detail
    anew = counter(items, times=1.5)
    again = dataclasses.replace(anew, value=np.where(anew.t_ns < at(8), anew.value, anew.value - 600))
    assert (np.diff(again.value) < 0).any()
    assert isinstance(found(items, again), SteadyWindow)


def test_what_the_engine_made_for_tries_that_failed_is_ours():
    items = loop()
    failed = [
        dataclasses.replace(
            one,
            t_first=None,
            completion_tokens=None,
            attempts=(Attempt(one.t_sent, one.t_end, "stall"),),
        )
        if k % 8 == 3
        else one
        for k, one in enumerate(items)
    ]
    assert isinstance(found(failed, counter(items)), SteadyWindow)


def test_an_engine_that_shows_nothing_is_not_watched():
    items = loop()
    part = window_of(items)
    assert not is_watched(load_of(items), part.t0, part.t1)
    assert is_watched(load_of(items, [counter(items)]), part.t0, part.t1)
    assert is_watched(load_of(items, [running(items)]), part.t0, part.t1)


def test_the_shares_of_requests_are_withheld_too():
    items = loop()
    assert isinstance(work_of(load_of(items, [running(items)])), Work)
    refused = work_of(load_of(items, [running(items, 16.0)]))
    assert isinstance(refused, Withheld)
    assert refused.reason is Reason.FOREIGN_LOAD


def test_a_run_beside_others_has_no_loaded_figure_and_says_it_loudly():
    config = ServerConfig(H100, LLAMA_8B, max_batch=8)
    requests = draw_requests(200, 200, 60, 5)
    alone = steady_runs.closed(config, requests, 8, with_gauge=True)
    assert "foreign_load" not in {c.code for c in summarize(alone.view).caveats}
    assert "engine_not_watched" not in {c.code for c in summarize(alone.view).caveats}
    unseen = summarize(steady_runs.closed(config, requests, 8).view).caveats
    assert [c.loud for c in unseen if c.code == "engine_not_watched"] == [False]

    # two thirds of what the engine does are others' requests, of which the client has no rows
    busy = ServerConfig(H100, LLAMA_8B, max_batch=64)
    run = run_open(busy, draw_requests(600, 200, 60, 5), poisson_arrivals_ns(600, 15.0, 3))
    ours = tuple(done for done in run.finished if int(done.request.request_id) % 3 == 0)
    load = Load(mode="open", concurrency=None, arrival="poisson", rate=5.0)
    shared = steady_runs.loaded(dataclasses.replace(run, finished=ours), load, with_gauge=True)
    figures = loaded_figures(shared.view)
    assert {figures[d.name].reason for d in STEADY} == {Reason.FOREIGN_LOAD}
    summary = summarize(shared.view)
    (told,) = (c for c in summary.caveats if c.code == "foreign_load")
    assert told.loud
    assert "no_steady_state" not in {c.code for c in summary.caveats}
