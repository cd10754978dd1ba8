"""How often the intervals hold the truth of straight lines: seeded worlds, 95 % within what chance allows."""

import dataclasses

import numpy as np
import pytest

from doubles.pickables import ALPHA, BETA, FIXED, candidate, linear_model, share
from joulemark.metrics.picking import Spread, declared, price, sampled
from joulemark.metrics.picking.draws import cost_draws

WORLDS = 2000
NOISE, P, C, SD_P, SD_C, R = 12.0, 700, 150, 200, 50, 300
TRUE_J, ACCURACY = FIXED + ALPHA * P + BETA * C, 0.6


@pytest.mark.parametrize("n", [30, 60])
def test_the_intervals_hold_in_93_to_97_percent(n):
    held = dict.fromkeys(("mean", "per_correct", "single", "day", "sampled"), 0)
    base = candidate()
    asked = declared(Spread(P, SD_P), Spread(C, SD_C), R)
    for seed in range(WORLDS):
        rng = np.random.default_rng([n, seed])
        model = linear_model(rng, n, NOISE)
        assert model.reason is None
        point = dataclasses.replace(base.point, accuracy=share(int(rng.binomial(n, ACCURACY)), n))
        one = dataclasses.replace(base, model=model, point=point)
        prompts, outputs = rng.normal(P, SD_P, R), rng.normal(C, SD_C, R)
        joules = FIXED + ALPHA * prompts + BETA * outputs + rng.normal(0, NOISE, R)
        found = price(one, asked).figures
        pasted = sampled(list(zip(prompts[:40].clip(1), outputs[:40].clip(1), strict=True)))
        for name, value, truth in (
            ("mean", found["workload_joules"], TRUE_J),
            ("per_correct", found["workload_joules_per_correct"], TRUE_J / ACCURACY),
            ("single", found["workload_joules_single"], joules[0]),
            ("day", found["workload_requests_kwh_per_day"], joules.sum() / 3.6e6),
            ("sampled", price(one, pasted).figures["workload_joules"], TRUE_J),
        ):
            held[name] += value.lo <= truth <= value.hi
    for name, count in held.items():
        assert 0.93 * WORLDS <= count <= 0.97 * WORLDS, (name, count / WORLDS)


def test_the_draws_have_the_interval_that_is_told():
    one = candidate(right=60)
    for asked in (
        declared(Spread(P), Spread(C)),
        sampled([(P, C), (P + 400, C - 90), (P - 200, C + 70)] * 5),
    ):
        row = price(one, asked)
        for name in ("workload_joules", "workload_joules_per_correct"):
            draws = cost_draws([row], name, 40_000)[0]
            lo, hi = np.quantile(draws, (0.025, 0.975))
            told = row.figures[name]
            width = told.hi - told.lo
            assert abs(lo - told.lo) < 0.06 * width, (name, lo, told)
            assert abs(hi - told.hi) < 0.06 * width, (name, hi, told)


def test_being_the_best_is_as_probable_as_is_said():
    """Of two configurations: what is said to be so probable comes true that often."""
    said, true = [], []
    asked = declared(Spread(P), Spread(C))
    for seed in range(600):
        rng = np.random.default_rng([9, seed])
        factors = rng.normal(1.0, 0.02, 2)  # which of them is cheaper is drawn, and then looked for
        rows = []
        for k, factor in enumerate(factors):
            model = linear_model(rng, 40, NOISE, float(factor))
            one = dataclasses.replace(candidate(f"c{k}"), model=model)
            rows.append(price(one, asked))
        draws = cost_draws(rows, "workload_joules", 1000)
        chance = float((draws[0] < draws[1]).mean())
        first = factors[0] < factors[1]
        if chance < 0.5:
            chance, first = 1 - chance, not first
        said.append(chance)
        true.append(first)
    said, true = np.array(said), np.array(true)
    for lo, hi in ((0.5, 0.75), (0.75, 0.95), (0.95, 1.01)):
        some = (said >= lo) & (said < hi)
        assert some.sum() > 30
        assert abs(said[some].mean() - true[some].mean()) < 0.1, (lo, said[some].mean(), true[some].mean())


def test_a_sample_of_few_requests_says_little():
    """Two to five requests, of which only the means are wanted: still 93 % or more."""
    one = dataclasses.replace(candidate(), model=linear_model(np.random.default_rng(0), 400, 0.5))
    for n in (2, 3, 5):
        held = 0
        for seed in range(WORLDS):
            rng = np.random.default_rng([n, seed, 5])
            prompts, outputs = rng.normal(P, 60, n), rng.normal(C, 20, n)
            found = price(one, sampled(list(zip(prompts, outputs, strict=True)))).figures["workload_joules"]
            held += found.lo <= TRUE_J <= found.hi
        assert 0.93 * WORLDS <= held <= 0.99 * WORLDS, (n, held / WORLDS)
