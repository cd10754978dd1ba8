"""Deciding item by item: the same whatever comes at once, and whichever model is called A."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.paired.decision import Decider, PairedTest

signs = st.lists(st.sampled_from([-1.0, 0.0, 1.0, 1.0]), min_size=1, max_size=120)


@given(signs, st.booleans(), st.data())
def test_one_by_one_or_all_at_once(xs: list[float], real: bool, data: st.DataObject) -> None:
    question = PairedTest(epsilon=0.2, real=real)
    n = len(xs) + data.draw(st.integers(0, 50))
    whole, single = Decider(n, question), Decider(n, question)
    whole.feed(np.array(xs))
    for x in xs:
        single.feed(np.array([x]))
    one, other = whole.now(), single.now()
    assert (one.kind, one.winner, one.n) == (other.kind, other.winner, other.n)
    assert one.log_e == pytest.approx(other.log_e, abs=1e-9)
    assert one.difference == pytest.approx(other.difference)


@given(signs, st.booleans())
def test_swapping_the_models_swaps_the_answer(xs: list[float], real: bool) -> None:
    one, other = (Decider(len(xs) + 9, PairedTest(real=real)) for _ in range(2))
    one.feed(np.array(xs))
    other.feed(-np.array(xs))
    ours, theirs = one.now(), other.now()
    assert ours.kind == theirs.kind
    assert ours.n == theirs.n
    assert {ours.winner, theirs.winner} in ({None}, {"A", "B"})
    lo, hi = one.interval()
    assert other.interval() == (pytest.approx(-hi), pytest.approx(-lo))


def test_what_is_fed_after_the_decision_changes_nothing() -> None:
    decider = Decider(100)
    found = decider.feed(np.ones(20))
    assert found is not None
    assert (found.kind, found.winner) == ("winner", "B")
    assert found.n == 7  # 2^7 B(7.5, .5) / B(.5, .5) = 26.8, the first above 20
    assert decider.feed(-np.ones(60)) == found
    assert decider.all_fed().n == 80
    assert decider.all_fed().difference == pytest.approx(-0.5)


def test_items_on_which_both_agree_say_nothing_of_the_sign() -> None:
    a, b = Decider(1000), Decider(1000)
    a.feed(np.array([1.0, 1.0, -1.0]))
    b.feed(np.array([0.0, 1.0, 0.0, 1.0, 0.0, -1.0]))
    assert a.now().log_e == b.now().log_e


def test_real_values_with_a_range() -> None:
    rng = np.random.default_rng(2)
    x = 100 * np.clip(rng.normal(0.06, 0.1, 2000), -1, 1)
    found = Decider(2000, PairedTest(epsilon=1.0, span=100.0, real=True)).feed(x)
    assert found is not None
    assert (found.kind, found.winner) == ("winner", "B")
    assert found.n < 400


def test_identical_models_are_a_tie() -> None:
    found = Decider(1000).feed(np.zeros(1000))
    assert found is not None
    assert found.kind == "tie"
    assert found.n < 1000


def test_what_cannot_be() -> None:
    with pytest.raises(ValueError, match="beyond the range"):
        Decider(10).feed(np.array([1.5]))
    with pytest.raises(ValueError, match="more than 2 items"):
        Decider(2).feed(np.zeros(3))
    with pytest.raises(ValueError, match="above 0"):
        PairedTest(epsilon=0.0)
    assert Decider(2).feed(np.zeros(0)) is None
    assert Decider(2).now().difference is None
    assert Decider(2).interval() == (-1.0, 1.0)
