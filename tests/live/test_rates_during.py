"""Rates that change while a block is measured, against the true energy of each of their steps."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path

import pytest

import joulemark
from doubles.nvml import FakeBoard, FakeNvml, Piece
from joulemark.live.session import close_all
from joulemark.metrics.rate_steps import utc_text
from joulemark.record.manifest import Rates, RateStep
from joulemark.record.reason import Reason

S = 1_000_000_000


def test_each_step_weighs_by_its_own_joules(tmp_path: Path) -> None:
    """A board that draws 60 W for a second, then 600 W for one, and so on."""
    board = FakeBoard(
        power=[Piece(1.0, 60.0), Piece(1.0, 600.0)], loop=True, counter_period_s=0.02, counter_jitter_s=0.002
    )
    with FakeNvml(tmp_path, [board]).in_process() as fake:
        joulemark.measure(meters="nvml", test_s=0.4).prepare()
        wall_ns = time.time_ns() - time.monotonic_ns()
        starts = range(time.monotonic_ns() + S // 2, time.monotonic_ns() + 5 * S // 2, S // 100)
        low_ns = min(starts, key=lambda t_ns: fake.true_energy_j(0, t_ns, t_ns + S))
        turn_ns = low_ns + S + wall_ns
        rates = Rates(
            grid_series=[
                RateStep(from_utc=utc_text(turn_ns - 60 * S), to_utc=utc_text(turn_ns), rate=100.0),
                RateStep(from_utc=utc_text(turn_ns), to_utc=utc_text(turn_ns + 60 * S), rate=900.0),
            ],
            tariff=[RateStep(from_utc=utc_text(turn_ns), to_utc=utc_text(turn_ns + 60 * S), rate=0.3)],
            grid_source="grid.csv",
            electricity_source="house.toml",
        )
        time.sleep(max(0, low_ns - time.monotonic_ns()) / S)
        with joulemark.measure(meters="nvml", test_s=0.4, rates=rates) as block:
            time.sleep(2)
        assert block._t1_ns is not None
        stops = (block._t0_ns, turn_ns - wall_ns, block._t1_ns)
        before_j, after_j = (fake.true_energy_j(0, a, b) for a, b in pairwise(stops))
        assert after_j > 4 * before_j
        assert block.gco2e.value == pytest.approx((before_j * 100 + after_j * 900) / 3.6e6, rel=0.1)
        assert block.usd.reason is Reason.RATES_DO_NOT_COVER
        assert "house.toml" in block.usd.detail
        close_all()
