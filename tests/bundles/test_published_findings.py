"""What the published files must give: the findings of the ML.ENERGY paper, from its own data."""

from __future__ import annotations

import csv
from functools import cache
from pathlib import Path

import pytest

from joulemark.bundles.kinds import import_file
from joulemark.metrics.frontier import frontier
from joulemark.metrics.limits import Limit
from joulemark.metrics.operating_point import OperatingPoint
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.published_points import published_point
from joulemark.metrics.recommendation import Recommendation, Wish, recommend
from joulemark.record.manifest import Rates
from joulemark.record.published import PublishedRow

FILES = {
    "llm_text_generation__chat": 191,
    "llm_text_generation__code": 123,
    "mllm_text_generation__chat": 42,
    "diffusion__text-to-image": 86,
    "diffusion__text-to-video": 16,
    "diffusion__image-to-video": 16,
}
LLAMA = "meta-llama/Meta-Llama-3.1-8B-Instruct"
DIFFUSION = "stabilityai/stable-diffusion-2-1"


@pytest.fixture(scope="module")
def rows_of(data_dir: Path, tmp_path_factory: pytest.TempPathFactory):
    into = tmp_path_factory.mktemp("rows")

    @cache
    def rows(stem: str) -> tuple[PublishedRow, ...]:
        return import_file("mlenergy", data_dir / "mlenergy" / f"{stem}.csv", into).rows

    return rows


@pytest.fixture(scope="module")
def points_of(rows_of):
    def points(stem: str, model: str = "") -> list[OperatingPoint]:
        return [published_point(row, Rates()) for row in rows_of(stem) if model in row.model]

    return points


@pytest.fixture(scope="module")
def llama(points_of) -> Recommendation:
    return recommend(points_of("llm_text_generation__chat", LLAMA), Wish((Limit("tpot_mean", 0.1),)))


@pytest.mark.parametrize("stem", FILES)
def test_every_row_is_imported_with_its_numbers_as_they_are(rows_of, data_dir: Path, stem: str) -> None:
    rows = rows_of(stem)
    assert len(rows) == FILES[stem]
    with (data_dir / "mlenergy" / f"{stem}.csv").open() as file:
        for row, cells in zip(rows, csv.DictReader(file), strict=True):
            energy = next(value for name, value in cells.items() if name.startswith("Energy/"))
            assert row.energy_j == float(energy)
            if "derived: TPOT_littles_law (s)" in cells:
                assert row.latency_s["tpot_mean"] == pytest.approx(
                    float(cells["derived: TPOT_littles_law (s)"]), rel=1e-12
                )
                assert row.mean_power_w == pytest.approx(
                    float(cells["derived: avg power (W, all GPUs)"]), rel=1e-12
                )


@pytest.mark.parametrize("stem", FILES)
def test_no_published_row_is_held_to_be_impossible(points_of, stem: str) -> None:
    assert [point.implausible for point in points_of(stem) if point.implausible] == []


def test_llama_under_100_ms_a_token(llama: Recommendation) -> None:
    pick, fastest = llama.pick, llama.fastest
    assert pick is not None
    assert fastest is not None
    assert (pick.device, pick.settings["max_batch"]) == ("NVIDIA H100 80GB HBM3", 192)
    assert pick.latencies_s["tpot_mean"].value == pytest.approx(0.07744, abs=5e-6)
    assert pick.latencies_s["tpot_iteration_mean"].value == pytest.approx(0.06995, abs=5e-6)
    assert pick.energy_j.value == pytest.approx(57.387, abs=5e-4)
    assert (fastest.device, fastest.settings["max_batch"]) == ("NVIDIA A100-SXM4-40GB", 32)
    assert fastest.latencies_s["tpot_mean"].value == pytest.approx(0.03403, abs=5e-6)
    assert fastest.energy_j.value == pytest.approx(102.653, abs=5e-4)
    assert llama.savings["fastest"].value == pytest.approx(0.4410, abs=5e-5)


def test_the_front_of_llama_mixes_both_boards(llama: Recommendation) -> None:
    assert (len(llama.front.on), len(llama.ranked)) == (8, 14)
    assert {point.device for point in llama.front.front} == {"NVIDIA A100-SXM4-40GB", "NVIDIA H100 80GB HBM3"}


def test_the_published_tpot_gives_the_same_saving_at_its_own_time(points_of) -> None:
    points = points_of("llm_text_generation__chat", LLAMA)
    found = recommend(points, Wish((Limit("tpot_iteration_mean", 0.1),)))
    assert found.pick is not None
    assert found.pick.latencies_s["tpot_iteration_mean"].value == pytest.approx(0.06995, abs=5e-6)
    assert found.savings["fastest"].value == pytest.approx(0.4410, abs=5e-5)


