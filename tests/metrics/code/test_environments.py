import numpy as np
import pytest
import scipy.stats
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.made_up_code_runs import MS, RAISED, TIMED_OUT, abba, evaluation, program
from joulemark.metrics.code.environments import (
    AtLeast,
    compare_environments,
    ratios_by_task,
    tau_of_models,
    tau_of_tasks,
)
from joulemark.metrics.code.ranks import chi_squared_tail, friedman, kendall_tau, kruskal_wallis

few = st.integers(0, 6)


@settings(deadline=None)
@given(st.lists(st.tuples(few, few), min_size=2, max_size=20))
def test_tau_is_scipys(pairs):
    a, b = zip(*pairs, strict=True)
    found = kendall_tau(a, b)
    if len(set(a)) == 1 or len(set(b)) == 1:
        assert found is None
    else:
        assert found == pytest.approx(scipy.stats.kendalltau(a, b).statistic)


@settings(deadline=None)
@given(st.lists(st.lists(few, min_size=1, max_size=8), min_size=2, max_size=5))
def test_kruskal_wallis_is_scipys(groups):
    found = kruskal_wallis(groups)
    if len({value for group in groups for value in group}) == 1:
        assert found is None
        return
    theirs = scipy.stats.kruskal(*groups)
    assert found.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(theirs.pvalue, abs=1e-9)


@settings(deadline=None)
@given(st.integers(3, 5).flatmap(lambda k: st.lists(st.lists(few, min_size=k, max_size=k), min_size=2)))
def test_friedman_is_scipys(rows):
    found = friedman(rows)
    if all(len(set(row)) == 1 for row in rows):
        assert found is None
        return
    theirs = scipy.stats.friedmanchisquare(*zip(*rows, strict=True))
    assert found.statistic == pytest.approx(theirs.statistic, abs=1e-9)
    assert found.p_value == pytest.approx(theirs.pvalue, abs=1e-9)


@given(st.floats(0, 80), st.integers(1, 12))
def test_the_tail_of_chi_squared_is_scipys(x, degrees):
    assert chi_squared_tail(x, degrees) == pytest.approx(scipy.stats.chi2.sf(x, degrees), abs=1e-12)


def test_one_group_is_no_comparison():
    assert kruskal_wallis([[1.0, 2.0]]) is None
    assert friedman([[1.0], [2.0]]) is None


def measured_on(speed, models, seed):
    rng = np.random.default_rng(seed)
    return {
        name: {f"t{k}": float(base * k**0.1 * np.exp(rng.normal(0, 0.02))) ** speed for k in range(1, 21)}
        for name, base in models.items()
    }


MODELS = {"a": 1.0, "b": 1.5, "c": 2.0, "d": 4.0}


def test_machines_that_agree():
    found = compare_environments({"x": measured_on(1, MODELS, 1), "y": measured_on(1.1, MODELS, 2)})
    (agreement,) = found.agreements
    assert (agreement.first, agreement.second) == ("x", "y")
    assert agreement.of_models.value == 1.0
    assert agreement.of_models.lo > 0.6
    assert agreement.of_models.n == 4
    assert set(agreement.of_tasks) == set(MODELS)
    assert agreement.of_tasks["a"].lo <= agreement.of_tasks["a"].value <= agreement.of_tasks["a"].hi


def test_a_machine_that_turns_the_ranking_round():
    turned = dict(zip(MODELS, reversed(MODELS.values()), strict=True))
    value = tau_of_models(measured_on(1, MODELS, 1), measured_on(1, turned, 2))
    assert value.value == -1.0


def test_the_interval_of_tau_holds_the_truth():
    """Two rankings with correlation 0.5 of normal values: tau is 2 / pi * asin(0.5), one third."""
    rng = np.random.default_rng(6)
    held = 0
    for _ in range(60):
        x = rng.normal(size=40)
        y = 0.5 * x + np.sqrt(0.75) * rng.normal(size=40)
        first, second = ({str(k): v for k, v in enumerate(values)} for values in (x, y))
        value = tau_of_tasks(first, second)
        held += value.lo <= 1 / 3 <= value.hi
    assert held >= 52


