"""The published rules on loads small enough to count by hand."""

import dataclasses

import numpy as np
import pytest

from doubles.made_up_loads import at, closed_loop, load_of, request
from doubles.run_views import measured
from joulemark.metrics.published_windows import (
    EVENTS,
    OURS,
    QUEUE_EMPTY,
    published_windows,
    rule_figures,
)
from joulemark.metrics.run_view import EngineGauge
from joulemark.metrics.steady_state import SteadyState
from joulemark.metrics.value import withheld
from joulemark.record.energy import Withheld
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason
from joulemark.record.span import Span


def ten():
    """Return ten requests, all sent at once to two places, a second each; first tokens half way."""
    return [
        request(k, 0.0, 1.0 + k // 2 + 0.1 * (k % 2), first_s=0.5 + k // 2 + 0.1 * (k % 2), tokens=6)
        for k in range(10)
    ]


def test_from_the_b_th_first_token_until_all_but_b_and_one_have_ended():
    window = published_windows(load_of(ten()), 2)[EVENTS]
    # the second first token comes at 0.6 s; 10 − 2 − 1 = 7 have ended at 4.0 s
    assert window == Span(0, at(0.6), at(4.0))


def test_failed_requests_count_as_ended():
    items = ten()
    items[6] = dataclasses.replace(items[6], verdict=Verdict.FAILED, t_first=None, t_end=at(0.3))
    assert published_windows(load_of(items), 2)[EVENTS].t1 == at(3.1)


@pytest.mark.parametrize(
    ("batch", "said"), [(5, "had ended before"), (9, "at the start"), (64, "never begins")]
)
def test_where_the_batch_nears_half_of_the_requests_it_is_empty_and_says_why(batch, said):
    window = published_windows(load_of(ten()), batch)[EVENTS]
    assert isinstance(window, Withheld)
    assert window.reason is Reason.NOT_STEADY
    assert said in window.detail


def test_without_the_engines_batch_there_is_no_rule():
    assert published_windows(load_of(ten()), None)[EVENTS].reason is Reason.NOT_REPORTED
    assert published_windows(load_of([]), 2)[QUEUE_EMPTY].reason is Reason.NOT_STEADY


def test_until_no_request_waits_for_its_first_token():
    assert published_windows(load_of(ten()), 2)[QUEUE_EMPTY] == Span(0, at(0), at(4.6))
    # in a closed loop the queue is empty as soon as the first few have begun
    loop = closed_loop(4, 40, lambda k: 1.0)
    window = published_windows(load_of(loop), 4)[QUEUE_EMPTY]
    assert (window.t1 - window.t0) * 1e-9 == pytest.approx(0.1)


def test_what_was_asked_before_the_load_is_no_part_of_it():
    alone = [request(90 + k, -5.0 + k, -4.1 + k, first_s=-4.5 + k, phase="warmup") for k in range(3)]
    lead = [dataclasses.replace(one, phase="warmup") for one in ten()[:4]]
    items = [*alone, *lead, *ten()[4:]]
    assert published_windows(load_of(items), 2) == published_windows(load_of(ten()), 2)
    load = load_of(items)
    published = published_windows(load, 2)
    state = SteadyState(
        load=load, published=published, published_energy=dict.fromkeys(published, measured(460.0, 4.0))
    )
    _, events, empty = rule_figures(load, state, withheld("J", Reason.NOT_LOADED))
    assert (events.t0_s.value, empty.t0_s.value) == pytest.approx((0.6, 0.0))
    assert events.share_of_run.value == pytest.approx(3.4 / 5.1)


def test_joules_of_others_are_no_rules_joules():
    load = load_of(ten())
    foreign = Withheld(Reason.FOREIGN_LOAD, "24 requests")
    state = SteadyState(
        foreign,
        load,
        foreign,
        published=published_windows(load, 2),
        published_energy={EVENTS: measured(340.0, 4.0), QUEUE_EMPTY: measured(460.0, 4.0)},
    )
    for rule in rule_figures(load, state, withheld("J", Reason.FOREIGN_LOAD)):
        assert rule.joules_per_token.reason is Reason.FOREIGN_LOAD
        assert rule.joules_per_request.reason is Reason.FOREIGN_LOAD
    assert rule.tokens.value


def test_the_engines_own_queue_is_asked_where_it_tells():
    t_ns = np.array([at(0.1 * k) for k in range(60)], np.int64)
    waiting = EngineGauge("requests_waiting", 0, t_ns, np.where(np.arange(60) < 33, 3.0, 0.0))
    window = published_windows(load_of(ten(), (waiting,)), 2)[QUEUE_EMPTY]
    assert window == Span(0, at(0), at(3.3))


def test_rules_stand_side_by_side_with_the_published_equation():
    load = load_of(ten())
    published = published_windows(load, 2)
    state = SteadyState(
        Withheld(Reason.WINDOW_TOO_SHORT, "3 s"),
        load,
        Withheld(Reason.WINDOW_TOO_SHORT, "3 s"),
        published=published,
        published_energy={EVENTS: measured(340.0, 4.0), QUEUE_EMPTY: measured(460.0, 4.0)},
    )
    ours, events, empty = rule_figures(load, state, withheld("J", Reason.WINDOW_TOO_SHORT))
    assert (ours.rule, ours.joules_per_token.reason) == (OURS, Reason.WINDOW_TOO_SHORT)
    assert (events.t0_s.value, events.t1_s.value, events.duration_s.value) == pytest.approx((0.6, 4.0, 3.4))
    assert events.share_of_run.value == pytest.approx(3.4 / 5.1)
    per_token = 340.0 / events.tokens.value
    assert events.joules_per_token.value == pytest.approx(per_token)
    assert events.joules_per_request.value == pytest.approx(6 * per_token)
    assert events.joules_per_request.interval == "bound"
    assert empty.tokens.value == pytest.approx(8 * 6 + 2 + 1)


def test_not_one_token_is_a_reason_and_no_divisor():
    items = [request(k, 0.0, 10.0 + k, first_s=9.0 + k, tokens=3) for k in range(4)]
    load = load_of(items)
    window = Span(0, at(0), at(5))
    state = SteadyState(load=load, published={EVENTS: window}, published_energy={EVENTS: measured(100.0)})
    _, events = rule_figures(load, state, withheld("J", Reason.NOT_LOADED))
    assert events.tokens.value == 0
    assert events.joules_per_token.reason is Reason.TOO_FEW_TOKENS
    assert events.joules_per_request.reason is Reason.TOO_FEW_TOKENS