def test_stable_diffusion_under_5_s(points_of) -> None:
    points = points_of("diffusion__text-to-image", DIFFUSION)
    found = recommend(points, Wish((Limit("e2el_mean", 5.0),)))
    assert found.pick is not None
    assert found.fastest is not None
    assert (found.pick.device, found.pick.settings["max_batch"]) == ("NVIDIA H100 80GB HBM3", 8)
    assert found.pick.latencies_s["e2el_mean"].value == pytest.approx(3.634, abs=5e-4)
    assert found.pick.energy_j.value == pytest.approx(305.04, abs=5e-3)
    assert found.fastest.energy_j.value == pytest.approx(386.46, abs=5e-3)
    assert found.savings["fastest"].value == pytest.approx(0.2107, abs=5e-5)
    assert {point.device for point in found.front.front} == {"NVIDIA H100 80GB HBM3"}


def test_rated_power_overestimates_a_small_model_fourfold(points_of) -> None:
    points = points_of("llm_text_generation__code", "codegemma-1.1-2b")
    ratios = {
        point.settings["max_batch"]: figure_of(point, "tdp_ratio").value
        for point in points
        if "H100" in (point.device or "")
    }
    assert ratios[1024] == pytest.approx(4.12, abs=5e-3)
    assert max(ratios.values()) == pytest.approx(4.18, abs=5e-3)


def test_the_smaller_phi_is_the_cheaper_one_only_at_small_batches(points_of) -> None:
    joules = {
        (size, point.settings["max_batch"]): point.energy_j.value
        for size in ("mini", "small")
        for point in points_of("llm_text_generation__chat", f"Phi-3-{size}")
        if "A100" in (point.device or "")
    }
    assert joules["mini", 32] == pytest.approx(77.95, abs=5e-3)
    assert joules["small", 32] == pytest.approx(89.67, abs=5e-3)
    assert joules["mini", 128] == pytest.approx(54.59, abs=5e-3)
    assert joules["small", 128] == pytest.approx(50.64, abs=5e-3)


def test_mistral_large_says_a_third_more_than_mixtral(rows_of) -> None:
    def mean_tokens(name: str) -> float:
        found = [
            row.mean_completion_tokens for row in rows_of("llm_text_generation__chat") if name in row.model
        ]
        return sum(found) / len(found)

    assert mean_tokens("Mistral-Large") / mean_tokens("Mixtral-8x7B") - 1 == pytest.approx(0.35, abs=5e-3)


def test_the_fronts_hold_what_no_other_beats(points_of) -> None:
    """Every model's front, by the definition itself."""
    points = points_of("llm_text_generation__chat")
    for model in {point.model for point in points}:
        own = [point for point in points if point.model == model]
        found = frontier(own, ("tpot_mean", "energy_j"))
        pairs = [(p.latencies_s["tpot_mean"].value, p.energy_j.value) for p in own]
        beaten = {
            k
            for k, (x, y) in enumerate(pairs)
            if any(a <= x and b <= y and (a, b) != (x, y) for a, b in pairs)
        }
        assert set(found.on) == set(range(len(own))) - beaten


def test_the_leaderboard_of_2023_gives_energy_per_correct_answer(data_dir: Path, tmp_path: Path) -> None:
    path = data_dir / "mlenergy" / "legacy_v1" / "A40_chat_benchmark.csv"
    stored = import_file("mlenergy-v1", path, tmp_path)
    points = [published_point(row, Rates()) for row in stored.rows]
    assert {point.task for point in points} == {"v1/chat"}
    vicuna = next(point for point in points if point.model == "lmsys/vicuna-7B")
    assert vicuna.accuracy.value == pytest.approx(0.5349829351535836)
    assert vicuna.joules_per_correct.value == pytest.approx(2239.068904633984 / 0.5349829351535836)
    assert any("other questions" in note for note in vicuna.notes)
    assert "accuracy_of" not in vicuna.settings
    found = recommend(points, Wish(objective="joules_per_correct"))
    assert found.pick is not None
    assert found.pick.joules_per_correct.value == min(
        value for point in points if (value := point.joules_per_correct.value) is not None
    )


@pytest.mark.parametrize("stem", FILES)
def test_no_row_as_it_was_published_contradicts_itself(points_of, stem: str) -> None:
    assert [point.implausible for point in points_of(stem) if point.implausible] == []
