"""The e-process on signs: against the formula, and its promise on every small benchmark, exactly."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.frugal.paired.sign_test import log_e_values

ALPHA = 0.05
counts = st.integers(0, 2000)


def by_formula(a: int, b: int) -> float:
    """2^n B(b + 1/2, a + 1/2) / B(1/2, 1/2), with the library's gamma function."""
    n = a + b
    beta = math.lgamma(a + 0.5) + math.lgamma(b + 0.5) - math.lgamma(n + 1)
    return n * math.log(2) + beta - math.log(math.pi)


@given(counts, counts)
def test_it_is_the_mixture(a: int, b: int) -> None:
    found = log_e_values(np.array([a]), np.array([b]))[0]
    assert found == pytest.approx(by_formula(a, b), abs=1e-8)
    assert log_e_values(np.array([b]), np.array([a]))[0] == found


@given(counts, counts)
def test_it_is_a_fair_bet_where_there_is_no_difference(a: int, b: int) -> None:
    now, won, lost = log_e_values(np.array([a, a, a + 1]), np.array([b, b + 1, b]))
    assert (np.exp(won - now) + np.exp(lost - now)) / 2 == pytest.approx(1.0, rel=1e-7)


def chance_of_naming(n_a: int, n_b: int, alpha: float = ALPHA) -> tuple[float, float]:
    """The exact chances that A, and B, is ever named; ``n_a``, ``n_b`` discordant items in random order."""
    wins = np.arange(n_a + n_b + 1)
    crossed = log_e_values(wins[:, None], wins[None, :]) >= math.log(1 / alpha)

    @cache
    def reached(a: int, b: int) -> float:
        """The chance to be at (a, b) with nobody named before."""
        if a == b == 0:
            return 1.0
        chance = 0.0
        left = n_a + n_b - (a + b - 1)
        if a and not crossed[a - 1, b]:
            chance += reached(a - 1, b) * (n_a - a + 1) / left
        if b and not crossed[a, b - 1]:
            chance += reached(a, b - 1) * (n_b - b + 1) / left
        return chance

    named = [0.0, 0.0]
    for total in range(1, n_a + n_b + 1):
        for a in range(max(0, total - n_b), min(n_a, total) + 1):
            b = total - a
            if crossed[a, b]:
                named[int(b > a)] += reached(a, b)
    return named[0], named[1]


@pytest.mark.parametrize("discordant", [6, 7, 12, 13, 40, 41, 120, 121])
def test_no_finite_benchmark_names_the_wrong_one_too_often(discordant: int) -> None:
    half = discordant // 2
    a, b = chance_of_naming(half, discordant - half)
    assert a + b <= ALPHA
    last = ALPHA / 2
    for n_a in range(half, max(-1, half - 12), -1):
        wrong, _ = chance_of_naming(n_a, discordant - n_a)
        assert wrong <= last + 1e-12
        last = wrong


@pytest.mark.parametrize("discordant", [100, 600])
def test_questions_without_end_name_a_false_winner_as_rarely(discordant: int) -> None:
    """The exact chance that a winner is named within so many discordant items, each a fair coin."""
    at = np.array([1.0])  # the chance of each number of wins, with nobody named before
    named = 0.0
    for n in range(1, discordant + 1):
        at = (np.append(at, 0.0) + np.append(0.0, at)) / 2
        wins = np.arange(n + 1)
        crossed = log_e_values(n - wins, wins) >= math.log(1 / ALPHA)
        named += at[crossed].sum()
        at[crossed] = 0.0
    assert 0.03 < named <= ALPHA


def test_the_exact_check_can_fail() -> None:
    # with alpha = 1/2 a winner is named from a tie far more often than 5 in 100
    assert sum(chance_of_naming(20, 20, alpha=0.5)) > 0.2
