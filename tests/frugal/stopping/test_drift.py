"""An engine that slows down little by little: a rule on its latency waits, and on a steady one it ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from doubles.run_views import item
from frugal.stopping.driven import end_of
from joulemark.frugal.stopping.rule import TargetRule
from joulemark.frugal.target import parse_target
from joulemark.record.manifest import Rates
from joulemark.runs.finished import Repeats

N = 1000
SETTLES = 1 + 0.08 * (1 - np.exp(-np.arange(N) / 200))
STEADY = np.ones(N)


def drawn(
    chance: np.random.Generator, course: NDArray[np.float64], noise: float, lengths: float
) -> tuple[Sequence[Repeats], float]:
    """Return answers whose lengths and noise have these coefficients of variation, and their mean latency."""
    sd = np.sqrt(np.log1p(np.array([lengths, noise]) ** 2))
    tokens = np.rint(200 * chance.lognormal(-(sd[0] ** 2) / 2, sd[0], N)) + 1
    seconds = (0.05 + 0.01 * tokens) * chance.lognormal(-(sd[1] ** 2) / 2, sd[1], N) * course
    made = [(item(k, end_s=float(seconds[k]), tokens=int(tokens[k])),) for k in range(N)]
    return made, float(np.mean([one[0].t_end - one[0].t_sent for one in made])) * 1e-9


def ends(target: str, answers: Sequence[Repeats]) -> tuple[int, float, TargetRule]:
    """Return after how many the rule ended the asking, and the mean latency until then."""
    made = TargetRule([parse_target(target)], N, Rates())
    decision = end_of(made, answers, N)
    at = N if decision is None else decision.at
    return at, float(np.mean([one[0].t_end - one[0].t_sent for one in answers[:at]])) * 1e-9, made


def test_it_waits_while_an_engine_slows_down_and_says_by_how_much() -> None:
    """Within 3 % after 300 answers, and 2 % too low; its halves are alike, as lengths differ by a third."""
    answers, _ = drawn(np.random.default_rng(3), SETTLES, 0.02, 0.3)
    made = TargetRule([parse_target("latency ±3%")], N, Rates())
    assert end_of(made, answers[:400], N) is None
    told = made.told()[0]
    assert "not believed while it drifts (about +" in told
    assert made.standings[0].halves is None
    steady, _ = drawn(np.random.default_rng(3), STEADY, 0.02, 0.3)
    assert ends("latency ±3%", steady)[0] < 400


def test_a_drift_that_does_not_matter_for_the_target_ends_as_ever() -> None:
    """Half a per cent over the whole task, of which each answer's time is known to a thousandth."""
    answers, truth = drawn(np.random.default_rng(4), np.linspace(1.0, 1.005, N), 0.001, 0.3)
    at, mean, _ = ends("latency ±5%", answers)
    assert at < 300
    assert mean == pytest.approx(truth, rel=0.05)


@pytest.mark.slow
def test_what_that_is_worth_in_whole_runs() -> None:
    """docs/frugal-stop.md has these: ±2 %, eight per cent more with a time constant of 200 answers."""
    chance, found = np.random.default_rng(5), {}
    for name, course, noise, lengths in (
        ("steady", STEADY, 0.02, 0.1),
        ("slows", SETTLES, 0.02, 0.1),
        ("noisy", SETTLES, 0.1, 0.0),
    ):
        within, asked = [], []
        for _ in range(40):
            answers, truth = drawn(chance, course, noise, lengths)
            at, mean, _ = ends("latency ±2%", answers)
            within.append(abs(mean / truth - 1) <= 0.02)
            asked.append(at)
        found[name] = float(np.mean(within)), float(np.median(asked))
    print(found)
    assert found["steady"][0] >= 0.9
    assert found["steady"][1] <= 110
    assert found["slows"][0] >= 0.85
    # what answer and prompt do not fix hides it: no test of so few can find it
    assert found["noisy"][0] <= 0.1
