import dataclasses

import numpy as np
import pytest

from doubles.made_up_loads import at, closed_loop, load_of, request, window_of
from joulemark.metrics.run_view import EngineGauge
from joulemark.metrics.segment_load import SegmentLoad
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.steady_window import longest_steady, steady_window
from joulemark.record.energy import Withheld
from joulemark.record.item import Attempt
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason

CLOSED = Load(mode="closed", concurrency=4)
OPEN = Load(mode="open", concurrency=None, arrival="poisson", rate=2.0)


def mixed(index: int) -> float:
    """Return how long a request takes: 0.6 to 1.4 s, in no order."""
    return 0.6 + 0.8 * ((index * 7919) % 101) / 100


def found(load, items, gauges=()) -> SteadyWindow | Withheld:
    return steady_window(load, load_of(items, gauges), window_of(items))


def refusal(load, items, gauges=()) -> Reason:
    why = found(load, items, gauges)
    assert isinstance(why, Withheld), why
    assert why.detail, "a refusal says the numbers"
    return why.reason


def test_one_at_a_time_is_no_load():
    items = closed_loop(1, 40, mixed)
    assert steady_window(Load(), load_of(items), window_of(items)).reason is Reason.NOT_LOADED


def test_it_begins_after_one_turnover_and_ends_with_the_last_dispatch():
    items = closed_loop(4, 60, mixed)
    window = found(CLOSED, items)
    assert window.part.t0 == max(one.t_end for one in items[:4])
    assert window.part.t1 == max(one.t_begin for one in items)
    assert (window.basis, window.level) == ("in_flight", 4)
    assert window.held_share == pytest.approx(1, abs=0.01)
    assert window.requests == sum(window.part.t0 < one.t_end <= window.part.t1 for one in items)


def test_a_straggler_of_the_first_cohort_does_not_decide():
    # one of twenty may still be there
    items = closed_loop(20, 200, lambda k: 9.0 if k == 7 else mixed(k))
    window = found(CLOSED, items)
    assert window.part.t0 == sorted(one.t_end for one in items[:20])[18]


def test_lead_requests_bring_the_load_up_before_the_window_opens():
    items = closed_loop(4, 40, mixed, lead=16)
    window = found(CLOSED, items)
    assert window.part.t0 == items[16].t_begin  # the first that counts
    # and those that are in flight then are in the window's tokens
    before = [one for one in items if one.phase == "warmup" and one.t_end > window.part.t0]
    assert before
    alone = found(CLOSED, [one for one in items if one.phase == "measure"])
    assert window.part.t1 == alone.part.t1
    assert window.part.t0 < alone.part.t0


def test_the_published_division_by_one_token_is_a_refusal():
    # as many at once as there are requests: no batch is ever renewed
    assert refusal(Load(mode="closed", concurrency=64), closed_loop(64, 64, mixed)) is Reason.NOT_STEADY
    assert refusal(Load(mode="closed", concurrency=32), closed_loop(32, 64, mixed)) is Reason.WINDOW_TOO_SHORT


def test_too_little_is_refused_with_its_numbers():
    short = found(CLOSED, closed_loop(4, 24, lambda k: mixed(k) / 2))
    assert (short.reason, "5 s are needed" in short.detail) == (Reason.WINDOW_TOO_SHORT, True)
    few = found(CLOSED, closed_loop(4, 12, lambda k: 6 * mixed(k)))
    assert few.reason is Reason.WINDOW_TOO_SHORT
    assert "requests ended" in few.detail
    one_token = found(CLOSED, closed_loop(4, 60, mixed, tokens=1))
    assert (one_token.reason, "tokens were made" in one_token.detail) == (Reason.TOO_FEW_TOKENS, True)


def test_a_level_that_is_not_held_is_no_level():
    # a pause of the client in the middle: 4 in flight, then 1
    items = closed_loop(4, 40, mixed)
    end_s = (max(one.t_end for one in items) - at(0)) / 1e9
    lone = [request(100 + k, end_s + k, end_s + k + 1, tokens=60) for k in range(9)]
    again = [
        dataclasses.replace(
            one,
            item_id=f"again{k}",
            t_sent=one.t_sent + round((end_s + 9) * 1e9),
            t_first=one.t_first + round((end_s + 9) * 1e9),
            t_end=one.t_end + round((end_s + 9) * 1e9),
        )
        for k, one in enumerate(items)
    ]
    assert refusal(CLOSED, [*items, *lone, *again]) is Reason.NOT_STEADY


def test_small_dips_at_each_refill_are_tolerated():
    window = found(CLOSED, closed_loop(4, 60, mixed, gap_s=0.01))
    assert isinstance(window, SteadyWindow)
    assert 0.9 < window.held_share < 1
    assert refusal(CLOSED, closed_loop(4, 60, mixed, gap_s=0.2)) is Reason.NOT_STEADY


def tried_again(items, pause_s, *, every=1):
    """Return the loop, each ``every``-th request turned away at once and asked again after a pause."""
    again = []
    for k, one in enumerate(items):
        if k % every:
            again.append(one)
            continue
        sent = one.t_begin + round(pause_s * 1e9)
        tries = (Attempt(one.t_begin, one.t_begin + 10**6, "http_503"), Attempt(sent, one.t_end))
        again.append(dataclasses.replace(one, attempts=tries, t_sent=sent, t_first=max(sent, one.t_first)))
    return again


