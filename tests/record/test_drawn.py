from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.record.drawn import drawn_lengths, poisson_gaps


@pytest.mark.parametrize("mean", [1, 2, 3, 10, 500])
def test_lengths_have_the_means_that_are_given(mean: int) -> None:
    prompts, outputs = drawn_lengths(400_000, mean, mean, 7, kind="drawn")
    assert prompts.min() >= 1
    assert outputs.min() >= 1
    # the deviations are 0.894 and 1 of the mean, so five errors of 400,000 are 0.8 % of it
    assert prompts.mean() == pytest.approx(mean, rel=0.008)
    assert outputs.mean() == pytest.approx(mean, rel=0.008)


@settings(deadline=None)
@given(st.integers(1, 9000), st.integers(1, 9000), st.integers(1, 9000), st.integers(0, 9), st.booleans())
def test_the_longest_cuts_prompts_and_no_answers(
    prompt: int, output: int, longest: int, seed: int, fixed: bool
) -> None:
    kind = "fixed" if fixed else "drawn"
    whole = drawn_lengths(30, prompt, output, seed, kind=kind)
    cut = drawn_lengths(20, prompt, output, seed, kind=kind, longest=longest)
    assert np.array_equal(cut[0], np.minimum(whole[0], longest)[:20])
    assert np.array_equal(cut[1], whole[1][:20])


def test_less_than_a_token_is_refused() -> None:
    for means in ((0, 10), (10, 0)):
        with pytest.raises(ValueError, match="one token in and one out"):
            drawn_lengths(1, *means, 1)


def test_gaps_of_a_poisson_process_are_exponential() -> None:
    gaps = poisson_gaps(200_000, 3)
    assert gaps.min() >= 0
    assert gaps.mean() == pytest.approx(1, abs=0.012)
    assert gaps.std() == pytest.approx(1, abs=0.02)
    assert np.mean(gaps > 2) == pytest.approx(np.exp(-2), abs=0.005)