def test_too_few_to_rank():
    two = {"a": MODELS["a"], "b": MODELS["b"]}
    assert tau_of_models(measured_on(1, two, 1), measured_on(1, two, 2)).value is None
    assert tau_of_tasks({"t": 1.0}, {"t": 1.0}).value is None
    few_tasks = {name: dict(list(tasks.items())[:5]) for name, tasks in measured_on(1, MODELS, 1).items()}
    value = tau_of_models(few_tasks, few_tasks)
    assert (value.value, value.lo) == (1.0, None)


def test_ties_everywhere_are_no_agreement():
    same = {name: {"t1": 1.0, "t2": 1.0} for name in MODELS}
    assert tau_of_models(same, same).value is None


def test_tasks_that_differ_more_than_machines_hide_these_from_kruskal_and_wallis():
    tasks = {f"t{k}": 10.0 ** (k % 5) for k in range(20)}
    slower = {name: ratio * 1.05 for name, ratio in tasks.items()}
    found = compare_environments({"x": {"m": tasks}, "y": {"m": slower}, "z": {"m": tasks}})
    assert found.kruskal_wallis["m"].p_value > 0.4
    assert found.friedman["m"].p_value < 0.001


def slow_ones_ended(ratios, n):
    """The same ratios on a machine whose limit ends the n slowest programs just before they are done."""
    slowest = sorted(ratios, key=ratios.get)[-n:]
    return {task: AtLeast(r / 1.05) if task in slowest else r for task, r in ratios.items()}


def test_a_limit_that_one_machine_met_is_no_difference_of_machines():
    rng = np.random.default_rng(1)
    ratios = {f"t{k}": float(r) for k, r in enumerate(np.exp(rng.normal(0, 1, 40)))}
    ended = slow_ones_ended(ratios, 12)
    missing = {task: r for task, r in ended.items() if not isinstance(r, AtLeast)}
    for other in (ended, missing):
        found = compare_environments({"A": {"m": ratios}, "B": {"m": other}})
        assert found.kruskal_wallis["m"] is None or found.kruskal_wallis["m"].p_value > 0.99
        assert found.friedman["m"] is None or found.friedman["m"].p_value > 0.99
        assert found.agreements[0].of_tasks["m"].value == pytest.approx(1.0)
    assert found.agreements[0].of_tasks["m"].n == 28


def test_what_a_limit_ended_is_slower_than_what_ended_below_its_bound():
    ratios = {f"t{k}": 1.0 + k for k in range(12)}
    ended = {task: AtLeast(3 * r) if k < 9 else r for k, (task, r) in enumerate(ratios.items())}
    found = compare_environments({"A": {"m": ratios}, "B": {"m": ended}})
    assert found.friedman["m"].p_value < 0.01
    models = {name: {**ratios, "slow": AtLeast(9.0)} for name in MODELS}
    assert tau_of_models(models, models).reason is not None  # all are equal on what ended


def test_ratios_come_from_runs():
    ratios = ratios_by_task(evaluation([1.0, 4.0], noise=0.0))
    assert ratios == {"p00": pytest.approx(1.0), "p01": pytest.approx(4.0, rel=0.01)}
    slow = abba("p02", 0, [20 * MS] * 3, [900 * MS] * 3, outcome=TIMED_OUT, correct=None)
    failed = abba("p03", 0, [20 * MS] * 3, [900 * MS] * 3, outcome=RAISED, correct=None)
    more = [*evaluation([1.0, 4.0], noise=0.0), program("p02", 0), *slow, program("p03", 0), *failed]
    bound = ratios_by_task(more)["p02"]
    assert isinstance(bound, AtLeast)
    assert bound.ratio == pytest.approx(45, rel=0.01)
    assert "p03" not in ratios_by_task(more)
    alone = compare_environments({"x": {"m": ratios}})
    assert alone.agreements == ()
    assert alone.kruskal_wallis == {"m": None}
