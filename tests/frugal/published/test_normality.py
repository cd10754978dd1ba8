"""The Kolmogorov-Smirnov test against scipy's exact one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ks_2samp

from joulemark.frugal.published.normality import NO_EVIDENCE, ks_p, normality_p


@pytest.mark.parametrize("n", [8, 50, 400])
@pytest.mark.parametrize("shift", [0.0, 0.2, 1.0])
def test_p_is_scipys_exact_one(n: int, shift: float) -> None:
    rng = np.random.default_rng([n, int(10 * shift)])
    a, b = rng.standard_normal(n), rng.standard_normal(n) + shift
    told = ks_2samp(a, b, method="exact").pvalue
    assert ks_p(a, b) == pytest.approx(told, rel=1e-6, abs=1e-12)


def test_ties_are_counted_as_scipy_does() -> None:
    rng = np.random.default_rng(0)
    a, b = np.round(rng.standard_normal(300), 1), rng.standard_normal(300)
    assert ks_p(a, b) == pytest.approx(ks_2samp(a, b, method="exact").pvalue, rel=1e-6)


def test_the_same_sample_has_a_p_of_1() -> None:
    a = np.arange(20.0)
    assert ks_p(a, a) == 1.0


def test_normal_cutoffs_pass_and_a_lattice_does_not() -> None:
    rng = np.random.default_rng(1)
    cutoffs = rng.normal(0.407, 0.015, 1000)
    assert normality_p(cutoffs, rng) > 0.2
    assert normality_p(np.round(cutoffs, 2), rng) < 1e-6
    assert normality_p(np.full(1000, 0.4), rng) == 0.0
    assert normality_p(cutoffs[:5], rng) is None


def test_what_is_normal_is_never_rejected_and_what_is_skewed_passes_too() -> None:
    """Why a p above .05 is no evidence: a test at 5 % would reject two of the first forty."""
    rng = np.random.default_rng(3)
    normal = [normality_p(rng.normal(0.407, 0.015, 1000), rng) for _ in range(40)]
    assert min(normal) > 0.1
    assert np.median(normal) > 0.5  # of a p that is uniform, .5
    skewed = [normality_p(rng.gamma(20, 0.02, 1000), rng) for _ in range(20)]
    assert min(skewed) > 0.05
    assert normality_p(rng.random(1000), rng) < 0.05
    assert "skewed cut-offs pass" in NO_EVIDENCE
