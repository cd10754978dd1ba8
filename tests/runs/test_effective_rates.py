"""Rates that change over a run of several segments, against figures worked out by hand."""

from __future__ import annotations

import pytest

from doubles import run_views
from joulemark.metrics.rate_steps import utc_ns, utc_text
from joulemark.record.energy import MeasuredEnergy, Withheld
from joulemark.record.manifest import Manifest, Rates, RateStep, Segment, Window
from joulemark.record.telemetry import Quantity, Reading
from joulemark.runs.effective_rates import effective_rates, rates_of_run, wall_spans
from joulemark.runs.run_energy import RunEnergy
from joulemark.telemetry.timeline import Timeline

S = 1_000_000_000
# The clock of each boot begins elsewhere; the second day goes on with what the first left.
BEGINS = ((5_000 * S, utc_ns("2026-11-29T20:59:00Z")), (77 * S, utc_ns("2026-11-30T08:59:30Z")))
LENGTH_S = (120, 60)
# watts before and after the full hour, which strikes 60 s into the first window and 30 s into the second
WATTS = ((100.0, 300.0), (50.0, 250.0))
TURN_S = (60, 30)
JOULES = (100.0 * 60, 300.0 * 60, 50.0 * 30, 250.0 * 30)


def step(begin: str, end: str, rate: float) -> RateStep:
    return RateStep(from_utc=begin, to_utc=end, rate=rate)


HOURLY = [
    step("2026-11-29T20:00Z", "2026-11-29T21:00Z", 100.0),
    step("2026-11-29T21:00Z", "2026-11-29T22:00Z", 400.0),
    step("2026-11-30T08:00Z", "2026-11-30T09:00Z", 900.0),
    step("2026-11-30T09:00Z", "2026-11-30T10:00Z", 50.0),
]


def described(rates: Rates, n_segments: int = 2) -> Manifest:
    segments, windows = [], []
    for k in range(n_segments):
        t0, wall_ns = BEGINS[k]
        # the segment began 40 s before its window, on both clocks
        segments.append(
            Segment(
                index=k,
                boot_id=f"boot {k}",
                host_hash="9a1f",
                wall_anchor_ns=wall_ns - 40 * S,
                t0=t0 - 40 * S,
                t1=t0 + 600 * S,
                end="done",
            )
        )
        windows.append(Window(name="warmup", segment=k, t0=t0 - 30 * S, t1=t0 - 10 * S))
        windows.append(Window(name="measure", segment=k, t0=t0, t1=t0 + LENGTH_S[k] * S))
    return run_views.manifest(
        segments=segments,
        windows=windows,
        meters=[run_views.meter(segment=k) for k in range(n_segments)],
        devices=[run_views.device(segment=k) for k in range(n_segments)],
        rates=rates,
    )


def measured(manifest: Manifest, period_s: float = 0.1, *, lost: bool = False) -> RunEnergy:
    """The energy that a counter saw, read every ``period_s``, from before each window to after it."""
    readings = []
    for segment in manifest.segments:
        before, after = WATTS[segment.index]
        t0 = BEGINS[segment.index][0]
        turn = TURN_S[segment.index]
        for tick in range(round((LENGTH_S[segment.index] + 20) / period_s)):
            at_s = tick * period_s - 10
            joules = before * min(at_s, turn) + after * max(0.0, at_s - turn) + 10_000
            t_ns = t0 + round(at_s * S)
            values = {
                Quantity.ENERGY_J.value: joules,
                Quantity.POWER_W.value: before if at_s < turn else after,
            }
            if not lost or at_s < 5:
                readings.append(Reading(segment.index, t_ns, "nvml:0", "gpu:0", values))
    return RunEnergy(Timeline.from_readings(readings), manifest)


def test_segments_of_two_days_weigh_each_step_by_its_energy() -> None:
    manifest = described(Rates(grid_series=HOURLY, grid_source="a file"))
    energy = measured(manifest)
    total = energy.total()
    assert isinstance(total, MeasuredEnergy)
    assert total.joules == pytest.approx(sum(JOULES), rel=1e-3)
    found = effective_rates(manifest, energy)
    assert found is not None
    mean = sum(j * step.rate for j, step in zip(JOULES, HOURLY, strict=True)) / sum(JOULES)
    assert found.gco2e_per_kwh == pytest.approx(mean, rel=2e-3)
    # a mean over time, and one over the first segment alone, are other numbers
    assert found.gco2e_per_kwh != pytest.approx((60 * 500 + 30 * 950) / 180, rel=0.05)
    assert found.gco2e_per_kwh != pytest.approx((6 * 100 + 18 * 400) / 24, rel=0.05)
    assert manifest.rates.gco2e_per_kwh is None


