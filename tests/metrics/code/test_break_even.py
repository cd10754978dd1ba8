import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.made_up_code_runs import (
    MS,
    RAISED,
    TIMED_OUT,
    abba,
    evaluation,
    nothing,
    program,
    sides,
    two_speeds,
    whole,
)
from joulemark.metrics.code.break_even import (
    CostKind,
    ModelCost,
    TaskCost,
    break_even,
    cost_curve,
    cost_with_runs,
    model_cost,
    unknown_costs,
)
from joulemark.metrics.code.corrected import corrected
from joulemark.metrics.code.cost_definitions import DEFINITIONS
from joulemark.metrics.code.sample import samples_of
from joulemark.record.reason import Reason


def model(generate, run, n=20, *, spread=0.0, seed=1, right=1, kind=CostKind.AT_METERED_RATE):
    rng = np.random.default_rng(seed)
    return ModelCost(
        kind,
        {
            f"p{k}": TaskCost(
                generate * math.exp(rng.normal(0, spread)), right, run * math.exp(rng.normal(0, spread))
            )
            for k in range(n)
        },
    )


def test_by_hand():
    dear, cheap = model(100.0, 0.1), model(10.0, 1.0)
    found = break_even(dear, cheap)
    assert found.dearer == 0
    assert found.runs.value == pytest.approx(100.0)
    assert found.runs.unit == "runs"
    turned = break_even(cheap, dear)
    assert (turned.dearer, turned.runs.value) == (1, pytest.approx(100.0))


@settings(deadline=None, max_examples=50)
@given(st.floats(11, 1e4), st.floats(0.01, 0.9))
def test_at_break_even_both_cost_the_same(generate, run):
    dear, cheap = model(generate, run), model(10.0, 1.0)
    n_runs = break_even(dear, cheap).runs.value
    costs = [cost_with_runs(one, n_runs).value for one in (dear, cheap)]
    assert costs[0] == pytest.approx(costs[1])
    assert cost_with_runs(dear, 2 * n_runs).value < cost_with_runs(cheap, 2 * n_runs).value


def test_wrong_answers_cost_and_give_none():
    # half the tasks are wrong: twice the joules a right answer
    tasks = {f"p{k}": TaskCost(10.0, k % 2, 1.0 if k % 2 else None) for k in range(20)}
    assert cost_with_runs(ModelCost(CostKind.AT_METERED_RATE, tasks), 0).value == pytest.approx(20.0)
    assert cost_with_runs(ModelCost(CostKind.AT_METERED_RATE, tasks), 5).value == pytest.approx(25.0)


def test_what_never_pays_back_says_so():
    found = break_even(model(100.0, 1.0), model(10.0, 0.5))
    assert found.runs.value is None
    assert found.runs.reason is Reason.NOT_APPLICABLE
    assert "never" in found.runs.detail
    assert found.dearer == 0


def test_the_interval_holds_the_truth():
    held = 0
    for seed in range(80):
        dear = model(100.0, 0.1, 40, spread=0.4, seed=2 * seed)
        cheap = model(10.0, 1.0, 40, spread=0.4, seed=2 * seed + 1)
        runs = break_even(dear, cheap).runs
        held += runs.lo <= 100.0 <= runs.hi
    # the mean of what is spread so is exp(0.08) times its median, in each of the four alike
    assert held / 80 >= 0.88


def test_savings_that_may_be_none_have_no_interval():
    rng = np.random.default_rng(3)
    same = {f"p{k}": TaskCost(10.0, 1, float(rng.lognormal(0, 1))) for k in range(15)}
    factors = rng.lognormal(-0.05, 0.3, len(same)).tolist()
    other = {
        name: TaskCost(20.0, 1, task.run * factor)
        for (name, task), factor in zip(same.items(), factors, strict=True)
    }
    runs = break_even(ModelCost(CostKind.CPU, other), ModelCost(CostKind.CPU, same)).runs
    assert runs.value is not None
    assert runs.lo is None
    assert "never pays back" in runs.detail


def test_runs_are_compared_on_what_both_solved():
    dear = ModelCost(CostKind.AT_METERED_RATE, {"a": TaskCost(50, 1, 0.1), "b": TaskCost(50, 1, 99.0)})
    cheap = ModelCost(CostKind.AT_METERED_RATE, {"a": TaskCost(5, 1, 1.1), "b": TaskCost(5, 0, None)})
    # 50 a right answer against 10; 0.1 against 1.1 on the one problem both solved
    assert break_even(dear, cheap).runs.value == pytest.approx(40.0)
    none = ModelCost(CostKind.AT_METERED_RATE, {"b": TaskCost(5, 0, None)})
    assert break_even(dear, none).runs.value is None


