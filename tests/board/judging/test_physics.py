"""Each bound with a run on either side of it, and none where nothing is known."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from joulemark.board.judging import RunFacts, judge
from joulemark.board.judging.devices import _SHEETS, board_named
from joulemark.board.judging.physics import physics_grounds, physics_notes
from joulemark.board.judging.speed_limits import steps_per_s
from joulemark.record.rated import _RATED

H100 = board_named("NVIDIA H100 80GB HBM3")
assert H100 is not None


def codes(facts: RunFacts, **changed: Any) -> set[str]:
    alone = {"tail_power_w": None, **changed}  # else every other mean power contradicts that after the run
    return {ground.code for ground in physics_grounds(replace(facts, **alone))}


def test_every_rated_board_is_on_file_and_sound() -> None:
    assert {rated.board for _, rated in _RATED} == set(_SHEETS)
    for _, rated in _RATED:
        board = board_named(rated.board.replace(", one GPU", ""))
        assert board is not None, rated.board
        assert board.name == rated.board
        assert 0 < board.idle_w < 0.35 * board.rated_w <= 0.35 * board.limit_w
        assert 1e11 < board.memory_bytes_per_s < 2e13
        assert 1e14 < board.operations_per_s < 2e16
        assert 2**22 <= board.cache_bytes <= 2**28
        assert all(8 <= gib <= 300 for gib in board.memory_gib)
        assert board.source
    assert board_named("NVIDIA Testboard 90") is board_named(None) is board_named("NVIDIA A100") is None
    assert board_named("NVIDIA GeForce RTX 4090 Laptop GPU") is None


@pytest.mark.parametrize(
    ("changed", "code"),
    [
        ({"mean_power_w": 734.0}, None),
        ({"mean_power_w": 736.0}, "above_limit"),
        ({"mean_power_w": 736.0, "n_devices": 2}, None),
        ({"mean_power_w": 400.0, "power_limit_w": 300.0}, "above_limit"),
        ({"high_power_w": 1049.0}, None),
        ({"high_power_w": 1051.0}, "above_limit"),
        ({"power_limit_w": 720.0}, "device_unlike"),
        ({"power_limit_w": None}, None),
        ({"mean_power_w": 93.0}, "below_idle"),
        ({"mean_power_w": 95.0}, None),
        ({"mean_power_w": 25.0, "idle_power_w": None}, "below_idle"),
        ({"mean_power_w": 27.0, "idle_power_w": None}, None),
        ({"low_power_w": 11.0}, "below_idle"),
        ({"low_power_w": 14.0}, None),
        ({"low_power_w": 14.0, "empty_idle_power_w": 70.0}, "below_idle"),
        ({"low_power_w": 0.0, "idle_power_w": None}, "below_idle"),
        ({"low_power_w": None}, None),
        ({"low_power_w": 0.0, "idle_power_w": None, "device": None, "meter_device": None}, None),
        ({"drift_pct": 9.9}, None),
        ({"drift_pct": -10.1}, "drift"),
        ({"energy_j": None, "energy_reason": "meter_contradicted"}, "drift"),
        ({"energy_j": None, "energy_reason": "no_meter", "mean_power_w": 9999.0}, None),
        ({"n_power_levels": 1, "n_power_readings": 49}, None),
        ({"n_power_levels": 1, "n_power_readings": 50}, "flat_power"),
        ({"tail_power_w": 440.0}, None),
        ({"tail_power_w": 460.0}, "misaligned"),
        ({"wall_energy_j": 4000.0}, "wall_below_device"),
        ({"wall_residual_share": 1e-4}, "invented_meter"),
        ({"wall_residual_share": 1e-3}, None),
        ({"tail_power_w": 460.0, "scope": "package"}, None),
        ({"meter_device": "NVIDIA L4"}, "device_unlike"),
        ({"meter_device": None}, None),
        ({"vram_mib": 24564}, "device_unlike"),
        ({"vram_mib": None}, None),
        ({"sequence_steps_per_s": 290.0}, None),
        ({"sequence_steps_per_s": 300.0}, "decode_rate"),
        ({"sequence_tokens_per_s": 900.0}, None),
        ({"sequence_tokens_per_s": 2400.0}, "decode_rate"),
        ({"sequence_steps_per_s": 300.0, "active_parameters": None}, None),
        ({"sequence_steps_per_s": 300.0, "bits_per_weight": None}, None),
        ({"sequence_steps_per_s": 300.0, "bits_per_weight": 8.0}, None),
        ({"sequence_steps_per_s": 300.0, "n_devices": 2}, None),
        ({"sequence_steps_per_s": 50_000.0, "active_parameters": 25e6}, None),
        ({"prompt_tokens_per_s": 170_000.0}, None),
        ({"prompt_tokens_per_s": 180_000.0}, "prompt_rate"),
        ({"prompt_tokens_per_s": 180_000.0, "prefix_cache": True}, None),
        ({"prompt_tokens": 10**8}, "compute_rate"),
        ({"prompt_tokens": 10**8, "prefix_cache": None}, None),
        ({"prompt_tokens": 10**8, "prefix_cache": True, "cached_tokens": 10**8}, None),
        ({"fastest_tokens_per_s": 99_000.0}, None),
        ({"fastest_tokens_per_s": 101_000.0}, "impossible_rate"),
        (
            {"device": "NVIDIA Testboard 90", "meter_device": None, "fastest_tokens_per_s": 1e6},
            "impossible_rate",
        ),
        ({"device": "NVIDIA Testboard 90", "meter_device": None, "sequence_steps_per_s": 801.0}, None),
        ({"device": None, "sequence_steps_per_s": 99_000.0, "sequence_tokens_per_s": 99_000.0}, None),
        ({"parameters": 40e9}, None),
        ({"parameters": 44e9}, "weights_do_not_fit"),
        ({"parameters": 44e9, "n_devices": 2}, None),
        ({"parameters": 44e9, "engine": "llama.cpp"}, None),
        ({"parameters": 44e9, "bits_per_weight": 4.0}, None),
        ({"parameters": None, "active_parameters": None}, None),
        ({"tokens_over_pieces": 1.4}, None),
        ({"tokens_over_pieces": 1.6}, "token_counts"),
        ({"repeated_share": 0.05}, "repeated_answers"),
        ({"n_wanted": 25}, "answers_missing"),
        ({"n_wanted": 25, "was_stopped": True}, None),
        ({"n_wanted": 25, "state": "partial"}, None),
        ({"kind": "replayed", "mean_power_w": 99_999.0, "drift_pct": 90.0}, None),
    ],
)
def test_each_bound(facts: RunFacts, changed: dict[str, Any], code: str | None) -> None:
    assert codes(facts, **changed) == (set() if code is None else {code})


def test_less_than_the_memory_takes_is_told(facts: RunFacts) -> None:
    assert facts.duration_s is not None
    quiet = {"idle_power_w": None, "low_power_w": None, "mean_power_w": 45.0}
    assert codes(facts, **quiet, energy_j=45.0 * facts.duration_s) == {"below_memory_energy"}
    assert codes(facts, **quiet, energy_j=80.0 * facts.duration_s) == set()
    # sixteen that share a step read the weights a sixteenth as often
    assert codes(facts, **quiet, energy_j=45.0 * facts.duration_s, most_in_flight=16) == set()
    assert codes(facts, **quiet, energy_j=45.0 * facts.duration_s, active_parameters=None) == set()


def test_a_bound_is_that_of_the_memory(facts: RunFacts) -> None:
    most = steps_per_s(facts, H100)
    assert most == pytest.approx(1.4 * 3.36e12 / (16e9 - 50 * 2**20))


def test_a_reason_names_figure_bound_and_source(facts: RunFacts) -> None:
    found = list(physics_grounds(replace(facts, sequence_steps_per_s=400.0)))
    assert "400" in found[0].why
    assert "data sheet" in found[0].why
    assert "Speculative decoding" in found[0].why


def test_what_could_not_be_looked_at_is_a_note(facts: RunFacts) -> None:
    assert physics_notes(facts) == ()
    assert "no bound" in physics_notes(replace(facts, device="NVIDIA Testboard 90"))[0]
    assert "weights" in physics_notes(replace(facts, active_parameters=None))[0]
    assert judge(replace(facts, device=None), [], {}).status == "accepted"
