from __future__ import annotations

import numpy as np
import pytest

from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B
from joulemark.simulate.request import SimRequest
from joulemark.simulate.server import SimulatedServer
from joulemark.simulate.virtual import run_closed, run_open

CONFIG = ServerConfig(H100, LLAMA_8B, max_batch=8, tensor_parallel=2)


def test_energy_is_a_line_within_a_step_and_a_flatter_one_between_two() -> None:
    server = SimulatedServer(CONFIG, 10**15)
    server.submit(SimRequest("a", 500, 1), 10**15 + 10**9)
    server.submit(SimRequest("b", 500, 1), 10**15 + 2 * 10**9)
    first, second = server.step(), server.step()
    assert first is not None
    assert second is not None
    books = server.books()
    middle = (first.t0_ns + first.t1_ns) // 2
    t_ns = np.array([10**15, first.t0_ns, middle, first.t1_ns, second.t0_ns, second.t1_ns])
    power_w = np.diff(books.energy_j(1, t_ns)) / (np.diff(t_ns) * 1e-9)
    assert power_w == pytest.approx([90, first.power_w[1], first.power_w[1], 90, second.power_w[1]], rel=1e-6)
    assert books.between_j(first.t1_ns, second.t0_ns) == pytest.approx(
        2 * 90 * (second.t0_ns - first.t1_ns) * 1e-9
    )


def test_outside_the_books_a_device_is_idle() -> None:
    books = run_closed(CONFIG, draw_requests(20, 100, 20, 1), 8, t0_ns=10**12).books
    start, end = books.t0_ns, books.t_end_ns
    assert books.energy_j(0, start) == 0
    assert books.energy_j(0, start - 10**9) == pytest.approx(-90)
    assert books.energy_j(0, end + 10**9) - books.energy_j(0, end) == pytest.approx(90)
    assert books.energy_j(0, [[start, end], [end, end]]).shape == (2, 2)


def test_causes_are_told_of_windows_and_devices() -> None:
    run = run_open(CONFIG, [SimRequest("a", 2000, 1), SimRequest("b", 1, 300)], [0, 5 * 10**9])
    prompt = run.finished[0].t_end_ns
    first = run.books.by_cause(0, prompt)
    assert first.decode_j == 0
    assert first.prefill_j > 0
    gap = run.books.by_cause(prompt, 5 * 10**9)
    assert (gap.prefill_j, gap.decode_j) == (pytest.approx(0, abs=1e-9), pytest.approx(0, abs=1e-9))
    assert gap.nobodys_j == gap.idle_j == gap.total_j
    late = run.books.by_cause(5 * 10**9, run.t_end_ns)
    assert late.decode_j > 100 * late.prefill_j
    assert late.nobodys_j == pytest.approx(0, abs=1e-9)
    assert run.books.by_cause(device=0).total_j == pytest.approx(run.books.total_j / 2)
    assert run.books.total_j == pytest.approx(run.books.idle_j + run.books.prefill_j + run.books.decode_j)
    assert run.books.nobodys_j == pytest.approx(gap.nobodys_j)


def test_a_device_that_there_is_not() -> None:
    books = run_closed(CONFIG, draw_requests(2, 10, 2, 1), 1).books
    assert books.devices == 2
    for device in (-1, 2):
        with pytest.raises(ValueError, match="no device"):
            books.energy_j(device, 0)
