"""A cost that changes while it is measured: the halves of what was asked tell."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from doubles import run_views
from doubles.run_views import item
from joulemark.metrics import summarize
from joulemark.metrics.finite_ratio import Units
from joulemark.metrics.halves import halves
from joulemark.metrics.run_view import RunView
from joulemark.record.manifest import StopFacts, Stopped

N = 60


def test_alike_halves_differ_by_more_than_their_error_in_at_most_one_case_of_twenty() -> None:
    chance = np.random.default_rng(5)
    cost = chance.lognormal(0.0, 0.5, (2000, 100))
    right = (chance.random((2000, 100)) < 0.6).astype(float)
    found = [halves(Units(c, d, 100)) for c, d in zip(cost, right, strict=True)]
    apart = np.mean([one is not None and one.apart for one in found])
    assert 0.015 < apart < 0.06
    assert np.mean([one is not None and one.clearly_apart for one in found]) < 0.02


def test_what_drifts_is_apart_and_what_is_all_alike_is_not() -> None:
    ones = np.ones(40)
    drifting = halves(Units(np.linspace(1.0, 2.0, 40), ones, 40))
    assert drifting is not None
    assert drifting.clearly_apart
    assert (drifting.first, drifting.second) == pytest.approx((1.24, 1.76), abs=0.01)
    alike = halves(Units(ones, ones, 40))
    assert alike is not None
    assert alike.times == 0
    step = halves(Units(np.repeat([1.0, 2.0], 20), ones, 40))
    assert step is not None
    assert step.clearly_apart


def test_too_few_say_nothing() -> None:
    assert halves(Units(np.arange(11.0), np.ones(11), 11)) is None
    assert halves(Units(np.arange(40.0), np.repeat([1.0, 0.0], 20), 40)) is None


@pytest.mark.parametrize(("drift_s", "told"), [(0.0, False), (0.5, True)])
def test_a_run_that_a_rule_ended_says_that_its_costs_had_not_settled(drift_s: float, told: bool) -> None:
    chance = np.random.default_rng(2)
    items, at_s = [], 0.0
    for n in range(N):
        took_s = 1.0 + drift_s * n / N + 0.1 * chance.random()
        items.append(item(n, start_s=at_s, end_s=took_s))
        at_s += took_s + 0.01
    ended = Stopped(at=N, asked=N, of=600, segment=0, binding=["accuracy ±9pp"])
    rule = StopFacts(targets=["accuracy ±9pp"], least=30, every=10, named_at=0, stopped=ended)
    manifest = run_views.manifest(stop=rule)
    manifest.task = manifest.task.model_copy(update={"n_items": 600})
    view = RunView(manifest=manifest, items=tuple(items), duration_s=at_s)

    def codes(run: RunView) -> set[str]:
        return {one.code for one in summarize(run).caveats if one.loud}

    assert ("not_settled" in codes(view)) == told
    unstopped = manifest.model_copy(update={"stop": None})
    assert "not_settled" not in codes(replace(view, manifest=unstopped))  # it asked what it was to ask
