"""Rankings: every claim at once, under ties, and the same for every order of the models."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.frugal.paired.decision import Decider, PairedTest
from joulemark.frugal.paired.ranking import CONTROLS, rank
from joulemark.frugal.paired.ranks import Settled


def answers(shares: list[float], n_items: int, seed: int) -> np.ndarray:
    """Right and wrong of models that share the difficulty of the items."""
    rng = np.random.default_rng(seed)
    hard = rng.random(n_items)
    own = rng.random((len(shares), n_items))
    return (0.5 * hard + 0.5 * own < np.array(shares)[:, None]).astype(np.float64)


@pytest.mark.parametrize("control", CONTROLS)
def test_models_far_apart_are_ordered_with_few_items(control: str) -> None:
    ranking = rank(answers([0.2, 0.8, 0.5], 3000, 1), control=control)  # type: ignore[arg-type]
    assert ranking.groups() == [[1], [2], [0]]
    assert ranking.ranges() == [(3, 3), (1, 1), (2, 2)]
    assert ranking.spent()[0] < 0.1 * ranking.spent()[1]
    assert ranking.contradicted() == 0


def test_six_equal_models_are_one_group() -> None:
    """Over 100 benchmarks the family's promise holds; testing each pair by itself breaks it."""
    wrong = dict.fromkeys(CONTROLS, 0)
    question = PairedTest(epsilon=1e-6)
    for seed in range(100):
        rng = np.random.default_rng(seed)
        # each model has exactly as many right: every order that is named is false
        row = np.repeat([0.0, 1.0], 60)
        values = np.array([rng.permutation(row) for _ in range(6)])
        for control in CONTROLS:
            found = rank(values, question, control)
            wrong[control] += bool((found.kind == Settled.ORDER).any())
    assert wrong["family"] <= 5
    assert wrong["fdr"] <= 5  # all claims are false here, so the rate is that of any claim
    assert wrong["none"] > 10


def test_equal_models_tie() -> None:
    row = answers([0.5], 1000, 3)[0]
    ranking = rank(np.array([row, row, 1 - row]), PairedTest(epsilon=0.05))
    assert ranking.kind[0] == Settled.TIE
    assert ranking.groups()[0] in ([0, 1, 2], [0, 1], [1, 0])


@settings(max_examples=20)
@given(st.permutations(range(4)), st.sampled_from(CONTROLS))
def test_the_order_of_the_models_does_not_matter(places: list[int], control: str) -> None:
    values = answers([0.3, 0.45, 0.5, 0.7], 400, 2)
    one, other = (rank(v, control=control) for v in (values, values[places]))  # type: ignore[arg-type]
    assert [one.ranges()[place] for place in places] == other.ranges()
    assert one.n_of()[places].tolist() == other.n_of().tolist()
    assert one.spent() == other.spent()


def test_of_both_claims_at_one_look_it_makes_that_of_the_comparison() -> None:
    question, values = PairedTest(epsilon=0.005), np.ones((2, 20_000))
    decider = Decider(20_000, question)
    tie = decider.feed(values[1] - values[0])
    assert tie is not None
    values[0, tie.n : tie.n + 10] = 0  # before the next look of the ranking, the order is plain as well
    again = Decider(20_000, question).feed(values[1] - values[0])
    assert again == tie
    assert rank(values, question, "none").kind[0] == Settled.TIE


def test_real_values() -> None:
    rng = np.random.default_rng(5)
    values = 100 * np.clip(np.array([[0.3], [0.5]]) + rng.normal(0, 0.15, (2, 800)), 0, 1)
    ranking = rank(values, PairedTest(epsilon=1.0, span=100.0, real=True))
    assert ranking.groups() == [[1], [0]]
    assert ranking.n[0] < 400
