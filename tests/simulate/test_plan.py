from __future__ import annotations

from dataclasses import replace

import pytest

from joulemark.record.errors import InputError
from joulemark.simulate.gpu import H100, L4, SMALL
from joulemark.simulate.model import LLAMA_8B, LLAMA_70B, SMOLLM2_135M
from joulemark.simulate.plan import Wanted, plan
from joulemark.simulate.plan_json import plan_json

WANTED = Wanted(H100, 2, LLAMA_8B, rate=6.0, prompt_tokens=200, output_tokens=80, batches=(8, 32))


def test_the_pick_is_the_least_energy_within_the_limits() -> None:
    made = plan(WANTED)
    assert made.pick is not None
    assert made.pick.figures is not None
    kept = [row for row in made.rows if row.figures is not None]
    assert made.pick.figures.request_j == min(row.figures.request_j for row in kept if row.figures)
    assert made.pick.set_up.gpus == 1  # a second board only idles
    fastest = min(kept, key=lambda row: row.figures.tpot_mean_s if row.figures else 0.0)
    assert fastest.figures is not None
    assert fastest.figures.tpot_mean_s is not None
    tight = plan(replace(WANTED, max_tpot_s=1.001 * fastest.figures.tpot_mean_s))
    assert tight.pick is not None
    assert tight.pick.set_up == fastest.set_up
    refused = next(row for row in tight.rows if row.set_up == made.pick.set_up)
    assert not refused.within_limits
    assert refused.why.startswith("TPOT ")


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
    assert made.pick is not None
    assert made.pick.set_up.config.max_batch == 256
    assert made.pick.capacity > 60
    none = plan(replace(WANTED, rate=5000.0))
    assert none.pick is None
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


def test_a_plan_says_that_it_is_simulated_and_is_the_same_again() -> None:
    told = []
    first = plan_json(plan(WANTED, lambda done, of: told.append((done, of))))
    assert first == plan_json(plan(WANTED))
    assert told == [(n, len(told)) for n in range(len(told))]
    assert first["kind"] == "simulated"
    assert "never measured" in first["note"]
    assert {row["kind"] for row in first["rows"]} == {"simulated"}
    assert first["pick"] == first["rows"][0]
    assert all((row["figures"] is None) <= (row["reason"] is not None) for row in first["rows"])
