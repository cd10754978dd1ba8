"""Others on the same engine: their joules are in the window, and its figures are withheld."""

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views, steady_runs
from doubles.made_up_loads import at, closed_loop, load_of, request, stream, window_of
from joulemark.metrics import summarize
from joulemark.metrics.foreign_load import foreign_load, is_watched
from joulemark.metrics.loaded_definitions import STEADY
from joulemark.metrics.loaded_energy import loaded_figures
from joulemark.metrics.request_work import Work, work_of
from joulemark.metrics.run_point import run_point
from joulemark.metrics.run_view import EngineGauge
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.steady_window import steady_window
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt, Phase, Verdict
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason
from joulemark.record.span import Span
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


def prompts(items, counted_at="t_first", *, foreign=0.0, cached=0):
    """Return the counter of prompt tokens: ours as they are counted, and ``foreign`` others' a second."""
    stamps = sorted(getattr(one, counted_at) for one in items)
    each = 40 - cached

    def of(t_ns):
        return each * np.searchsorted(stamps, t_ns, "right") + foreign * (t_ns - t_ns[0]) * 1e-9

    return read("prompt_tokens", of, items)


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


@pytest.mark.parametrize("counted_at", ["t_sent", "t_first", "t_end"])
def test_the_engines_count_of_prompts_is_held_against_ours(counted_at):
    """Others who read and write one token: in the batch for a moment, and most of what is paid for."""
    items = loop()
    others = {"foreign": 15_000.0}
    assert isinstance(found(items, running(items), counter(items), prompts(items, counted_at)), SteadyWindow)
    why = found(items, running(items, 0.5), counter(items), prompts(items, counted_at, **others))
    assert isinstance(why, Withheld)
    assert why.reason is Reason.FOREIGN_LOAD
    assert "prompt tokens" in why.detail
    assert found(items, prompts(items, counted_at, **others)).reason is Reason.FOREIGN_LOAD


def test_prompts_from_a_cache_may_be_left_out_of_the_engines_count():
    items = [dataclasses.replace(one, cached_tokens=30) for one in loop()]
    assert isinstance(found(items, prompts(items, cached=30)), SteadyWindow)
    assert isinstance(found(items, prompts(items)), SteadyWindow)


def test_prompts_whose_length_is_not_known_prove_nothing():
    items = [dataclasses.replace(one, prompt_tokens=None) for one in loop()]
    assert isinstance(found(items, prompts(items, foreign=15_000.0)), SteadyWindow)


