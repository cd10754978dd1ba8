"""Comparison with others' runs: what stands out, who counts, and that few cannot lock others out."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.board_runs import peers_of
from joulemark.board.judging import RunFacts, judge, reproduces
from joulemark.board.judging.likeness import MIN_SIGNERS, likeness_grounds


def codes(facts: RunFacts, peers: list[RunFacts]) -> set[str]:
    return {ground.code for ground in likeness_grounds(facts, peers)}


def cheaper(facts: RunFacts, factor: float, **changed: Any) -> RunFacts:
    assert facts.joules_per_request is not None
    return replace(facts, joules_per_request=facts.joules_per_request * factor, **changed)


def test_half_the_energy_stands_out_with_factor_and_limit(facts: RunFacts) -> None:
    found = list(likeness_grounds(cheaper(facts, 0.5), peers_of(facts)))
    assert [ground.code for ground in found] == ["energy_unlike"]
    assert "0.5" in found[0].why
    assert "7 other signers" in found[0].why
    assert "1.50 below" in found[0].why


@pytest.mark.parametrize("factor", [1e-300, 1e-12, 1e12, 1e300])
def test_numbers_of_any_size_are_told(facts: RunFacts, factor: float) -> None:
    assert codes(cheaper(facts, factor), peers_of(facts)) == {"energy_unlike"}
    assert codes(facts, [cheaper(peer, factor) for peer in peers_of(facts)]) == {"energy_unlike"}


@pytest.mark.parametrize(
    "changed",
    [
        {"device": "NVIDIA H200"},
        {"n_devices": 2},
        {"model": "meta-llama/Llama-3.2-3B-Instruct"},
        {"quantization": "fp8"},
        {"engine": "sglang"},
        {"load": "closed", "concurrency": 4},
        {"scope": "package"},
        {"power_limit_w": 500.0},
        {"power_limit_w": None},
        {"device": None},
    ],
    ids=lambda changed: ",".join(changed),
)
def test_another_make_does_not_compare(facts: RunFacts, changed: dict[str, Any]) -> None:
    assert codes(cheaper(facts, 0.5, **changed), peers_of(facts)) == set()


def test_another_work_does_not_compare_and_alike_work_does(facts: RunFacts) -> None:
    peers = peers_of(facts)
    assert facts.completion_tokens is not None
    longer = cheaper(facts, 3.5, config_hash="0" * 64, completion_tokens=4 * facts.completion_tokens)
    assert codes(longer, peers) == set()
    assert codes(cheaper(facts, 0.5, config_hash="0" * 64), peers) == {"energy_unlike"}
    # without counts nobody knows whether the work is alike
    assert codes(cheaper(facts, 0.5, config_hash="0" * 64, completion_tokens=None), peers) == set()


def test_fewer_signers_prove_nothing(facts: RunFacts) -> None:
    assert codes(cheaper(facts, 0.2), peers_of(facts, MIN_SIGNERS - 1)) == set()
    assert codes(cheaper(facts, 0.2), peers_of(facts, MIN_SIGNERS)) == {"energy_unlike"}


def test_one_signer_counts_once(facts: RunFacts) -> None:
    flood = [replace(peer, signer="f" * 64) for peer in peers_of(cheaper(facts, 0.3), 60)]
    assert codes(facts, flood) == set()
    assert codes(facts, [*peers_of(facts), *flood]) == set()
    assert codes(cheaper(facts, 0.3), [*peers_of(facts), *flood]) == {"energy_unlike"}


def test_nobody_vouches_for_himself(facts: RunFacts) -> None:
    own = [replace(peer, signer=facts.signer) for peer in peers_of(cheaper(facts, 0.3), 20)]
    assert codes(cheaper(facts, 0.3), own) == set()
    assert codes(cheaper(facts, 0.3), [*own, *peers_of(facts)]) == {"energy_unlike"}


@given(st.integers(5, 12), st.data())
def test_a_minority_of_signers_locks_nobody_out(facts: RunFacts, n: int, data: st.DataObject) -> None:
    few = data.draw(st.integers(0, (n - 1) // 2))
    factor = data.draw(st.sampled_from([0.05, 0.3, 4.0, 50.0]))
    peers = peers_of(facts, n)
    made_up = [cheaper(peer, factor) for peer in peers[:few]]
    assert codes(facts, [*made_up, *peers[few:]]) == set()


def test_only_others_of_the_same_settings_speak_of_answers(facts: RunFacts) -> None:
    right = replace(facts, n_correct=facts.n_scored)
    assert codes(right, peers_of(facts)) == {"accuracy_unlike"}
    assert codes(replace(right, config_hash="0" * 64), peers_of(facts)) == set()
    one_more = replace(facts, n_correct=facts.n_correct + 2)
    assert codes(one_more, peers_of(facts)) == set()


def test_what_is_not_known_does_not_stand_out(facts: RunFacts) -> None:
    bare = replace(
        facts,
        joules_per_request=None,
        mean_power_w=None,
        tokens_per_second=None,
        completion_tokens=None,
        n_scored=0,
    )
    assert codes(bare, peers_of(facts)) == set()
    assert codes(facts, [replace(bare, signer=f"{k:064x}") for k in range(9)]) == set()
    assert codes(replace(cheaper(facts, 0.1), kind="simulated"), peers_of(facts)) == set()


def test_a_run_is_reproduced_by_another_signer_with_the_same_energy(facts: RunFacts) -> None:
    other = replace(facts, signer="1" * 64, digest="1" * 64)
    assert reproduces(facts, other)
    assert reproduces(facts, cheaper(other, 1.22))
    assert not reproduces(facts, cheaper(other, 1.3))
    assert not reproduces(facts, cheaper(other, 0.7))
    assert not reproduces(facts, facts)
    assert not reproduces(facts, replace(other, config_hash="0" * 64))
    assert not reproduces(facts, replace(other, device="NVIDIA H200"))
    assert not reproduces(facts, replace(other, joules_per_request=None))
    assert not reproduces(replace(facts, tier=None), other)


def test_a_copy_names_the_other_and_the_same_bundle_is_no_copy(facts: RunFacts) -> None:
    assert judge(facts, [], {facts.digest: 1.0}).status == "accepted"
    assert judge(facts, [], {"a" * 64: 0.05}).status == "accepted"
    found = judge(facts, [], {"a" * 64: 0.2, "b" * 64: 0.9, facts.digest: 1.0})
    assert [ground.code for ground in found.grounds] == ["duplicate_telemetry"]
    assert "b" * 64 in found.grounds[0].why
    assert "90 %" in found.grounds[0].why
