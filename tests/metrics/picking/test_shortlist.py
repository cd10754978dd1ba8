"""A shortlist says what the whole pick says: the same figures, tables and reasons, chances within noise."""

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from doubles.pickables import candidate
from doubles.points import point
from joulemark.metrics.cost_model import CostModel
from joulemark.metrics.picking import (
    OBJECTIVES,
    Bound,
    Named,
    Spread,
    Transfer,
    Wanted,
    columns,
    declared,
    pick,
    picked_json,
    published_candidate,
    sampled,
    shortlist,
)
from joulemark.metrics.picking.curvature import Curvature
from joulemark.metrics.picking.draws import cost_draws, joule_draws, shared_draws, variates_of
from joulemark.metrics.picking.price import FIGURES, price
from joulemark.metrics.picking.screen import Screen
from joulemark.metrics.picking.tails import lower_ends, t_ends
from joulemark.metrics.picking.times import Times
from joulemark.metrics.value import Value
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason

RATES = Rates(usd_per_kwh=0.3, gco2e_per_kwh=400.0, pue=1.2)
SLOW = Times(CostModel(reason=Reason.NOT_IDENTIFIED), 1.0, 0.1, 20, (10, 4000), (1, 900))
DAY = declared(Spread(300, 50), Spread(80, 20), 30_000)
SAMPLE = sampled([(100 + 30 * k, 20 + 11 * (k % 7)) for k in range(12)], 900)


def plane(seed):
    return Times(candidate(seed=seed).model, 2.0, 0.2, 30, (1, 900), (1, 300))


def made(k):
    rng = np.random.default_rng(k)
    fields = {
        "task": ("sums", "poems")[k % 7 == 0],
        "device": ("NVIDIA Testboard 90", "Other 1", None)[k % 3],
    }
    if k % 11 == 0:
        fields |= {"kind": "simulated", "tier": None}
    fields["latencies"] = {"ttft_mean": 0.2, "ttft_p99": 0.1 * (1 + k % 5)}
    more = {"idle_w": Value(20.0 + k, "W", 19.0 + k, 21.0 + k, "bound")} if k % 2 else {}
    one = candidate(
        f"c{k}",
        k,
        right=(None if k % 13 == 5 else int(rng.integers(0, 101))),
        factor=float(rng.lognormal(0, 0.6)),
        noise_j=8.0 if k % 3 else 30.0,
        point_fields=fields,
        gain_bound=0.02 * (k % 2),
        gain_sd=0.03 * (k % 5 == 0),
        bend=Curvature((40.0, 0.06, 1.8, 0.0004)) if k % 4 == 0 else None,
        whole=None if k % 6 == 5 else (SLOW if k % 2 else plane(k)),
        first=None if k % 6 == 5 else SLOW,
        in_flight=(None, 1.0, 8.0)[k % 3],
        transfers=(Transfer("poems", Value(4.0, "%", 1.0, 7.0, "ci95")),) if k % 5 == 1 else (),
        **more,
    )
    if k % 17 == 3:
        one = dataclasses.replace(one, model=CostModel(reason=Reason.TOO_FEW_ITEMS, detail="Of 9."))
    if k % 19 == 4:
        one = dataclasses.replace(one, point=dataclasses.replace(one.point, unit="image"))
    return dataclasses.replace(one, rates=RATES)


def published(k):
    row = dataclasses.replace(
        point(20.0 + 3 * k, label=f"p{k}", kind="published", tier=None),
        mean_completion_tokens=100 if k % 3 else None,
    )
    return published_candidate(row, RATES)


POOL = [*map(made, range(60)), *map(published, range(8))]
COLUMNS = columns(POOL)
LIMITS = st.lists(
    st.one_of(
        st.builds(Bound, st.just("accuracy"), st.floats(0, 1), st.just(True)),
        st.builds(Bound, st.sampled_from(["ttft_mean", "e2el_mean", "ttft_p99"]), st.floats(0.05, 20)),
        st.builds(
            Bound,
            st.sampled_from(["workload_joules", "workload_kwh_per_day", "workload_usd_per_day"]),
            st.floats(0.1, 900),
        ),
        st.builds(Named, st.just("hardware"), st.sampled_from(["testboard 90", "other", "nothing"])),
        st.builds(Named, st.just("task"), st.just("SUMS")),
    ),
    max_size=3,
)


@pytest.mark.parametrize("workload", [DAY, SAMPLE, declared(Spread(5000), Spread(2000))])
@pytest.mark.parametrize("name", FIGURES)
def test_a_screen_has_the_points_of_the_figures(workload, name):
    found = Screen(COLUMNS, workload, RATES).figure(name)
    for k, one in enumerate(COLUMNS.candidates):
        value = price(one, workload).figures[name].value
        assert found[k] == pytest.approx(math.nan if value is None else value, rel=1e-9, nan_ok=True)


def told(rows):
    return [(row.priced.candidate.point.model, row.priced.candidate.point.label) for row in rows]


