"""What holds for every set-up and load: energies add up, tokens are all there, memory comes back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles.simulated_loads import SimulatedLoad, loads
from joulemark.simulate.server import SimulatedServer
from joulemark.simulate.virtual import StepColumns


@settings(deadline=None, max_examples=25)
@given(loads())
def test_requests_and_what_is_nobodys_add_up_to_the_books(load: SimulatedLoad) -> None:
    run = load.run()
    books = run.books.by_cause()
    requests = sum(done.energy_j for done in run.finished)
    assert requests + books.nobodys_j == pytest.approx(books.total_j, rel=1e-9)
    assert sum(done.prefill_j for done in run.finished) == pytest.approx(books.prefill_j, rel=1e-9)
    assert sum(done.decode_j for done in run.finished) == pytest.approx(books.decode_j, rel=1e-9, abs=1e-9)
    devices = sum(run.books.between_j(load.t0_ns, run.t_end_ns, n) for n in range(load.config.devices))
    assert devices == pytest.approx(books.total_j, rel=1e-9)


@settings(deadline=None, max_examples=25)
@given(loads())
def test_many_steps_at_once_are_the_steps_one_by_one_to_the_last_bit(load: SimulatedLoad) -> None:
    fast, slow = load.run(), load.run(fast_forward=False)
    for column in StepColumns.__slots__:
        assert np.array_equal(getattr(fast.steps, column), getattr(slow.steps, column)), column
    assert len(fast.finished) == len(slow.finished) == len(load.requests)
    for one, other in zip(fast.finished, slow.finished, strict=True):
        assert one.request == other.request
        assert np.array_equal(one.token_ns, other.token_ns)
        assert (one.idle_j, one.prefill_j, one.decode_j) == (other.idle_j, other.prefill_j, other.decode_j)


@settings(deadline=None, max_examples=25)
@given(loads())
def test_every_token_has_a_stamp_of_its_own_and_every_share_is_positive(load: SimulatedLoad) -> None:
    run = load.run()
    assert {done.request.request_id for done in run.finished} == {r.request_id for r in load.requests}
    ends = np.array([done.t_end_ns for done in run.finished])
    assert (np.diff(ends) >= 0).all()
    assert ends[-1] == run.t_end_ns
    for done in run.finished:
        assert len(done.token_ns) == done.request.output_tokens
        assert (np.diff(done.token_ns) > 0).all()
        assert done.t_arrival_ns < done.t_first_ns == done.token_ns[0]
        assert done.t_end_ns == done.token_ns[-1]
        assert min(done.idle_j, done.prefill_j) > 0
        if not done.preemptions:
            assert (done.decode_j > 0) == (done.request.output_tokens > 1)
        assert done.energy_j == pytest.approx(done.idle_j + done.prefill_j + done.decode_j, rel=1e-12)


@settings(deadline=None, max_examples=25)
@given(loads())
def test_no_step_breaks_a_limit(load: SimulatedLoad) -> None:
    run, config = load.run(), load.config
    steps = run.steps
    assert (steps.batch <= config.max_batch).all()
    assert (steps.prefill_tokens + steps.decode_tokens <= config.max_batched_tokens).all()
    assert (steps.decode_tokens <= steps.batch).all()
    assert ((steps.kv_share > 0) & (steps.kv_share <= 1)).all()
    assert (steps.t1_ns > steps.t0_ns).all()
    for instance in range(config.instances):
        here = steps.instance == instance
        assert (steps.t0_ns[here][1:] >= steps.t1_ns[here][:-1]).all()
    for device in range(config.devices):
        spent_j = run.books.energy_j(device, steps.t1_ns) - run.books.energy_j(device, steps.t0_ns)
        power_w = spent_j / ((steps.t1_ns - steps.t0_ns) * 1e-9)
        assert (power_w <= config.limit_w * (1 + 1e-6)).all()
        assert (power_w >= config.gpu.idle_w * (1 - 1e-6)).all()


@settings(deadline=None, max_examples=20)
@given(loads(), st.data())
def test_at_every_instant_nothing_is_lost_also_when_clients_go_away(
    load: SimulatedLoad, data: st.DataObject
) -> None:
    server = SimulatedServer(load.config, load.t0_ns)
    for request in load.requests:
        server.submit(request, load.t0_ns)
    leaving = {
        data.draw(st.integers(1, 80)): request.request_id
        for request in load.requests[:: data.draw(st.integers(1, 4))]
    }
    finished_j, ended, gone, number = 0.0, set(), set(), 0
    while (step := server.step()) is not None:
        number += 1
        finished_j += sum(done.energy_j for done in step.finished)
        ended |= {done.request.request_id for done in step.finished}
        if number in leaving and server.abort(leaving[number]):
            gone.add(leaving[number])
        if number % 5 and server.next_event_ns is not None:
            continue
        books = server.books().by_cause()
        known_j = finished_j + server.in_flight_j + server.aborted_j + books.nobodys_j
        assert known_j == pytest.approx(books.total_j, rel=1e-9)
    assert ended | gone == {request.request_id for request in load.requests}
    assert server.running == server.waiting == 0
    assert server.in_flight_j == 0
    assert server.kv_used_share == 0
