"""From a published row to an operating point."""

from __future__ import annotations

import pytest

from joulemark.bundles.published import published_row
from joulemark.metrics.point_figures import figure_of
from joulemark.metrics.published_points import published_point
from joulemark.record.manifest import Rates
from joulemark.record.reason import Reason


def _row(**fields: object):
    defaults: dict[str, object] = {
        "model": "org/m",
        "task": "chat",
        "unit": "request",
        "energy_j": 100.0,
        "latency_s": {"tpot_mean": 0.05, "e2el_mean": 12.5},
        "settings": {"max_batch": 64, "tensor_parallel": 2, "pipeline_parallel": 1},
        "source": "somebody; file.csv",
        "licence": None,
        "device": "NVIDIA H100 80GB HBM3",
        "n_devices": 2,
        "tokens_per_second": 1000.0,
        "mean_completion_tokens": 250.0,
        "mean_batch": 50.0,
        "mean_power_w": 400.0,
    }
    return published_row(**{**defaults, **fields})  # type: ignore[arg-type]


def test_what_is_told_is_taken_and_no_interval_is_made_up() -> None:
    point = published_point(_row(), Rates())
    assert (point.kind, point.tier, point.origin) == ("published", None, "somebody; file.csv")
    assert point.label == "H100 80GB HBM3 ×2, batch 64, TP 2"
    assert (point.energy_j.value, point.energy_j.interval) == (100, None)
    assert point.energy_j.interval_reason is Reason.NOT_PUBLISHED
    assert point.throughput.value == 4
    assert point.tdp_energy_j.value == 2 * 700 / 4
    assert figure_of(point, "throughput_per_watt").value == 2.5
    assert point.usd.reason is Reason.NO_PRICE


def test_what_is_not_told_is_withheld() -> None:
    row = _row(
        energy_j=None, tokens_per_second=None, mean_batch=None, device=None, n_devices=None,
        mean_power_w=None,
        reasons={"energy_j": "window_too_short", "mean_power_w": "the publisher was not sure"},
    )  # fmt: skip
    point = published_point(row, Rates())
    assert point.energy_j.reason is Reason.WINDOW_TOO_SHORT
    assert (point.mean_power_w.reason, point.mean_power_w.detail) == (
        Reason.NOT_PUBLISHED,
        "the publisher was not sure",
    )
    for name in (
        "throughput",
        "tokens_per_second",
        "tdp_energy_j",
        "tdp_ratio",
        "joules_per_correct",
        "ttft_p99",
    ):
        assert figure_of(point, name).reason is not None, name


def test_of_a_batch_each_image_has_its_share_of_the_time() -> None:
    row = _row(
        unit="image", latency_s={"e2el_mean": 4.0}, mean_batch=8.0, n_devices=1,
        tokens_per_second=None, mean_completion_tokens=None,
    )  # fmt: skip
    point = published_point(row, Rates())
    assert point.throughput.value == 2
    assert point.tdp_energy_j.value == 700 / 2


def test_one_at_a_time_the_time_of_a_request_says_how_many_a_second() -> None:
    alone = published_point(_row(mean_batch=1.0), Rates())
    assert alone.throughput.value == 1 / 12.5
    assert published_point(_row(mean_batch=1.5), Rates()).throughput.value == 4


def test_joules_per_correct_answer() -> None:
    assert published_point(_row(accuracy=0.5), Rates()).joules_per_correct.value == 200
    assert published_point(_row(accuracy=0.0), Rates()).joules_per_correct.reason is Reason.NOTHING_CORRECT


def test_declared_rates_price_it() -> None:
    rates = Rates(
        usd_per_kwh=0.36, electricity_source="declared", gco2e_per_kwh=360.0, grid_source="declared", pue=1.5
    )
    point = published_point(_row(), rates)
    assert point.usd.value == pytest.approx(100 / 3.6e6 * 0.36 * 1.5)
    assert point.gco2e.value == pytest.approx(100 / 3.6e6 * 360 * 1.5)
