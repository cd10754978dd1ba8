"""Against the simulated server, whose true joules are known: workloads with other lengths than the run's."""

import dataclasses

import numpy as np
import pytest

from doubles.pickables import many_at_once, one_at_a_time
from joulemark.metrics import summarize
from joulemark.metrics.picking import measured_candidate, price, sampled
from joulemark.metrics.run_point import run_point


def of_run(view):
    return measured_candidate(view, run_point(view, summarize(view), "runs/x"))


def as_workload(view):
    """The requests of a run as a workload whose mean lengths are known."""
    pairs = [(item.prompt_tokens, item.completion_tokens) for item in view.measured_items]
    return dataclasses.replace(sampled(pairs), n=None)


@pytest.mark.parametrize(("prompt", "output"), [(400, 100), (800, 200), (1600, 60)])
def test_the_joules_of_other_lengths_lie_in_the_interval(prompt, output):
    held = 0
    for seed in range(3):
        rng = np.random.default_rng(seed)
        priced = of_run(one_at_a_time(rng, 100, 300, 100))
        other = one_at_a_time(rng, 150, prompt, output)
        true_j = np.mean([row.joules for row in other.headline_attributions().values()])
        found = price(priced, as_workload(other)).figures["workload_joules"]
        assert found.value == pytest.approx(true_j, rel=0.01)
        held += found.lo <= true_j <= found.hi
    assert held >= 2


def test_without_the_bend_the_interval_would_miss():
    rng = np.random.default_rng(1)
    priced = of_run(one_at_a_time(rng, 100, 300, 100))
    other = one_at_a_time(rng, 150, 800, 200)
    true_j = np.mean([row.joules for row in other.headline_attributions().values()])
    asked = as_workload(other)
    with_it = price(priced, asked).figures["workload_joules"]
    straight = price(dataclasses.replace(priced, bend=None), asked).figures["workload_joules"]
    assert with_it.value == straight.value
    assert with_it.lo <= true_j <= with_it.hi
    assert not straight.lo <= true_j <= straight.hi


def test_a_loaded_run_prices_its_load_and_says_so():
    for seed in range(2):
        rng = np.random.default_rng(seed)
        priced = of_run(many_at_once(rng, 600, 300, 100))
        assert priced.model.reason is None, priced.model.detail
        assert "carries its load" in " ".join(priced.notes)
        other = many_at_once(rng, 600, 450, 120)
        true = summarize(other).figures["steady_joules_per_request"]
        found = price(priced, as_workload(other)).figures["workload_joules"]
        assert found.lo <= true.hi
        assert found.hi >= true.lo
        assert found.value == pytest.approx(true.value, rel=0.06)
        # one at a time it costs many times as much
        assert (
            found.value
            < 0.3
            * price(of_run(one_at_a_time(rng, 60, 300, 100)), as_workload(other))
            .figures["workload_joules"]
            .value
        )


def test_a_load_without_a_steady_state_prices_nothing():
    priced = of_run(many_at_once(np.random.default_rng(0), 24, 300, 100))
    assert priced.model.reason is not None
    value = price(priced, as_workload(one_at_a_time(np.random.default_rng(1), 12, 50, 20))).figures
    assert value["workload_joules"].reason is priced.model.reason
