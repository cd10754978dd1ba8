from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.readings import counter_ticks, power_samples
from joulemark.simulate.virtual import poisson_arrivals_ns, run_open

RUN = run_open(
    ServerConfig(H100, LLAMA_8B, max_batch=8),
    draw_requests(60, 200, 60, 3),
    poisson_arrivals_ns(60, 8.0, 4, t0_ns=10**14),
    t0_ns=10**14,
)
BOOKS = RUN.books


@settings(deadline=None)
@given(st.floats(0.01, 0.5), st.sampled_from([0.001, 0.01, 3.6, 40.0]), st.floats(0, 0.999))
def test_a_counter_shows_whole_steps_of_the_truth_at_its_ticks(
    period_s: float, resolution_j: float, phase: float
) -> None:
    t_ns, shown_j = counter_ticks(BOOKS, 0, period_s, resolution_j, phase)
    assert t_ns[0] == pytest.approx(BOOKS.t0_ns + phase * period_s * 1e9, abs=1)
    assert np.diff(t_ns) == pytest.approx(period_s * 1e9, abs=1)
    assert t_ns[-1] <= BOOKS.t_end_ns < t_ns[-1] + period_s * 1e9 + 2
    missing_j = BOOKS.energy_j(0, t_ns) - shown_j
    assert (missing_j >= -1e-9).all()
    assert (missing_j < resolution_j + 1e-9).all()
    assert (np.diff(shown_j) >= 0).all()


def test_a_gauge_shows_the_mean_of_its_window_before() -> None:
    t_ns, shown_w = power_samples(BOOKS, 0, 0.1, 1.0, 0.3)
    past_ns = t_ns - 10**9
    mean_w = BOOKS.energy_j(0, t_ns) - BOOKS.energy_j(0, past_ns)
    assert shown_w == pytest.approx(mean_w, abs=0.0006)
    assert shown_w[0] == pytest.approx(90, abs=20)  # before the server started its device was idle


def test_a_gauge_without_a_window_shows_the_step_under_way() -> None:
    t_ns, shown_w = power_samples(BOOKS, 0, 0.0137, 0.0, resolution_w=1.0)
    assert set(np.unique(shown_w % 1)) == {0.0}
    step = np.searchsorted(RUN.steps.t0_ns, t_ns - 1_000, side="right") - 1
    inside = (t_ns < RUN.steps.t1_ns[step]) & (step >= 0)
    edges = np.stack([RUN.steps.t0_ns, RUN.steps.t1_ns])
    spent_j = np.diff(BOOKS.energy_j(0, edges), axis=0)[0]
    power_w = spent_j / ((edges[1] - edges[0]) * 1e-9)
    assert inside.sum() > 100
    assert shown_w[inside] == pytest.approx(power_w[step[inside]], abs=0.51)


def test_other_windows_and_impossible_meters() -> None:
    t_ns, _ = counter_ticks(BOOKS, 0, 0.1, t0_ns=10**14 + 5, t1_ns=10**14 + 5 + 10**9)
    assert (len(t_ns), t_ns[0]) == (11, 10**14 + 5)
    assert len(counter_ticks(BOOKS, 0, 0.1, t0_ns=10**14, t1_ns=10**14 - 1)[0]) == 0
    with pytest.raises(ValueError, match="once a microsecond"):
        counter_ticks(BOOKS, 0, 0.0)
    with pytest.raises(ValueError, match="counts in steps"):
        counter_ticks(BOOKS, 0, 0.1, 0.0)
    with pytest.raises(ValueError, match="looks back"):
        power_samples(BOOKS, 0, 0.1, -1.0)
