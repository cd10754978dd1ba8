from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.long_run import long_run
from joulemark.simulate.model import LLAMA_8B

CONFIG = ServerConfig(H100, LLAMA_8B, max_batch=16)


def test_alike_requests_cost_the_same_in_the_long_run_as_in_any_round() -> None:
    # 16 requests of one length begin and end together, round after round: the energy of a round is exact
    requests = draw_requests(16 * 44, 100, 50, 0, kind="fixed")
    found = long_run(CONFIG, requests, 16)
    once = long_run(replace(CONFIG, max_batch=16), requests[: 16 * 24], 16)
    assert found.request_j == pytest.approx(once.request_j, rel=1e-3)
    assert found.token_j == pytest.approx(found.request_j / 50, rel=1e-2)
    assert found.mean_batch == pytest.approx(16)
    assert found.power_w / found.requests_per_s == pytest.approx(found.request_j, rel=1e-9)


def test_it_agrees_with_a_run_ten_times_as_long_within_its_error() -> None:
    truth = long_run(CONFIG, draw_requests(12_000, 200, 40, 1), 16)
    found = [long_run(CONFIG, draw_requests(800, 200, 40, seed), 16) for seed in range(2, 22)]
    for name in ("request", "token"):
        true_j = getattr(truth, f"{name}_j")
        errors = np.array([getattr(one, f"{name}_j") for one in found]) - true_j
        stated = np.array([getattr(one, f"{name}_error_j") for one in found])
        assert abs(errors.mean()) < 3.5 * stated.mean() / np.sqrt(len(found)) + 0.002 * true_j
        assert (np.abs(errors) < 2 * stated).mean() >= 0.75
        assert stated.mean() < 0.1 * true_j


def test_too_short_a_run_is_refused() -> None:
    with pytest.raises(ValueError, match="too few for 16 at once"):
        long_run(CONFIG, draw_requests(40, 100, 20, 1), 16)