def test_places_that_wait_to_try_again_are_no_load():
    """Of twelve in flight half wait for their next try at any time: it is a load of six."""
    load = Load(mode="closed", concurrency=12)
    items = closed_loop(12, 120, lambda k: 2 * mixed(k))
    window = found(load, items)
    assert isinstance(window, SteadyWindow)
    why = found(load, tried_again(items, 1.0))
    assert isinstance(why, Withheld)
    assert why.reason is Reason.NOT_STEADY
    assert "of 12.0 requests in flight 6.0 were" in why.detail.lower()
    assert "try again" in why.detail
    # one in seven that waits half of its time leaves more than nine tenths at work
    assert isinstance(found(load, tried_again(items, 1.0, every=7)), SteadyWindow)
    assert isinstance(found(load, tried_again(items, 0.15)), SteadyWindow)


def arrivals(n: int, rate: float, service_s: float, servers: int | None, seed: int = 3):
    """Return requests that come by chance to so many servers (null: as many as there are requests)."""
    rng = np.random.default_rng(seed)
    starts = np.cumsum(rng.exponential(1 / rate, n))
    free = [0.0] * (servers or n)
    items = []
    for k, start in enumerate(starts.tolist()):
        place = int(np.argmin(free))
        begin = max(start, free[place])
        free[place] = begin + service_s * float(rng.uniform(0.5, 1.5))
        items.append(request(k, start, free[place], first_s=begin + 0.01, tokens=60))
    return items


def test_open_arrivals_begin_when_the_start_is_forgotten_and_end_with_the_last():
    items = arrivals(200, 4.0, 1.0, None)
    window = found(OPEN, items)
    assert window.part.t1 == items[-1].t_begin
    # latencies of 0.5 to 1.5 s: 5 % of the time in flight is that of requests older than about 1.18 s
    assert (window.part.t0 - items[0].t_begin) * 1e-9 == pytest.approx(1.18, abs=0.05)
    assert window.held_share is None
    assert window.level == pytest.approx(4, rel=0.25)


def test_a_queue_that_grows_without_end_is_overloaded():
    assert refusal(OPEN, arrivals(300, 4.0, 2.0, 4)) is Reason.OVERLOADED
    # the engine's own batch is full all the while and looks steady: it is not asked
    full = EngineGauge(
        "requests_running", 0, np.arange(at(0), at(400), 10**9, dtype=np.int64), np.full(400, 4.0)
    )
    assert refusal(OPEN, arrivals(300, 4.0, 2.0, 4), [full]) is Reason.OVERLOADED
    assert isinstance(found(OPEN, arrivals(300, 4.0, 0.5, 4)), SteadyWindow)


def test_time_waiting_to_be_sent_counts_as_queue():
    # a client that may have eight in flight: what grows is how late it sends
    items = [
        dataclasses.replace(one, t_scheduled=one.t_sent, t_sent=one.t_first - 1)
        for one in arrivals(300, 4.0, 2.0, 4)
    ]
    assert refusal(OPEN, items) is Reason.OVERLOADED


def test_few_stable_runs_are_called_overloaded_or_unsteady():
    refused = [
        seed for seed in range(30) if isinstance(found(OPEN, arrivals(150, 4.0, 1.0, 8, seed)), Withheld)
    ]
    assert len(refused) <= 2


def test_all_at_once_is_a_full_batch_until_the_queue_is_empty():
    load = Load(mode="open", concurrency=None, arrival="at_once")
    served = closed_loop(4, 60, mixed)
    items = [dataclasses.replace(one, t_sent=at(0)) for one in served]
    window = found(load, items)
    assert window.basis == "generating"
    assert window.part.t1 == max(one.t_first for one in items)
    assert window.part.t0 == max(one.t_end for one in served[:4])


def test_the_engines_own_batch_is_believed_where_it_is_read_often_enough():
    items = closed_loop(8, 80, mixed)
    last_s = (max(one.t_end for one in items) - at(0)) / 1e9
    often = np.arange(at(0), at(last_s), 5 * 10**8, dtype=np.int64)
    window = found(CLOSED, items, [EngineGauge("requests_running", 0, often, np.full(len(often), 3.0))])
    assert (window.basis, window.level, window.mean_batch) == ("running", 3, 3)
    seldom = often[::8]
    window = found(CLOSED, items, [EngineGauge("requests_running", 0, seldom, np.full(len(seldom), 3.0))])
    assert (window.basis, window.level) == ("in_flight", 8)
    elsewhere = EngineGauge("requests_running", 1, often, np.full(len(often), 3.0))
    assert found(CLOSED, items, [elsewhere]).basis == "in_flight"


def test_the_longest_steady_stretch_is_the_runs_and_else_the_longest_windows_reason():
    short, long = closed_loop(4, 40, mixed), closed_loop(4, 80, mixed)
    long = [dataclasses.replace(one, segment=1) for one in long]
    parts = [
        (SegmentLoad.of(s, items, {}), window_of(items)._replace(segment=s))
        for s, items in ((0, short), (1, long))
    ]
    assert longest_steady(CLOSED, parts).part.segment == 1
    assert longest_steady(CLOSED, parts[:1]).part.segment == 0
    assert longest_steady(CLOSED, []).reason is Reason.NOT_LOADED
    too_short = closed_loop(4, 8, mixed)
    pair = [(load_of(too_short), window_of(too_short))]
    assert longest_steady(CLOSED, pair).reason is Reason.WINDOW_TOO_SHORT
