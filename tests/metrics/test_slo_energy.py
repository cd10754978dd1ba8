"""Correct answers that came in time: their share, and how sure it is."""

from __future__ import annotations

import dataclasses

import pytest
from scipy.stats import binomtest

from doubles import run_views
from doubles.made_up_loads import at, request
from joulemark.metrics.run_view import RunView
from joulemark.metrics.slo import Slo
from joulemark.metrics.slo_energy import share_correct_at
from joulemark.metrics.steady_state import SteadyState, SteadyWindow
from joulemark.record.item import Verdict
from joulemark.record.span import Span

N, IN_TIME, LATE = 40, 21, 9  # the rest is wrong


def asked() -> RunView:
    items = []
    for k in range(N):
        verdict = Verdict.CORRECT if k < IN_TIME + LATE else Verdict.WRONG
        lasts_s = 9.0 if IN_TIME <= k < IN_TIME + LATE else 1.0
        items.append(request(k, float(k), k + lasts_s, verdict=verdict))
    window = SteadyWindow(Span(0, at(5), at(30)), "in_flight", 4, 4, 4, 1.0, 20, 400, "exact", 1.0)
    return dataclasses.replace(
        run_views.without_meter(), items=tuple(items), chunks={}, steady=SteadyState(window)
    )


def test_the_share_of_correct_answers_in_time_has_wilsons_interval() -> None:
    share = share_correct_at(asked(), Slo(e2el_s=2.0))
    assert (share.value, share.n, share.interval) == (IN_TIME / N, N, "ci95")
    wilson = binomtest(IN_TIME, N).proportion_ci(0.95, method="wilson")
    assert (share.lo, share.hi) == pytest.approx((wilson.low, wilson.high), abs=1e-6)


def test_questions_that_are_asked_again_and_again_make_the_share_no_surer() -> None:
    once = asked()
    again = [dataclasses.replace(item, repeat=repeat) for repeat in range(4) for item in once.items]
    one = share_correct_at(once, Slo(e2el_s=2.0))
    four = share_correct_at(dataclasses.replace(once, items=tuple(again)), Slo(e2el_s=2.0))
    assert (four.value, four.lo, four.hi, four.n) == (one.value, one.lo, one.hi, N)
