"""The numbers of the steady-state rule (ADR 11), each on a load that this number alone decides."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from doubles.made_up_loads import at, closed_loop, load_of, request, window_of
from joulemark.metrics.run_view import EngineGauge
from joulemark.metrics.steady_state import SteadyWindow
from joulemark.metrics.steady_window import steady_window
from joulemark.metrics.trend import trend_of
from joulemark.record.energy import Withheld
from joulemark.record.item import Item
from joulemark.record.manifest import Load
from joulemark.record.reason import Reason

OPEN = Load(mode="open", concurrency=None, arrival="constant", rate=4.0)


def closed(concurrency: int) -> Load:
    return Load(mode="closed", concurrency=concurrency)


def mixed(index: int) -> float:
    """Return how long a request takes: 0.6 to 1.4 s, in no order."""
    return 0.6 + 0.8 * ((index * 7919) % 101) / 100


def found(load: Load, items: Sequence[Item], gauges: Sequence[EngineGauge] = ()) -> SteadyWindow | Withheld:
    return steady_window(load, load_of(items, gauges), window_of(items))


def steady(load: Load, items: Sequence[Item], gauges: Sequence[EngineGauge] = ()) -> SteadyWindow:
    window = found(load, items, gauges)
    assert isinstance(window, SteadyWindow), window
    return window


def refused(load: Load, items: Sequence[Item], gauges: Sequence[EngineGauge] = ()) -> Withheld:
    why = found(load, items, gauges)
    assert isinstance(why, Withheld), why
    return why


@pytest.mark.parametrize(
    ("at_once", "begins_s"),
    [
        (18, 5.0),  # 18 of 20 are no level: it is reached a second later, by a request that then lasts 4 s
        (19, 4.0),  # 19 of 20 are, long before the twentieth comes
    ],
)
def test_the_level_is_reached_at_95_percent_of_it(at_once: int, begins_s: float) -> None:
    free = [0.0] * at_once + [1.0] * (19 - at_once) + [6.0]
    items = []
    for index in range(400):
        place = int(np.argmin(free))
        start, lasts_s = free[place], mixed(index)
        if index <= 18:
            lasts_s = 4.0 if index == 18 else 1.5 + 0.05 * index
        free[place] = start + lasts_s + 0.001
        items.append(request(index, start, start + lasts_s, tokens=60))
    window = steady(closed(20), items)
    assert window.level == 20
    assert window.part.t0 == at(begins_s)


def gauge_that_dips(items: Sequence[Item], usual: float, dip: float) -> EngineGauge:
    """Return readings twice a second, of which every sixth, up to the last dispatch, is a ``dip``."""
    t_ns = np.arange(at(0), max(one.t_end for one in items), 5 * 10**8, dtype=np.int64)
    value = np.where(np.arange(len(t_ns)) % 6 == 3, dip, usual)
    return EngineGauge("requests_running", 0, t_ns, value)


def test_the_engines_batch_may_not_be_below_half_of_its_level_for_a_sixth_of_the_time() -> None:
    items = closed_loop(8, 160, mixed)
    above = steady(closed(8), items, [gauge_that_dips(items, 8, 4)])
    assert (above.basis, above.level) == ("running", 8)
    why = refused(closed(8), items, [gauge_that_dips(items, 8, 3)])
    assert why.reason is Reason.NOT_STEADY
    assert "8 requests in the engine's batch were usual" in why.detail
    assert "fewer than 4;" in why.detail


def waves(concurrency: int, n: int, lasts_s: float, tokens: int) -> list[Item]:
    """Return a closed loop whose requests last nearly the same time, a little longer from one to the next."""
    return closed_loop(concurrency, n, lambda k: lasts_s + 0.01 * (k % concurrency), tokens=tokens)


def at_work(items: list[Item], t_ns: int) -> int:
    return sum(one.t_sent <= t_ns < one.t_end for one in items)


@pytest.mark.parametrize(
    ("concurrency", "n", "lasts_s", "least"),
    [
        (16, 60, 6.0, 50 * 16),  # a place in the batch
        (2, 20, 1.0, 200),  # however few the places
    ],
)
def test_a_window_holds_200_tokens_and_50_a_place_in_the_batch(
    concurrency: int, n: int, lasts_s: float, least: int
) -> None:
    """Requests and seconds are enough: one token more in each answer decides."""
    for tokens in range(1, 200):
        items = waves(concurrency, n, lasts_s, tokens)
        t_ns = np.arange(at(0), max(one.t_end for one in items), 5 * 10**8, dtype=np.int64)
        # full until the last is sent, then only what is still at work
        running = [concurrency if t <= items[-1].t_sent else at_work(items, t) for t in t_ns.tolist()]
        gauge = EngineGauge("requests_running", 0, t_ns, np.array(running, np.float64))
        window = found(closed(concurrency), items, [gauge])
        if isinstance(window, SteadyWindow):
            break
        assert window.reason is Reason.TOO_FEW_TOKENS
        assert window.detail.endswith(f"; {least} are needed.")
    assert window.mean_batch == pytest.approx(concurrency)
    assert least <= window.tokens < least * tokens / (tokens - 1)


def test_each_place_of_the_level_is_renewed_once_more() -> None:
    """More than ten ended, and the seconds and tokens are enough: the sixteenth decides."""
    few = refused(closed(16), waves(16, 16 + 16 + 15, 6.0, 100))
    assert few.reason is Reason.WINDOW_TOO_SHORT
    assert "15 requests ended" in few.detail
    assert "16 are needed" in few.detail
    assert steady(closed(16), waves(16, 16 + 16 + 16, 6.0, 100)).requests == 16


def steps(counts: Sequence[int]) -> list[Item]:
    """Return open arrivals of which so many are in flight in each second."""
    seconds = [k for k, count in enumerate(counts) for _ in range(count)]
    return [request(index, k, k + 1.0, tokens=20) for index, k in enumerate(seconds)]


def test_a_queue_that_grows_by_less_than_four_standard_deviations_is_no_overload() -> None:
    """About thirty in flight: 4 √(2 · 30) = 31, which is far above half of them."""
    assert steady(OPEN, steps(range(16, 45))).level == pytest.approx(30, abs=1)
    assert refused(OPEN, steps(range(13, 48))).reason is Reason.OVERLOADED


def test_growth_whose_line_is_not_as_rare_as_four_standard_deviations_is_no_overload() -> None:
    """A burst late in the run rises by enough and is no line."""
    burst = [4] * 34 + [40] * 4 + [4] * 2
    line = trend_of(np.array(burst[1:], np.float64))
    assert line.change > max(0.5 * line.mean, 4 * (2 * line.mean) ** 0.5)
    assert 2 < line.z < 4
    assert steady(OPEN, steps(burst)).level == pytest.approx(line.mean, abs=0.5)
    rising = list(range(1, 27))
    assert np.mean(rising) > line.mean, "more of them is no reason"
    assert refused(OPEN, steps(rising)).reason is Reason.OVERLOADED
