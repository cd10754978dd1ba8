from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.load.lengths import Lengths
from joulemark.simulate.lengths import draw_requests


def test_means_and_shapes_are_those_asked_for() -> None:
    drawn = draw_requests(40_000, 500, 200, 3)
    prompts = np.array([request.prompt_tokens for request in drawn])
    outputs = np.array([request.output_tokens for request in drawn])
    assert prompts.mean() == pytest.approx(500, rel=0.03)
    assert outputs.mean() == pytest.approx(200, rel=0.03)
    assert prompts.min() == 300  # a Pareto of alpha 2.5 begins at 0.6 of its mean
    assert np.mean(prompts > 600) == pytest.approx(2**-2.5, abs=0.01)
    assert outputs.std() == pytest.approx(200, rel=0.05)
    assert len({request.request_id for request in drawn}) == 40_000


def test_fixed_lengths_are_all_alike() -> None:
    assert {(r.prompt_tokens, r.output_tokens) for r in draw_requests(9, 100, 7, 1, kind="fixed")} == {
        (100, 7)
    }


@given(st.integers(1, 5000), st.integers(1, 5000), st.integers(2, 3000), st.integers(0, 10))
def test_none_is_longer_than_what_fits(prompt: int, output: int, room: int, seed: int) -> None:
    for request in draw_requests(20, prompt, output, seed, room=room):
        assert request.prompt_tokens + request.output_tokens <= room


@pytest.mark.parametrize("mean", [1, 2, 5, 90])
def test_a_real_and_a_simulated_load_have_the_same_lengths(mean: int) -> None:
    drawn = draw_requests(50_000, mean, mean, 3, longest=700)
    wishes = Lengths(mean, mean, "drawn", longest=700).draw(50_000, 3)
    assert [(r.prompt_tokens, r.output_tokens) for r in drawn] == [
        (wish.prompt_tokens, wish.output_tokens) for wish in wishes
    ]
    assert np.mean([r.output_tokens for r in drawn]) == pytest.approx(mean, rel=0.025)


def test_less_than_a_token_is_refused() -> None:
    with pytest.raises(ValueError, match="one token in and one out"):
        draw_requests(1, 0, 10, 1)
