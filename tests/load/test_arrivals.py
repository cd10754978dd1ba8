"""Arrival processes have the rate, the spread and the ramp that they say, and are the same again."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.load.arrivals import Arrivals
from joulemark.record.errors import InputError

N = 20_000


def gaps_s(arrivals: Arrivals, n: int = N) -> np.ndarray:
    return np.diff(arrivals.offsets_ns(n)) / 1e9


@pytest.mark.parametrize("rate", [0.5, 40.0])
@pytest.mark.parametrize(
    ("kind", "burstiness"), [("constant", 1.0), ("poisson", 1.0), ("gamma", 0.25), ("gamma", 4.0)]
)
def test_the_mean_gap_is_that_of_the_rate(kind: str, burstiness: float, rate: float) -> None:
    found = gaps_s(Arrivals(kind, rate, burstiness, seed=5))  # type: ignore[arg-type]
    spread = 0.0 if kind == "constant" else 1 / math.sqrt(burstiness)
    # five standard errors of the mean; one nanosecond of rounding
    assert abs(found.mean() * rate - 1) < 5 * spread / math.sqrt(N) + 1e-6
    assert abs(found.std() * rate - spread) < 0.06 * max(spread, 1e-3) + 1e-6


def test_gamma_of_shape_one_is_poisson() -> None:
    """Both have exponential gaps: their quantiles agree, and those of burstiness 0.2 do not."""
    quantiles = [0.1, 0.5, 0.9, 0.99]
    poisson, gamma, bursty = (
        np.quantile(gaps_s(one), quantiles)
        for one in (
            Arrivals("poisson", 1.0),
            Arrivals("gamma", 1.0, 1.0, seed=9),
            Arrivals("gamma", 1.0, 0.2),
        )
    )
    exact = -np.log1p(-np.array(quantiles))
    assert np.allclose(poisson, exact, rtol=0.06)
    assert np.allclose(gamma, exact, rtol=0.06)
    assert bursty[0] < exact[0] / 10
    assert bursty[3] > exact[3] * 2


def test_constant_gaps_are_equal_to_the_nanosecond() -> None:
    assert Arrivals("constant", 4.0).offsets_ns(4).tolist() == [0, 250_000_000, 500_000_000, 750_000_000]


def test_all_at_once() -> None:
    assert Arrivals("at_once").offsets_ns(5).tolist() == [0] * 5


def test_a_seed_fixes_the_times_and_another_one_changes_them() -> None:
    first, same, other = (Arrivals("poisson", 3.0, seed=s).offsets_ns(50).tolist() for s in (1, 1, 2))
    assert first == same != other


@settings(deadline=None)
@given(
    kind=st.sampled_from(["constant", "poisson", "gamma"]),
    rate=st.floats(0.01, 1000),
    burstiness=st.floats(0.05, 20),
    seed=st.integers(0, 2**62),
    ramp_s=st.sampled_from([0.0, 0.5, 30.0]),
    n=st.integers(0, 200),
    k=st.integers(0, 200),
)
def test_times_begin_at_zero_never_fall_and_do_not_depend_on_how_many_follow(
    kind: str, rate: float, burstiness: float, seed: int, ramp_s: float, n: int, k: int
) -> None:
    arrivals = Arrivals(kind, rate, burstiness, seed, ramp_s)  # type: ignore[arg-type]
    offsets = arrivals.offsets_ns(n)
    assert offsets.dtype == np.int64
    assert len(offsets) == n
    assert n == 0 or offsets[0] == 0
    assert (np.diff(offsets) >= 0).all()
    shorter = min(n, k)
    assert arrivals.offsets_ns(shorter).tolist() == offsets[:shorter].tolist()


def test_a_ramp_rises_linearly_and_then_stays() -> None:
    rate, ramp_s = 200.0, 40.0
    times_s = Arrivals("poisson", rate, seed=3, ramp_s=ramp_s).offsets_ns(14_000) / 1e9
    counted, _ = np.histogram(times_s, bins=np.arange(0.0, 80.1, 10.0))
    # ∫ R·t/T over each ten seconds, then R · 10
    expected = [rate * (b * b - a * a) / (2 * ramp_s) for a, b in ((0, 10), (10, 20), (20, 30), (30, 40))]
    expected += [rate * 10] * 4
    assert np.allclose(counted, expected, atol=5 * math.sqrt(rate * 10))
    assert counted[0] < expected[3] / 4


def test_a_conversation_stands_for_its_turns() -> None:
    one = Arrivals("constant", 10.0).offsets_ns(3)
    two = Arrivals("constant", 10.0).offsets_ns(3, requests_each=2.0)
    assert two.tolist() == (2 * one).tolist()


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "poisson"},
        {"kind": "poisson", "rate": 0.0},
        {"kind": "poisson", "rate": math.inf},
        {"kind": "gamma", "rate": 1.0, "burstiness": 0.0},
        {"kind": "poisson", "rate": 1.0, "ramp_s": -1.0},
        {"kind": "at_once", "rate": 3.0},
        {"kind": "at_once", "ramp_s": 3.0},
    ],
)
def test_what_cannot_be_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(InputError):
        Arrivals(**wrong)  # type: ignore[arg-type]


def test_times_that_no_clock_holds_are_refused() -> None:
    with pytest.raises(InputError, match="take"):
        Arrivals("constant", 1e-9).offsets_ns(1000)