@given(LIMITS, st.sampled_from(OBJECTIVES), st.sampled_from([DAY, SAMPLE]))
@settings(max_examples=40, deadline=None)
def test_it_is_the_beginning_of_the_whole_pick(limits, by, workload):
    wanted = Wanted(by, tuple(limits))
    whole = pick(POOL, workload, wanted, n_draws=300)
    found = shortlist(COLUMNS, workload, wanted, RATES, most=100, most_tables=9, n_draws=300)
    assert [(t.kind, t.tier, t.scope, t.task) for t in found.found.tables] == [
        (t.kind, t.tier, t.scope, t.task) for t in whole.tables
    ]
    assert found.n_rows == tuple(len(t.rows) for t in whole.tables)
    for a, b in zip(found.found.tables, whole.tables, strict=True):
        assert told(a.rows) == told(b.rows)[: len(a.rows)]
        for one, other in zip(a.rows, b.rows, strict=False):
            assert one.priced.figures == other.priced.figures
            assert one.checks == other.checks
            assert one.probability.reason == other.probability.reason
            if other.probability.value is not None:  # the very same draws: pruning changes nothing here
                assert one.probability.value == pytest.approx(other.probability.value, abs=1e-12)
                assert one.ranks == other.ranks
    assert found.n_ruled_out == len(whole.ruled_out)
    assert {told([one])[0]: one.failed for one in found.found.ruled_out} == {
        told([one])[0]: one.failed for one in whole.ruled_out
    }
    assert found.n_not_priced == len(whole.not_priced) == sum(found.n_alike)
    assert {one.text for one in found.found.not_priced} <= {one.text for one in whole.not_priced}
    assert found.n_candidates == len(POOL)


def test_few_rows_keep_the_chances_that_they_have_among_all():
    wanted = Wanted("joules_per_correct")
    whole = pick(POOL, DAY, wanted, n_draws=2000)
    found = shortlist(COLUMNS, DAY, wanted, RATES, most=4, n_draws=2000)
    a, b = found.found.tables[0], whole.tables[0]
    assert len(a.rows) == 4 < found.n_rows[0] == len(b.rows)
    for one, other in zip(a.rows, b.rows, strict=False):
        assert one.probability.value == pytest.approx(other.probability.value, abs=1e-12)
        assert one.ranks == other.ranks
    assert picked_json(found.found)["best"] == picked_json(whole)["best"]


def test_draws_that_are_kept_change_nothing():
    kept = {}
    first = shortlist(COLUMNS, DAY, Wanted("joules"), RATES, draws=kept)
    assert kept
    again = shortlist(COLUMNS, DAY, Wanted("joules_per_correct"), RATES, draws=kept)
    assert again == shortlist(COLUMNS, DAY, Wanted("joules_per_correct"), RATES)
    assert first == shortlist(COLUMNS, DAY, Wanted("joules"), RATES, draws=kept)


def test_nothing_and_one_are_answered():
    assert shortlist(columns([]), DAY, Wanted(), RATES).found.tables == ()
    (table,) = shortlist(columns([POOL[1]]), DAY, Wanted(), RATES).found.tables
    assert table.rows[0].ranks == (1, 1)


def test_rates_that_are_a_rows_own_are_refused():
    with pytest.raises(ValueError, match="one rate"):
        shortlist(COLUMNS, DAY, Wanted(), Rates(usd_per_million_prompt_tokens=1.0))
    with pytest.raises(KeyError):
        shortlist(COLUMNS, DAY, Wanted("joules", (Bound("luck", 1.0),)), RATES)


@pytest.mark.parametrize("workload", [DAY, SAMPLE, sampled([(100, 20), (900, 300)])])
def test_draws_are_those_of_a_multivariate_t(workload):
    """The joint draw of three coefficients and two lengths, written out, has the same quantiles."""
    one = dataclasses.replace(POOL[4], gain_bound=0.0, gain_sd=0.0, bend=None, transfers=())
    model, n = one.model, 200_000
    rng = np.random.default_rng(1)
    drawn = stats.multivariate_t(model.coefficients, model.covariance, df=model.degrees).rvs(
        n, random_state=2
    )
    at = np.tile(np.array(workload.at), (n, 1))
    spread = np.array(workload.covariance) * workload.mean_factor
    at[:, 1:] += rng.multivariate_normal([0, 0], spread, n)
    expected = (drawn * at).sum(axis=1)
    found = joule_draws(one, workload, shared_draws(n, 3), variates_of(one, n, 3, graded=False))
    for share_below in (0.01, 0.1, 0.5, 0.9, 0.99):
        bound = np.quantile(expected, share_below)
        assert (found < bound).mean() == pytest.approx(share_below, abs=0.004)


@pytest.mark.parametrize("degrees", [2, 5, 7, 12, 57, 900])
@pytest.mark.parametrize("z", [1.0, 2.75, 5.1])
def test_ends_of_student_are_far_enough_out(degrees, z):
    tail = stats.t.sf(t_ends(np.array([float(degrees)]), z)[0], degrees)
    assert tail <= stats.norm.sf(z)
    assert tail > stats.norm.sf(z) / (3 if degrees >= 5 else 30)


@pytest.mark.parametrize("workload", [DAY, SAMPLE])
@pytest.mark.parametrize("graded", [False, True])
def test_draws_fall_below_the_lower_end_as_rarely_as_stated(workload, graded):
    rows = np.array([k for k, one in enumerate(COLUMNS.candidates)
                     if one.model.reason is None and (not graded or one.point.accuracy.value)])  # fmt: skip
    per_joule = np.ones(len(rows))
    name = "workload_joules_per_correct" if graded else "workload_joules"
    draws = cost_draws([price(COLUMNS.candidates[k], workload) for k in rows], name, 4000)
    for probability in (1e-6, 0.02):
        ends = lower_ends(COLUMNS, rows, workload, per_joule, probability, graded=graded)
        below = (draws < ends[:, None]).mean(axis=1)
        assert below.max() <= probability + 4 * math.sqrt(probability / 4000)
    assert not np.isnan(ends).any()
    assert (ends > 0).mean() > 0.5


def test_what_has_no_accuracy_interval_has_no_chances():
    bare = [
        dataclasses.replace(one, point=dataclasses.replace(one.point, accuracy=Value(0.5, "1")))
        for one in (candidate("a", 1), candidate("b", 2))
    ]
    found = shortlist(columns(bare), DAY, Wanted(), RATES)
    rows = found.found.tables[0].rows
    assert [row.probability.reason for row in rows] == [Reason.NOT_MEASURED] * 2
