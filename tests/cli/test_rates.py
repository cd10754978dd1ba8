"""Rates that change with time, from the command to the record, the page and back."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from doubles.nvml import FakeNvml
from doubles.user import bench, joulemark
from doubles.working_engine import WorkingEngine
from joulemark.metrics.grid import grid_intensity
from joulemark.metrics.rate_steps import utc_text
from joulemark.runs.layout import RunLayout

HOUR_NS = 3_600 * 10**9


@pytest.fixture
def series(tmp_path: Path) -> Path:
    """Two days of hours around now, all of 250 g/kWh but those that are over."""
    now = time.time_ns() // HOUR_NS * HOUR_NS
    path = tmp_path / "grid.csv"
    rows = (f"{utc_text(now + k * HOUR_NS)},{0.25 if k >= 0 else 0.9}\n" for k in range(-24, 24))
    path.write_text("time,kgCO2e/kWh\n" + "".join(rows))
    return path


@pytest.fixture
def tariff(tmp_path: Path) -> Path:
    path = tmp_path / "house.toml"
    path.write_text(
        'time_zone = "Asia/Kathmandu"\n[[rows]]\nfrom = "00:00"\nto = "24:00"\nusd_per_kwh = -0.2\n'
    )
    return path


@pytest.mark.slow
def test_a_run_with_files_of_rates_and_the_same_run_at_others(
    board: FakeNvml,
    engine: WorkingEngine,
    sums: Callable[[int], Path],
    series: Path,
    tariff: Path,
    tmp_path: Path,
) -> None:
    out = tmp_path / "run"
    rates = ["--grid-series", str(series), "--tariff", str(tariff), "--zone", "HOME"]
    rates += ["--embodied-kg", "1000", "--lifetime-years", "4"]
    done = joulemark(*bench(engine, sums(4), out, *rates), env=board.env)
    assert done.code == 0, done.err
    run = done.json
    kwh = run["joules_per_request"] / 3.6e6
    assert run["gco2e_per_request"] == pytest.approx(250 * kwh)
    assert run["usd_per_request"] == pytest.approx(-0.2 * kwh)
    assert run["embodied_gco2e_per_request"] == pytest.approx(
        run["duration_s"] / (4 * 31_557_600) * 1e6 / run["n_requests"]
    )
    assert (run["rates"]["gco2e_per_kwh"], run["rates"]["grid_zone"]) == (pytest.approx(250), "HOME")
    assert all(step["rate"] == 250 for step in run["rates"]["grid_series"])
    page = (out / "report.html").read_text("utf-8")
    for told in ("grid.csv", "Asia/Kathmandu", "using it was paid for", "Embodied CO2e per request"):
        assert told in page

    # the record has what it takes to say the same again, and no single number of its own making
    recorded = RunLayout(out).read_manifest().rates
    assert (recorded.gco2e_per_kwh, recorded.usd_per_kwh) == (None, None)
    for path in (series, tariff):
        path.unlink()
    again = joulemark("report", out, "--json").json
    for name in ("gco2e_per_request", "usd_per_request", "embodied_gco2e_per_request"):
        assert again[name] == run[name]

    # other rates, and a series of another year: nothing stands in for what it lacks
    france = joulemark("report", out, "--zone", "fr", "--usd-per-kwh", "0.3", "--json").json
    assert france["gco2e_per_request"] == pytest.approx(grid_intensity("FRA").gco2e_per_kwh * kwh)
    assert france["usd_per_request"] == pytest.approx(0.3 * kwh)
    assert france["rates"]["grid_series"] == france["rates"]["tariff"] == []
    series.write_text(
        json.dumps([{"datetime": f"2020-01-01T0{k}:00Z", "carbonIntensity": 9} for k in (0, 1)])
    )
    old = joulemark("report", out, "--grid-series", series, "--json").json
    assert old["gco2e_per_request"] is None
    assert "2020-01-01T00:00Z to 2020-01-01T02:00Z" in old["reasons"]["gco2e_per_request"]["detail"]
    assert old["usd_per_request"] == run["usd_per_request"]


def test_bad_files_are_told_before_anything_is_measured(
    engine: WorkingEngine, sums: Callable[[int], Path], tmp_path: Path
) -> None:
    bad = tmp_path / "bad.csv"
    bad.write_text("time,g/kWh\n2026-11-29T20:00,5\n")
    out = tmp_path / "run"
    for options, said in (
        (["--grid-series", str(bad)], "line 2"),
        (["--lifetime-years", "0"], "--lifetime-years"),
    ):
        done = joulemark(*bench(engine, sums(2), out, *options))
        assert done.code == 2
        assert said in done.err
        assert not out.exists()
