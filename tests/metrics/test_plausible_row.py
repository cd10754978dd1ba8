"""Rows that no machine can have produced: told by name, and in no ranking."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.bundles.published import LITTLE, published_row
from joulemark.metrics.comparable import IMPLAUSIBLE
from joulemark.metrics.published_points import published_point
from joulemark.metrics.recommendation import Wish, recommend
from joulemark.record.manifest import Rates
from joulemark.record.rated import rated_between

H100 = "NVIDIA H100 80GB HBM3"


def row(**fields: object):
    """Return a row: 100 J a request of 250 tokens, 4 requests a second on two boards."""
    defaults: dict[str, object] = {
        "model": "org/m",
        "task": "chat",
        "unit": "request",
        "energy_j": 100.0,
        "latency_s": {"tpot_mean": 0.05},
        "settings": {"max_batch": 64},
        "source": "somebody; file.csv",
        "licence": None,
        "device": H100,
        "n_devices": 2,
        "tokens_per_second": 1000.0,
        "mean_completion_tokens": 250.0,
        "mean_batch": 50.0,
        "mean_power_w": 400.0,
    }
    return published_row(**{**defaults, **fields})  # type: ignore[arg-type]


def why(**fields: object) -> str:
    return published_point(row(**fields), Rates()).implausible


def test_a_row_as_it_is_published_is_believed() -> None:
    assert why() == ""
    assert why(mean_batch=64.0) == why(mean_batch=None) == ""
    assert why(settings={}) == ""
    assert why(settings={"max_batch": 16, "data_parallel": 4}) == ""  # a batch a rank
    assert why(device="A100", n_devices=1, mean_power_w=250.0, energy_j=60.0) == ""
    assert why(device="wafer", n_devices=1, mean_power_w=20_000.0, energy_j=5_000.0) == ""
    assert why(energy_j=None, mean_power_w=None) == ""
    assert why(tokens_per_second=None, latency_s={}) == ""
    assert why(mean_power_w=440.0) == why(mean_power_w=360.0) == ""
    assert (
        why(latency_s={"tpot_iteration_mean": 0.052}) == why(latency_s={"tpot_iteration_mean": 0.017}) == ""
    )


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"mean_batch": 999.0}, "mean batch is 999, of 64 at most"),
        ({"mean_power_w": 5_000.0, "energy_j": 1250.0}, "5,000 W, more than"),
        ({"mean_power_w": 0.001, "energy_j": 0.00025}, "0.001 W, less than"),
        ({"energy_j": 0.001}, "0.004 W, less than"),  # a published power beside it that is plausible
        ({"mean_power_w": 5e299}, "5e+299 W, more than"),
        ({"tokens_per_second": 1e300, "mean_power_w": None}, "more than"),
        ({"device": "A100", "mean_power_w": 1_300.0}, "15 … 1,200 W"),
        ({"device": "a toaster", "mean_power_w": 0.001, "energy_j": 0.00025}, "less than"),
        ({"device": None, "n_devices": None, "mean_power_w": 1e9}, "more than"),
        ({"energy_j": 40.0}, "its power is 400 W, and its energy and rate come to 160 W"),
        ({"energy_j": 120.0}, "come to 480 W"),
        ({"latency_s": {"tpot_iteration_mean": 0.06}}, "60 ms, and batch and tokens a second come to 50 ms"),
        ({"latency_s": {"tpot_iteration_mean": 0.01}}, "10 ms"),
    ],
)
def test_what_cannot_be_is_told_with_the_row(fields: dict[str, object], said: str) -> None:
    told = why(**fields)
    assert said in told
    assert "org/m" in told
    assert "max_batch 64" in told
    assert "file.csv" in told


LITTLES = {"tpot_definition": LITTLE, "settings": {"max_batch": 64}}


@pytest.mark.parametrize("factor", [0.2, 0.4, 0.98, 1.02, 3.0])
def test_a_latency_that_is_not_what_its_definition_comes_to_is_told(factor: float) -> None:
    whole = {"tpot_mean": 0.05, "e2el_mean": 12.5}
    assert why(**LITTLES, latency_s=whole) == ""
    assert why(**LITTLES, latency_s={"tpot_mean": 0.05 * 1.005}) == ""
    told = why(**LITTLES, latency_s={"tpot_mean": 0.05 * factor})
    assert f"its time per token is {50 * factor:g} ms" in told
    assert "is 50 ms" in told
    told = why(**LITTLES, latency_s={**whole, "e2el_mean": 12.5 * factor})
    assert "its whole answer takes" in told
    assert "is 12.5 s" in told
    # one that was measured otherwise need not be
    assert why(latency_s={"tpot_mean": 0.05 * factor}) == ""


def test_halved_power_and_energy_do_not_hide_a_made_up_time() -> None:
    assert "252 ms" in why(
        **LITTLES,
        latency_s={"tpot_mean": 0.05},
        mean_batch=50.4,
        tokens_per_second=200.0,
        energy_j=250.0,
        mean_power_w=200.0,
    )


def test_it_never_wins_and_is_listed() -> None:
    good = published_point(row(), Rates())
    bad = published_point(row(energy_j=0.001, settings={"max_batch": 128}), Rates())
    found = recommend([bad, good], Wish())
    assert found.ranked == (good,)
    assert found.pick is good
    assert found.least_energy is good
    assert [(one.point, one.code) for one in found.left_out] == [(bad, IMPLAUSIBLE)]
    alone = recommend([bad], Wish())
    assert (alone.pick, alone.ranked) == (None, ())
    assert alone.left_out[0].code == IMPLAUSIBLE


def test_a_name_that_leaves_the_variant_open_may_be_any_of_them() -> None:
    assert rated_between(H100) == (700, 700)
    assert rated_between("A100") == (250, 400)
    assert rated_between("Quadro RTX 4000") is None
    assert rated_between(None) is None


@given(watts=st.floats(0.031 * 700, 1.49 * 700), boards=st.integers(1, 16))
@settings(deadline=None)
def test_what_boards_can_draw_is_believed_whatever_their_number(watts: float, boards: int) -> None:
    power_w = watts * boards
    assert not why(n_devices=boards, mean_power_w=power_w, energy_j=None)
    assert why(n_devices=boards, mean_power_w=power_w + 1.5 * 700 * boards, energy_j=None)
