"""Honest runs of many makes: none is held back, for a false suspicion drives people away."""

from __future__ import annotations

import csv
import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest

from doubles import submitted_runs
from doubles.board_runs import Rig, content_of, peers_of, verified
from doubles.forgeries import H100, RTX_4090
from doubles.hostile_bundles import WORDS
from joulemark.board.judging import RunFacts, facts_of, judge, marks_of, share_of_marks
from joulemark.board.judging.devices import board_named
from joulemark.board.judging.physics import physics_grounds
from joulemark.bundles.submission.content import cleaned
from joulemark.record.manifest import Baselines

A100 = replace(
    H100,
    device="NVIDIA A100-SXM4-40GB",
    vram_mib=40960,
    limit_w=400.0,
    idle_w=62.0,
    busy_w=270.0,
    tokens_per_s=85.0,
)
L4 = replace(
    H100,
    device="NVIDIA L4",
    vram_mib=23034,
    limit_w=72.0,
    idle_w=28.0,
    busy_w=71.0,
    tokens_per_s=16.5,
    first_s=0.2,
    n=14,
)
QWEN_MOE = "Qwen/Qwen3-30B-A3B-Instruct-2507"
HONEST: dict[str, Rig] = {
    "H100, one at a time": H100,
    "H100, eight at a time": replace(H100, lanes=8, n=96, busy_w=520.0, tokens_per_s=128.0),
    "H100, 64 at a time, FP8": replace(
        H100, lanes=64, n=256, busy_w=640.0, tokens_per_s=105.0, quantization="fp8", first_s=0.15
    ),
    "H100, limited to 300 W": replace(H100, limit_w=300.0, busy_w=280.0, tokens_per_s=125.0),
    "H100 at its limit": replace(H100, lanes=32, n=128, busy_w=705.0),
    "H100, Q4": replace(H100, engine="llama.cpp", quantization="Q4_K_M", tokens_per_s=260.0, busy_w=330.0),
    "H100, a small model that lies in the cache": replace(
        H100,
        model="HuggingFaceTB/SmolLM2-135M-Instruct",
        quantization="Q4_1",
        engine="llama.cpp",
        tokens_per_s=2600.0,
        busy_w=190.0,
        first_s=0.004,
        mean_tokens=200.0,
        n=60,
    ),
    "H100, speculative decoding": replace(H100, tokens_a_piece=3, tokens_per_s=360.0),
    "H100, a mixture of experts": replace(H100, model=QWEN_MOE, tokens_per_s=215.0, busy_w=300.0),
    "H100, a mixture whose share is not named": replace(
        H100, model="openai/gpt-oss-120b", quantization="MXFP4", tokens_per_s=290.0
    ),
    "H100, a cache of prompts": replace(H100, prefix_cache=True, prompt_tokens=60_000, first_s=0.05),
    "H100, not streamed": replace(H100, streamed=False),
    "H100 and a plug": replace(H100, plug=True),
    "H100, counter alone": replace(H100, has_gauge=False),
    "H100, gauge alone": replace(H100, has_counter=False),
    "H200": replace(H100, device="NVIDIA H200", vram_mib=143771, tokens_per_s=200.0),
    "A100": A100,
    "two A100, tensor parallel": replace(
        A100, boards=2, model="Qwen/Qwen2.5-72B-Instruct-AWQ", quantization="AWQ", tokens_per_s=52.0, n=14
    ),
    "L4": L4,
    "RTX 4090, Q4": RTX_4090,
    "RTX 4090, overclocked": replace(
        RTX_4090, limit_w=600.0, busy_w=480.0, lanes=8, n=80, tokens_per_s=120.0
    ),
    "RTX 4090 at rest in a lower state": replace(RTX_4090, idle_w=9.0),
    "RTX 3090": replace(
        RTX_4090,
        device="NVIDIA GeForce RTX 3090",
        vram_mib=24576,
        limit_w=370.0,
        busy_w=345.0,
        tokens_per_s=110.0,
    ),
    "MI300X, whole watts": replace(
        H100,
        device="AMD Instinct MI300X",
        kind="amdsmi",
        vram_mib=196592,
        limit_w=750.0,
        idle_w=140.0,
        busy_w=480.0,
        tokens_per_s=160.0,
        watts_step=1.0,
    ),
    "a board that nobody knows": replace(
        H100, device="NVIDIA Testboard 90", vram_mib=24576, tokens_per_s=428.0
    ),
    "another that is faster still": replace(
        H100, device="NVIDIA Testboard 95", tokens_per_s=801.0, busy_w=2600.0, limit_w=2600.0
    ),
}


@pytest.fixture(scope="module")
def facts() -> dict[str, RunFacts]:
    """Facts of the honest runs that were asked for."""
    return {}


def of(name: str, known: dict[str, RunFacts]) -> RunFacts:
    if name not in known:
        known[name] = facts_of(verified(content_of(HONEST[name])))
    return known[name]


@pytest.mark.parametrize("name", HONEST)
def test_an_honest_run_is_accepted_alone_and_among_others(name: str, facts: dict[str, RunFacts]) -> None:
    found = of(name, facts)
    assert found.kind == "measured"
    assert found.energy_j is not None, found.energy_reason
    assert judge(found, [], {}).grounds == ()
    assert judge(found, peers_of(found, 9), {}).grounds == ()