def test_a_tariff_with_a_negative_hour_beside_a_flat_intensity() -> None:
    prices = [s.model_copy(update={"rate": r}) for s, r in zip(HOURLY, (0.3, -0.2, 0.4, -0.1), strict=True)]
    manifest = described(Rates(tariff=prices, electricity_source="a file", gco2e_per_kwh=44.0))
    found = effective_rates(manifest, measured(manifest))
    assert found is not None
    paid = sum(j * step.rate for j, step in zip(JOULES, prices, strict=True)) / sum(JOULES)
    assert paid < 0
    assert found.usd_per_kwh == pytest.approx(paid, rel=5e-3)
    assert found.gco2e_per_kwh == 44.0


@pytest.mark.parametrize("left_out", range(4))
def test_one_hour_that_the_series_lacks_leaves_the_mean_unknown(left_out: int) -> None:
    series = [step for k, step in enumerate(HOURLY) if k != left_out]
    manifest = described(Rates(grid_series=series, grid_source="a file"))
    found = effective_rates(manifest, measured(manifest))
    assert found is not None
    assert found.gco2e_per_kwh is None


def test_flat_rates_need_no_mean() -> None:
    manifest = described(Rates(gco2e_per_kwh=44.0, usd_per_kwh=0.3))
    assert effective_rates(manifest, measured(manifest)) is None
    assert rates_of_run(manifest) is manifest.rates


def test_parts_that_the_meter_cannot_tell_share_their_window_by_time() -> None:
    """A gauge that was read before and after, and not around the full hour."""
    manifest = described(Rates(grid_series=HOURLY, grid_source="a file"), n_segments=1)
    energy = measured(manifest)
    whole = energy.of

    def coarse(spans, method=None):  # type: ignore[no-untyped-def]
        found = whole(spans, method)
        return found if len(spans) == 1 else [found[0], Withheld(run_views.Reason.SHORTER_THAN_STEP)]

    energy.of = coarse  # type: ignore[method-assign]
    found = effective_rates(manifest, energy)
    assert found is not None
    assert found.gco2e_per_kwh == pytest.approx(250)


def test_without_joules_the_mean_is_over_time_and_stops_nothing() -> None:
    manifest = described(Rates(grid_series=HOURLY, grid_source="a file"), n_segments=1)
    energy = measured(manifest, lost=True)
    assert isinstance(energy.total(), Withheld)
    found = effective_rates(manifest, energy)
    assert found is not None
    assert found.gco2e_per_kwh == pytest.approx(250)


def test_a_run_without_measured_windows() -> None:
    manifest = described(Rates(grid_series=HOURLY, grid_source="a file"), n_segments=1)
    manifest.windows = manifest.windows[:1]
    found = effective_rates(manifest, measured(manifest))
    assert found is not None
    assert found.gco2e_per_kwh is None


def test_only_the_steps_that_hold_while_measuring_are_kept() -> None:
    around = [
        step("2026-11-29T19:00Z", "2026-11-29T20:00Z", 1.0),
        *HOURLY,
        step("2026-11-29T22:00Z", "2026-11-30T08:00Z", 2.0),
        step("2026-11-30T10:00Z", "2026-11-30T11:00Z", 3.0),
    ]
    manifest = described(Rates(grid_series=around, tariff=around[:1], grid_source="a file"))
    kept = rates_of_run(manifest)
    assert kept.grid_series == HOURLY
    assert kept.tariff == []
    assert kept.grid_source == "a file"
    # what is kept gives the same figure: it can be recomputed from the record
    energy = measured(manifest)
    before = effective_rates(manifest, energy)
    manifest.rates = kept
    after = effective_rates(manifest, energy)
    assert before is not None
    assert after is not None
    assert before.gco2e_per_kwh == after.gco2e_per_kwh


def test_when_a_run_measured_by_the_wall_clock() -> None:
    spans = wall_spans(described(Rates()))
    assert [(utc_text(a), utc_text(b)) for a, b in spans] == [
        ("2026-11-29T20:59Z", "2026-11-29T21:01Z"),
        ("2026-11-30T08:59:30Z", "2026-11-30T09:00:30Z"),
    ]