def test_measured_modelled_and_cpu_costs_never_meet():
    with pytest.raises(ValueError, match="not compared"):
        break_even(model(1, 1), model(1, 1, kind=CostKind.MODELLED))
    names = {kind.definition.name for kind in CostKind}
    assert len(names) == 3
    assert names < {d.name for d in DEFINITIONS}
    assert all(kind.definition.unit == kind.unit for kind in CostKind)
    with pytest.raises(ValueError, match="not converted"):
        model_cost((), (), {}, CostKind.CPU, per_cpu_second=2.0)


def test_a_curve_rises_with_the_runs_and_has_intervals():
    curve = cost_curve(model(100.0, 0.1, spread=0.3))
    values = [value.value for _, value in curve]
    assert values == sorted(values)
    assert all(value.lo < value.value < value.hi for _, value in curve)
    assert cost_curve(model(100.0, 0.1, 5))[0][1].interval_reason is Reason.TOO_FEW_ITEMS


def test_nothing_right_or_nothing_timed_is_withheld():
    wrong = ModelCost(CostKind.AT_METERED_RATE, {"a": TaskCost(5, 0, None)})
    assert cost_with_runs(wrong, 1).reason is Reason.NOTHING_CORRECT
    untimed = ModelCost(CostKind.AT_METERED_RATE, {"a": TaskCost(5, 1, None)})
    assert cost_with_runs(untimed, 1).reason is Reason.NOT_MEASURED
    assert cost_with_runs(ModelCost(CostKind.CPU, {}), 1).value is None


def test_costs_come_from_runs():
    runs = evaluation([1.0, 2.0, 1.0], noise=0.0, wrong=(2,))
    samples = samples_of(runs)
    paired = corrected(runs, samples).samples
    generate = {"p00": 3.0, "p01": 4.0, "p02": 5.0}
    cost = model_cost(samples, paired, generate, CostKind.AT_METERED_RATE, per_cpu_second=10.0)
    assert cost.tasks["p01"].run == pytest.approx(0.4, rel=0.01)
    assert cost.tasks["p02"] == TaskCost(5.0, 0, None)
    # 12 J for two right answers; 0.2 and 0.4 J a run
    assert cost_with_runs(cost, 100).value == pytest.approx(6.0 + 30.0, rel=0.01)
    # what generation took is not known: left out, not free
    assert set(model_cost(samples, paired, {"p00": 3.0}, CostKind.AT_METERED_RATE).tasks) == {"p00"}


def test_a_program_that_hit_a_limit_has_no_cost_of_a_run():
    runs = [*nothing(), program("p", 0)]
    runs += abba("p", 0, [20 * MS] * 3, [900 * MS] * 3, outcome=TIMED_OUT, correct=None)
    samples = samples_of(runs)
    cost = model_cost(samples, corrected(runs, samples).samples, {"p": 1.0}, CostKind.CPU)
    assert cost.tasks["p"] == TaskCost(1.0, 1, None, n_unknown=1)


def test_a_cost_without_its_slowest_program_is_withheld():
    """Leaving out what a limit ended would make the slowest programs the cheapest."""
    tasks = {f"p{k}": TaskCost(10.0, 1, 1.0) for k in range(12)}
    slow = {**tasks, "p3": TaskCost(10.0, 1, None, n_unknown=1)}
    limited = ModelCost(CostKind.AT_METERED_RATE, slow)
    value = cost_with_runs(limited, 100)
    assert value.value is None
    assert "1 answers that pass their tests were ended" in value.detail
    cheap = {f"p{k}": TaskCost(1.0, 1, 2.0) for k in range(12)}
    assert break_even(limited, ModelCost(CostKind.AT_METERED_RATE, cheap)).runs.value is None
    # a problem that the other did not solve is in no comparison of runs
    unsolved = {**cheap, "p3": TaskCost(1.0, 0, None)}
    assert break_even(limited, ModelCost(CostKind.AT_METERED_RATE, unsolved)).runs.value is not None


def evaluated(speed, seed, *, ratio=1.3, noise=0.01, n=20, n_pairs=8):
    """Programs that take ``ratio`` times the reference, on a machine that takes ``speed`` times as long."""
    rng = np.random.default_rng(seed)
    runs = nothing(cpu_ns=0, n=5)
    for k in range(n):
        took = (20 + k) * MS * speed * np.exp(rng.normal(0, noise, (2, n_pairs)))
        runs += [program(f"p{k}", 0), *abba(f"p{k}", 0, took[0], ratio * took[1])]
    samples = samples_of(runs)
    return samples, corrected(runs, samples).samples