def test_a_rate_above_every_fixed_maximum_is_accepted_where_it_is_possible(
    facts: dict[str, RunFacts],
) -> None:
    # project-nomad #274, #295: 428 and 801 tokens a second were refused by "plausible maximum (250)"
    for name in ("a board that nobody knows", "another that is faster still"):
        found = judge(of(name, facts), [], {})
        assert found.status == "accepted"
        assert "not on file" in found.notes[0]
    assert (of("H100, a small model that lies in the cache", facts).sequence_tokens_per_s or 0) > 1000


def test_the_run_of_other_tests_is_accepted(tmp_path: Path) -> None:
    manifest = submitted_runs.described(16)
    content = cleaned(manifest, submitted_runs.answers(16), submitted_runs.readings(16), WORDS)
    assert judge(facts_of(verified(content)), [], {}).status == "accepted"


def test_a_run_without_any_meter_is_accepted_and_has_no_joules() -> None:
    content = content_of(H100)
    manifest = content.manifest.model_copy(update={"meters": [], "devices": [], "baselines": Baselines()})
    found = facts_of(verified(replace(content, manifest=manifest, readings=())))
    assert (found.energy_j, found.tier, found.mean_power_w) == (None, None, None)
    assert found.energy_reason is not None
    assert judge(found, [], {}).status == "accepted"


def test_what_is_simulated_breaks_no_device(facts: dict[str, RunFacts]) -> None:
    found = replace(of("H100, one at a time", facts), kind="simulated", mean_power_w=1e6)
    judged = judge(found, [], {"0" * 64: 1.0})
    assert judged.status == "accepted"
    assert "simulated" in judged.notes[0]


def test_boards_of_a_kind_may_differ_and_old_engines_may_be_slow(facts: dict[str, RunFacts]) -> None:
    mine = of("H100, one at a time", facts)
    peers = peers_of(mine, 9)
    assert mine.joules_per_request is not None
    assert mine.mean_power_w is not None
    assert mine.tokens_per_second is not None
    for factor in (0.78, 1.22, 2.6):
        other = replace(
            mine,
            joules_per_request=mine.joules_per_request * factor,
            mean_power_w=mine.mean_power_w * min(factor, 1.22),
            tokens_per_second=mine.tokens_per_second / max(factor, 0.78),
        )
        assert judge(other, peers, {}).status == "accepted", factor


def test_runs_of_one_make_do_not_mark_each_other_as_copies() -> None:
    marks = [marks_of(verified(content_of(replace(H100, n=12), seed))) for seed in range(6)]
    assert all(len(one) > 20 for one in marks)
    shares = [share_of_marks(a, b) for k, a in enumerate(marks) for b in marks[:k]]
    assert max(shares) == 0.0


def test_published_rows_of_real_boards_break_no_bound(data_dir: Path) -> None:
    """What others measured on A100 and H100 under load: the bounds have to let all of it through."""
    template = facts_of(verified(content_of(replace(H100, n=12))))
    seen = 0
    for file in ("llm_text_generation__chat.csv", "llm_text_generation__code.csv"):
        with (data_dir / "mlenergy" / file).open() as lines:
            for row in csv.DictReader(lines):
                assert board_named(row["GPU"]) is not None, row["GPU"]
                assert list(physics_grounds(_published(row, template))) == [], row
                seen += 1
    assert seen > 200


def _published(row: dict[str, str], template: RunFacts) -> RunFacts:
    from joulemark.board.judging.weights import weights_of

    n, tokens_s = int(row["TP"]) * int(row["PP"]), 1 / float(row["Avg TPOT (s)"])
    watts = float(row["derived: avg power (W, all GPUs)"])
    weights = weights_of(row["Model"], "float16", {})
    each = float(row["Avg Output Tokens"])
    return dataclasses.replace(
        template,
        device=row["GPU"],
        meter_device=row["GPU"],
        vram_mib=None,
        power_limit_w=None,
        model=row["Model"],
        parameters=weights.parameters,
        active_parameters=weights.active_parameters,
        bits_per_weight=weights.bits,
        n_devices=n,
        n_scopes=n,
        idle_power_w=None,
        empty_idle_power_w=None,
        mean_power_w=watts,
        energy_j=watts * 100.0,
        duration_s=100.0,
        low_power_w=None,
        high_power_w=None,
        tail_power_w=None,
        most_in_flight=int(row["Max BS (reqs)"]),
        n_requests=round(100 * float(row["Token tput (tok/s)"]) / each),
        n_wanted=None,
        completion_tokens=round(100 * float(row["Token tput (tok/s)"])),
        steps=round(100 * float(row["Token tput (tok/s)"])),
        prompt_tokens=None,
        prompt_tokens_per_s=None,
        tokens_per_second=float(row["Token tput (tok/s)"]),
        sequence_tokens_per_s=tokens_s,
        sequence_steps_per_s=tokens_s,
        fastest_tokens_per_s=tokens_s,
    )