def with_tries(items, error, *, every=2):
    """Return the requests, each ``every``-th asked twice: its first half was a try that ended so."""
    return [
        dataclasses.replace(
            one,
            attempts=(
                Attempt(one.t_sent, (one.t_sent + one.t_first) // 2, error),
                Attempt((one.t_sent + one.t_first) // 2, one.t_end),
            ),
        )
        if k % every == 0
        else one
        for k, one in enumerate(items)
    ]


@pytest.mark.parametrize("error", ["http_429", "http_503", "refused", "dns", "closed"])
def test_a_try_that_never_came_to_work_gives_others_no_room(error):
    items = with_tries(loop(), error)
    assert isinstance(found(items, counter(items), prompts(items)), SteadyWindow)
    assert found(items, counter(items, times=1.3)).reason is Reason.FOREIGN_LOAD
    assert found(items, prompts(items, foreign=200.0)).reason is Reason.FOREIGN_LOAD


@pytest.mark.parametrize("error", ["cut", "stall", "timeout", "reset", "answer"])
def test_a_try_that_may_have_been_worked_on_is_ours(error):
    items = with_tries(loop(), error)
    assert isinstance(found(items, counter(items, times=1.3)), SteadyWindow)
    assert isinstance(found(items, prompts(items, foreign=150.0)), SteadyWindow)
    # given up before the stretch, it is worked on by nobody who is asked now
    late = Span(0, at(10), at(15.4))
    before = with_tries([one for one in loop() if one.t_end < at(9)], error, every=1)
    after = [one for one in loop() if one.t_end >= at(9)]
    watched = load_of([*before, *after], [counter([*before, *after], times=1.6)])
    refused = foreign_load(watched, late.t0, late.t1)
    assert refused is not None


def test_a_request_that_waits_to_be_asked_again_is_not_in_flight():
    """Each is turned away at once and asked again after three seconds, in which the batch is others'."""
    turned_away = [
        dataclasses.replace(
            one,
            attempts=(
                Attempt(one.t_sent, one.t_sent + 1_000_000, "http_429"),
                Attempt(one.t_first, one.t_end),
            ),
            t_sent=one.t_first,
        )
        for one in closed_loop(8, 40, lambda k: 4.0 + 0.1 * (k % 7))
    ]
    turned_away = [
        dataclasses.replace(
            one, attempts=(one.attempts[0], Attempt(again, one.t_end)), t_sent=again, t_first=again
        )
        for one in turned_away
        for again in [one.t_begin + 3_000_000_000]
    ]
    alone = load_of([dataclasses.replace(one, attempts=()) for one in turned_away])
    ours = read("requests_running", lambda t_ns: alone.in_flight.at(t_ns), turned_away)
    assert foreign_load(load_of(turned_away, [ours]), at(5), at(18)) is None
    shared = read("requests_running", lambda t_ns: alone.in_flight.at(t_ns) + 3.0, turned_away)
    why = foreign_load(load_of(turned_away, [shared]), at(5), at(18))
    assert why is not None
    assert why.reason is Reason.FOREIGN_LOAD


def test_requests_that_were_cut_off_may_have_been_read_and_answered():
    items = loop()
    cut = [
        dataclasses.replace(
            one, phase=Phase.ABANDONED, verdict=None, prompt_tokens=None, completion_tokens=None
        )
        if k >= len(items) - 8
        else one
        for k, one in enumerate(items)
    ]
    part = window_of(items)
    watched = load_of(cut, [counter(items), prompts(items)])
    assert foreign_load(watched, part.t0, part.t1) is None


def test_what_the_engine_made_for_tries_that_failed_is_ours():
    items = loop()
    failed = [
        dataclasses.replace(
            one,
            t_first=None,
            completion_tokens=None,
            prompt_tokens=None,
            verdict=Verdict.FAILED,
            attempts=(Attempt(one.t_sent, one.t_end, "stall"),),
        )
        if k % 8 == 3
        else one
        for k, one in enumerate(items)
    ]
    assert isinstance(found(failed, counter(items), prompts(items)), SteadyWindow)


def test_an_engine_that_shows_nothing_is_not_watched():
    items = loop()
    part = window_of(items)
    assert not is_watched(load_of(items), part.t0, part.t1)
    assert is_watched(load_of(items, [counter(items)]), part.t0, part.t1)
    assert is_watched(load_of(items, [running(items)]), part.t0, part.t1)
    assert is_watched(load_of(items, [prompts(items)]), part.t0, part.t1)


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


def asked_one_at_a_time(foreign=0.0, *, seen=True):
    """Return a sequential run beside whose prompts the engine read ``foreign`` tokens a second of others."""
    view = run_views.with_counter()
    gauge = prompts(view.measured_items, foreign=foreign)
    return dataclasses.replace(view, engine_gauges=(gauge,) if seen else ())


def test_a_sequential_run_beside_others_says_it_and_is_not_recommended():
    alone = asked_one_at_a_time()
    summary = summarize(alone)
    assert not {"foreign_load", "engine_not_watched"} & {c.code for c in summary.caveats}
    assert run_point(alone, summary, "run").energy_j.value is not None

    shared = asked_one_at_a_time(15_000.0)
    summary = summarize(shared)
    (told,) = (c for c in summary.caveats if c.code == "foreign_load")
    assert told.loud
    assert "prompt tokens" in told.text
    point = run_point(shared, summary, "run")
    for value in (point.energy_j, point.joules_per_correct, point.throughput, point.latencies_s["ttft_p50"]):
        assert value.reason is Reason.FOREIGN_LOAD

    unseen = summarize(asked_one_at_a_time(seen=False)).caveats
    assert [c.loud for c in unseen if c.code == "engine_not_watched"] == [False]


@pytest.mark.parametrize("counted_at", ["t_sent", "t_first", "t_end"])
def test_a_tenth_more_is_seen_though_what_is_counted_late_may_be_ours(counted_at):
    """Eight requests a second are 320 tokens: a second of them at the edges would hide as many of others'."""
    items = loop()
    alone, shared = prompts(items, counted_at), prompts(items, counted_at, foreign=32.0)
    assert isinstance(found(items, alone), SteadyWindow)
    why = found(items, shared)
    assert isinstance(why, Withheld)
    assert why.reason is Reason.FOREIGN_LOAD
    assert "were not ours" in why.detail


def test_others_in_the_window_alone_are_seen_and_others_before_it_refuse_it_too():
    items = loop()
    part = window_of(items)
    middle_ns = (part.t0 + part.t1) // 2
    for among in (lambda t_ns: t_ns > middle_ns, lambda t_ns: t_ns > at(1.0)):
        stamps = sorted(one.t_first for one in items)
        gauge = read(
            "prompt_tokens",
            lambda t_ns, among=among, stamps=stamps: (
                40 * np.searchsorted(stamps, t_ns, "right") + 600.0 * among(t_ns)
            ),
            items,
        )
        why = found(items, gauge)
        assert isinstance(why, Withheld)
        assert why.reason is Reason.FOREIGN_LOAD


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from(["t_sent", "t_first", "t_end"]), st.integers(1, 16))
def test_a_page_that_is_renewed_late_is_no_proof(seed, counted_at, places):
    """Each reading shows what was counted up to half a second before."""
    rng = np.random.default_rng(seed)
    items = closed_loop(places, 12 * places, lambda _: float(rng.uniform(0.3, 2.0)))
    stamps = sorted(getattr(one, counted_at) for one in items)
    made = sorted(chunk.t_ns for one in items for chunk in stream(one))

    def late(of):
        return lambda t_ns: np.maximum.accumulate(
            np.searchsorted(of, t_ns - rng.integers(0, 500_000_000, len(t_ns)), "right")
        )

    watched = load_of(
        items,
        [
            read("prompt_tokens", lambda t_ns: 40 * late(stamps)(t_ns), items),
            read("generation_tokens", late(made), items),
        ],
    )
    end = max(one.t_end for one in items)
    for t0_ns, t1_ns in ((items[0].t_begin, end), (at(2), at(8)), (end - at(6), end)):
        assert foreign_load(watched, t0_ns, t1_ns) is None
