import dataclasses
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views, varied_runs
from joulemark.metrics import summarize
from joulemark.metrics.value import Value
from joulemark.metrics.verdict_energy import Spent, charge
from joulemark.record.item import Verdict
from joulemark.record.reason import Reason
from joulemark.report.verdicts import NO_REQUEST, lost, rest_row, verdict_chart, verdict_rows


def test_the_six_verdicts_always_stand_and_add_up():
    summary = summarize(run_views.with_counter(with_failures=True))
    rows = verdict_rows(summary)
    assert [row.verdict for row in rows] == [verdict.value for verdict in Verdict]
    assert sum(int(row.n) for row in rows) == summary.n_requests == 60
    costs = summary.by_verdict
    parts = [row.cost.value for row in costs.rows] + [costs.unattributed.value]
    assert sum(parts) == pytest.approx(costs.total.value)
    assert rest_row(summary).verdict == NO_REQUEST


def test_energy_that_the_meter_could_not_split_is_no_energy_of_no_request():
    view = run_views.with_counter()
    items = view.measured_items
    spent = {item.key: Reason.SHORTER_THAN_STEP for item in items}
    summary = dataclasses.replace(
        summarize(view), by_verdict=charge(items, spent, Value(321.0, "J"), "joules")
    )
    rest = rest_row(summary)
    assert rest.verdict == "not told apart"
    assert "correct, wrong" in rest.means
    assert (rest.cost.text, rest.share_of_cost.text) == ("321.0 J", "100 %")


def test_a_verdict_nobody_got_has_no_cost_and_no_dash():
    summary = summarize(run_views.with_counter())
    failed = next(row for row in verdict_rows(summary) if row.verdict == "failed")
    assert (failed.n, failed.cost.text, failed.mean_cost.text) == ("0", "", "")


def test_scored_answers_are_a_row_of_their_own():
    rows = verdict_rows(summarize(varied_runs.real_valued()))
    assert [row.verdict for row in rows] == ["scored"]
    assert lost(summarize(varied_runs.real_valued())) == ""


def test_what_was_not_correct_is_told_by_its_share_of_the_energy():
    summary = summarize(run_views.with_counter())
    shares = {row.verdict: row.share_of_cost.value for row in summary.by_verdict.rows if row.n}
    share = sum(share for verdict, share in shares.items() if verdict != "correct")
    assert lost(summary).startswith(
        f"{100 * share:.0f} % of the energy went into answers that were not correct"
    )
    bare = summarize(run_views.without_meter())
    assert "of the processor time" in lost(bare)


def test_without_a_known_share_nothing_is_claimed():
    view = run_views.with_counter()
    gone = dataclasses.replace(view.attributions[1], joules=None, lo=None, hi=None)
    rest = (view.attributions[0], gone, *view.attributions[2:])
    summary = summarize(dataclasses.replace(view, attributions=rest))
    assert any(row.n and row.share_of_cost.value is None for row in summary.by_verdict.rows)
    assert not {row["of"] for row in verdict_chart(summary, 400).data["bars"]} - {"requests"}


counts = st.lists(st.sampled_from(list(Verdict)), min_size=1, max_size=40)


@settings(deadline=None, max_examples=60)
@given(counts, st.floats(0.0, 50.0))
def test_bars_are_shares_end_to_end_within_one(verdicts, idle_j):
    items = [run_views.item(k, verdict=verdict) for k, verdict in enumerate(verdicts)]
    spent = {item.key: Spent(3.0 + item.index) for item in items}
    total = Value(sum(3.0 + item.index for item in items) + idle_j, "J")
    summary = dataclasses.replace(
        _base(), by_verdict=charge(items, spent, total, "joules"), n_requests=len(items)
    )
    bars = verdict_chart(summary, 400).data["bars"]
    for of in ("requests", "energy"):
        mine = [bar for bar in bars if bar["of"] == of]
        assert mine[0]["a"] == 0.0
        assert mine[-1]["b"] == pytest.approx(1.0)
        for left, right in pairwise(mine):
            assert left["b"] == pytest.approx(right["a"])


@cache
def _base():
    return summarize(run_views.without_meter(4))