def cost_of(evaluation, generate, band=None):
    samples, paired = evaluation
    return model_cost(samples, paired, {s.problem: generate for s in samples}, CostKind.CPU, band=band)


@pytest.mark.parametrize("turned", [False, True])
def test_an_evaluation_of_a_slower_hour_is_not_compared(turned):
    """The same programs, a fifth slower: one way round the dearer model seemed to pay back."""
    fast, slow = evaluated(1.0, 1), evaluated(1.2, 2)
    dear, cheap = (slow, fast) if turned else (fast, slow)
    found = break_even(cost_of(dear, 2.0), cost_of(cheap, 1.0))
    assert found.runs.value is None
    assert found.runs.reason is Reason.NOT_APPLICABLE
    assert "1.20 times as long" in found.runs.detail
    # where a program differs from itself by a third, a fifth is nothing
    wide = break_even(cost_of(dear, 2.0, band=0.3), cost_of(cheap, 1.0))
    assert "times as long" not in wide.runs.detail


@pytest.mark.parametrize("speed", [0.96, 1.0, 1.04])
def test_what_pays_back_does_not_depend_on_the_hour(speed):
    """By absolute seconds 4 % of speed would be a fifth of the saving."""
    dear, cheap = evaluated(speed, 1, ratio=1.0), evaluated(1.0, 2, ratio=1.2)
    found = break_even(cost_of(dear, 2.0), cost_of(cheap, 1.0)).runs
    # a second dearer, and 0.2 of the reference's 29.5 ms cheaper to run
    truth = 1 / (0.2 * 0.0295 * math.sqrt(speed))
    assert found.value == pytest.approx(truth, rel=0.05)
    assert found.lo <= truth * math.sqrt(speed) <= found.hi
    assert found.lo <= truth / math.sqrt(speed) <= found.hi


def test_a_run_costs_the_same_of_however_many_pairs():
    """The least of 4 runs of a machine of two speeds is a third above the least of 25; medians 6 % below."""
    costs = {}
    for n_pairs in (4, 25):
        a, b = sides(two_speeds(np.random.default_rng(2), 250, 4 * -(-n_pairs // 2)) * 20 * MS)
        runs = nothing(cpu_ns=0, n=5)
        for k in range(250):
            runs += [program(f"p{k}", 0), *abba(f"p{k}", 0, a[k][:n_pairs], b[k][:n_pairs])]
        costs[n_pairs] = corrected(runs).figures["et_corrected"].value
    assert costs[4] == pytest.approx(costs[25], rel=0.08)


def one_of_two(problem, **fields):
    """Two problems that both are solved by the tests; what became of the second's program, in one pair."""
    runs = [*nothing(), program("p", 0), *abba("p", 0, [20 * MS] * 6, [20 * MS] * 6), program("q", 0)]
    runs += abba(problem, 0, [20 * MS] * 6, [MS] * 6, **fields)
    samples = samples_of(runs)
    paired = corrected(runs, samples).samples
    return samples, paired, model_cost(samples, paired, {"p": 10.0, "q": 10.0}, CostKind.CPU)


def test_a_wrong_result_on_the_scaled_input_makes_no_cost_cheaper():
    """It counts as right, so what it costs must be known too: a wrong result is as little as a failure."""
    right = one_of_two("q")[2]
    assert cost_with_runs(right, 100).value is not None
    for fields in ({"correct": False}, {"outcome": RAISED}, {"outcome": TIMED_OUT, "correct": None}):
        samples, paired, cost = one_of_two("q", **fields)
        assert (cost.tasks["q"].n_right, cost.tasks["q"].n_unknown) == (1, 1), fields
        assert cost_with_runs(cost, 100).reason is Reason.NOT_MEASURED, fields
        assert break_even(cost, right).runs.reason is Reason.NOT_MEASURED, fields
        assert unknown_costs(samples, paired) == {"q": 1}


def test_what_is_wrong_with_all_tests_in_one_process_withholds_the_cost_too():
    samples, paired, _ = one_of_two("q")
    runs = [run for sample in samples for run in sample.runs]
    wrong = samples_of([*runs, whole("q", 0, wall_s=0.1, correct=False)])
    assert unknown_costs(wrong, [one for one in paired if one.problem == "p"]) == {"q": 1}
