from __future__ import annotations

import numpy as np
import pytest

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.virtual import SimulatedRun, poisson_arrivals_ns, run_closed, run_open

CONFIG = ServerConfig(H100, LLAMA_8B, max_batch=8)
REQUESTS = draw_requests(60, 200, 40, 7)


def _in_flight(run: SimulatedRun, t_ns: int) -> int:
    return sum(done.t_arrival_ns <= t_ns < done.t_end_ns for done in run.finished)


def test_a_closed_loop_refills_at_the_instant_of_an_end() -> None:
    run = run_closed(CONFIG, REQUESTS, 8)
    ends = sorted(done.t_end_ns for done in run.finished)
    arrivals = sorted(done.t_arrival_ns for done in run.finished)
    assert arrivals[:8] == [0] * 8
    assert arrivals[8:] == ends[:52]
    assert {_in_flight(run, t_ns) for t_ns in ends[:52]} == {8}
    assert (run.steps.batch[: np.searchsorted(run.steps.t0_ns, arrivals[-1])] == 8).all()


def test_a_client_may_take_its_time() -> None:
    run = run_closed(CONFIG, REQUESTS, 2, client_delay_ns=7_000_000)
    ends = sorted(done.t_end_ns for done in run.finished)
    assert sorted(done.t_arrival_ns for done in run.finished)[2:] == [t + 7_000_000 for t in ends[:-2]]
    varied = run_closed(CONFIG, REQUESTS, 2, client_delay_ns=lambda sent: 1_000_000 * sent)
    late = {int(done.request.request_id): done.t_arrival_ns for done in varied.finished}
    assert late[2] - min(done.t_end_ns for done in varied.finished) == 2_000_000


def test_more_at_once_than_places_wait_in_line() -> None:
    run = run_closed(CONFIG, REQUESTS, 20)
    assert run.steps.batch.max() == 8
    assert run.steps.waiting.max() == 12
    firsts = [done.t_first_ns for done in sorted(run.finished, key=lambda done: int(done.request.request_id))]
    assert firsts == sorted(firsts)


def test_an_open_loop_waits_for_nobody() -> None:
    arrivals = poisson_arrivals_ns(60, 30.0, 11)
    run = run_open(CONFIG, REQUESTS, arrivals)
    assert [done.t_arrival_ns for done in sorted(run.finished, key=lambda d: int(d.request.request_id))] == (
        arrivals.tolist()
    )
    assert np.diff(arrivals).mean() == pytest.approx(1e9 / 30, rel=0.4)
    with pytest.raises(ValueError, match="before the server starts"):
        run_open(CONFIG, REQUESTS[:1], [5], t0_ns=6)
    with pytest.raises(ValueError, match="shorter"):
        run_open(CONFIG, REQUESTS[:2], [5])


def test_the_same_seed_gives_the_same_run_and_a_shifted_clock_shifts_it() -> None:
    def energies(seed: int, t0_ns: int = 0) -> tuple[list[float], int]:
        run = run_closed(CONFIG, draw_requests(40, 200, 40, seed), 8, t0_ns=t0_ns)
        return [done.energy_j for done in run.finished], run.t_end_ns - t0_ns

    assert energies(1) == energies(1)
    assert energies(1) != energies(2)
    assert energies(1, 10**15) == energies(1)


def test_nobody_in_flight_is_no_load() -> None:
    with pytest.raises(ValueError, match="at least one request"):
        run_closed(CONFIG, REQUESTS, 0)
