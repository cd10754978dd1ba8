from __future__ import annotations

from dataclasses import replace

import pytest

from joulemark.record.errors import InputError
from joulemark.simulate.config import ServerConfig
from joulemark.simulate.gpu import H100, L4, SMALL
from joulemark.simulate.lengths import draw_requests
from joulemark.simulate.model import LLAMA_8B, LLAMA_70B, SMOLLM2_135M
from joulemark.simulate.plan import Wanted, plan
from joulemark.simulate.virtual import poisson_arrivals_ns, run_open

WANTED = Wanted(H100, 2, LLAMA_8B, rate=6.0, prompt_tokens=200, output_tokens=80, batches=(8, 32))


def test_energy_power_and_rate_belong_together() -> None:
    for row in plan(WANTED).rows:
        if row.figures is not None:
            served = row.figures.power_w / row.figures.request_j
            assert served == pytest.approx(WANTED.rate, rel=0.15)  # as many as arrived
            assert row.figures.power_w > row.set_up.gpus * H100.idle_w
            assert row.figures.ttft_mean_s < row.figures.ttft_p99_s
            assert row.figures.e2el_mean_s > row.figures.ttft_mean_s


def test_what_cannot_keep_up_has_no_figures_and_says_why() -> None:
    made = plan(replace(WANTED, rate=60.0, batches=(8, 256)))
    slow = [row for row in made.rows if row.set_up.config.max_batch == 8]
    assert slow
    for row in slow:
        assert row.figures is None
        assert row.capacity < 60
        assert row.why.startswith("serves at most ")
    able = [row for row in made.rows if row.figures is not None]
    assert {row.set_up.config.max_batch for row in able} == {256}
    assert min(row.capacity for row in able) > 60
    none = plan(replace(WANTED, rate=5000.0))
    assert all(row.figures is None for row in none.rows)


def test_a_batch_that_is_never_full_ends_its_group() -> None:
    made = plan(replace(WANTED, rate=0.5, replicas=(1,), tensor_parallels=(1,), batches=(8, 64, 512)))
    assert [row.set_up.config.max_batch for row in made.rows] == [8]
    assert made.rows[0].never_full


def test_split_and_replicas_are_tried_as_they_fit() -> None:
    made = plan(replace(WANTED, gpus=4, batches=(16,), tensor_parallels=(1,), splits=((1, 1), (3, 2))))
    seen = {
        (row.set_up.config.prefill_instances, row.set_up.config.decode_instances, row.set_up.replicas)
        for row in made.rows
    }
    assert seen == {(0, 0, 1), (0, 0, 2), (0, 0, 4), (1, 1, 1), (1, 1, 2)}
    assert all(row.set_up.gpus <= 4 for row in made.rows)


def test_what_does_not_fit_is_refused_with_a_way_out() -> None:
    with pytest.raises(InputError, match="llama-70b on 1 × L4") as error:
        plan(Wanted(L4, 1, LLAMA_70B, rate=1.0))
    assert "--gpus" in error.value.fix
    with pytest.raises(InputError):
        plan(replace(WANTED, replicas=(3,)))
    with pytest.raises(InputError):
        plan(Wanted(SMALL, 1, SMOLLM2_135M, rate=1.0, prompt_tokens=400_000))


def test_a_batch_that_no_step_has_room_for_is_refused() -> None:
    with pytest.raises(InputError, match="--max-batched-tokens 16 is below a batch of 32") as error:
        plan(replace(WANTED, max_batched_tokens=16))
    assert "at least 32" in error.value.fix
    rows = plan(replace(WANTED, max_batched_tokens=32)).rows
    assert {row.set_up.config.max_batched_tokens for row in rows} == {32}


def test_a_plan_is_the_same_again_and_tells_how_far_it_is() -> None:
    told: list[tuple[int, int]] = []
    first = plan(WANTED, lambda done, of: told.append((done, of)))
    assert first == plan(WANTED)
    assert told == [(n, len(told)) for n in range(len(told))]
    assert all((row.figures is None) == bool(row.why) for row in first.rows)


def test_the_99th_percentile_is_that_of_a_request() -> None:
    figures = plan(replace(WANTED, batches=(8,), replicas=(1,), tensor_parallels=(1,))).rows[0].figures
    assert figures is not None
    run = run_open(
        ServerConfig(H100, LLAMA_8B, max_batch=8),
        draw_requests(400, 200, 80, 0, kind="fixed"),
        poisson_arrivals_ns(400, 6.0, 1),
    )
    waits_s = [(done.t_first_ns - done.t_arrival_ns) * 1e-9 for done in run.finished]
    assert figures.ttft_p99_s in waits_s
