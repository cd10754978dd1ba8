"""2,000 ties: the e-process names a winner in at most 5 of 100, and peeking at p-values in far more."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from joulemark.frugal.paired.decision import Decider, PairedTest

N, TIES = 2000, 2000
Differences = NDArray[np.float64]


def independent_ties() -> list[Differences]:
    """Questions without end: each model is alone right with a chance of 15 %."""
    rng = np.random.default_rng(7)
    return list(rng.choice([-1.0, 0.0, 1.0], p=[0.15, 0.7, 0.15], size=(TIES, N)))


def finite_ties() -> list[Differences]:
    """A benchmark on which both models have exactly as many right, in random orders."""
    rng = np.random.default_rng(8)
    each = np.repeat([-1.0, 0.0, 1.0], [300, N - 600, 300])
    return [rng.permutation(each) for _ in range(TIES)]


def e_process(x: Differences) -> bool:
    """Whether a winner is named at any moment; nothing that is called a tie ends the asking before."""
    found = Decider(N, PairedTest(epsilon=1e-9)).feed(x)
    return found is not None and found.kind == "winner"


def naive_peeking(x: Differences) -> bool:
    """Whether an exact-enough test at 5 % finds a difference at any of the looks, one every 50 items."""
    wins_a, wins_b = np.cumsum(x < 0)[49::50], np.cumsum(x > 0)[49::50]
    z = (wins_b - wins_a) / np.sqrt(np.maximum(1, wins_a + wins_b))
    return bool((np.abs(z) > 1.96).any())


def share(named: Callable[[Differences], bool], ties: list[Differences]) -> float:
    return sum(map(named, ties)) / len(ties)


@pytest.mark.parametrize("ties", [independent_ties, finite_ties])
def test_a_false_winner_is_rare(ties: Callable[[], list[Differences]]) -> None:
    assert share(e_process, ties()) <= 0.05


@pytest.mark.parametrize("ties", [independent_ties, finite_ties])
def test_naive_peeking_fails_the_same_check(ties: Callable[[], list[Differences]]) -> None:
    assert share(naive_peeking, ties()) > 0.15


def test_real_values_that_are_a_tie() -> None:
    rng = np.random.default_rng(9)
    question = PairedTest(epsilon=0.001, real=True)
    named = 0
    for _ in range(400):
        x = rng.beta(2, 2, 400) - rng.beta(2, 2, 400)
        x -= x.mean()  # a finite tie
        found = Decider(len(x), question).feed(np.clip(x[rng.permutation(len(x))], -1, 1))
        named += found is not None and found.kind == "winner"
    assert named / 400 <= 0.05
