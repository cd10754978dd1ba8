"""Tariffs by time of use: local clocks, days, midnight, and the two nights on which clocks change."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.metrics.rate_steps import mean_rate, utc_ns
from joulemark.rates.series import RateSeries
from joulemark.rates.time_of_use import EXAMPLE, read_tariff
from joulemark.record.errors import InputError

DAY_AND_NIGHT = """
time_zone = "Europe/Berlin"
name = "House tariff"
[[rows]]
from = "06:00"
to = "22:00"
usd_per_kwh = 0.34
[[rows]]
from = 22:00:00
to = 06:00:00
usd_per_kwh = -0.02
"""


def tariff(tmp_path: Path, text: str, begin: str, end: str) -> RateSeries:
    path = tmp_path / "house.toml"
    path.write_text(text)
    return read_tariff(path, [(utc_ns(begin), utc_ns(end))])


def rows(series: RateSeries) -> list[tuple[str, str, float]]:
    return [(step.from_utc, step.to_utc, step.rate) for step in series.steps]


def test_a_winter_day(tmp_path: Path) -> None:
    series = tariff(tmp_path, DAY_AND_NIGHT, "2026-11-29T20:30Z", "2026-11-30T06:00Z")
    assert rows(series) == [
        ("2026-11-29T20:30Z", "2026-11-29T21:00Z", 0.34),
        ("2026-11-29T21:00Z", "2026-11-30T05:00Z", -0.02),
        ("2026-11-30T05:00Z", "2026-11-30T06:00Z", 0.34),
    ]
    assert series.source == "House tariff, time of use, Europe/Berlin"


@pytest.mark.parametrize(
    ("night", "begins", "ends", "hours"),
    [
        ("2026-03-28T12:00Z", "2026-03-28T21:00Z", "2026-03-29T04:00Z", 7),  # 02:00 to 03:00 is skipped
        ("2026-10-24T12:00Z", "2026-10-24T20:00Z", "2026-10-25T05:00Z", 9),  # it comes twice
    ],
)
def test_nights_on_which_clocks_change(
    tmp_path: Path, night: str, begins: str, ends: str, hours: int
) -> None:
    series = tariff(tmp_path, DAY_AND_NIGHT, night, night[:8] + f"{int(night[8:10]) + 1}T12:00Z")
    (low,) = [step for step in series.steps if step.rate < 0]
    assert (low.from_utc, low.to_utc) == (begins, ends)
    assert (utc_ns(low.to_utc) - utc_ns(low.from_utc)) / 3.6e12 == hours


def test_a_price_of_the_hour_that_comes_twice_holds_twice_and_of_the_skipped_one_never(
    tmp_path: Path,
) -> None:
    text = """
time_zone = "Europe/Berlin"
[[rows]]
from = "02:00"
to = "03:00"
usd_per_kwh = 9
[[rows]]
from = "03:00"
to = "02:00"
usd_per_kwh = 1
"""
    autumn = tariff(tmp_path, text, "2026-10-24T23:00Z", "2026-10-25T03:00Z")
    assert rows(autumn)[1] == ("2026-10-25T00:00Z", "2026-10-25T02:00Z", 9.0)
    spring = tariff(tmp_path, text, "2026-03-28T22:00Z", "2026-03-29T06:00Z")
    assert {step.rate for step in spring.steps} == {1.0}


def test_days_and_groups_of_them(tmp_path: Path) -> None:
    text = """
time_zone = "UTC"
[[rows]]
days = "weekdays"
from = "00:00"
to = "24:00"
usd_per_kwh = 3
[[rows]]
days = ["Saturday", "sun"]
from = "00:00"
to = "24:00"
usd_per_kwh = 1
"""
    series = tariff(tmp_path, text, "2026-11-27T22:00Z", "2026-11-30T02:00Z")  # a Friday to a Monday
    assert rows(series) == [
        ("2026-11-27T22:00Z", "2026-11-28T00:00Z", 3.0),
        ("2026-11-28T00:00Z", "2026-11-30T00:00Z", 1.0),
        ("2026-11-30T00:00Z", "2026-11-30T02:00Z", 3.0),
    ]


def test_hours_that_no_row_tells_are_gaps(tmp_path: Path) -> None:
    series = tariff(tmp_path, EXAMPLE, "2026-11-29T12:00Z", "2026-11-30T12:00Z")  # Sunday to Monday
    assert rows(series) == [("2026-11-30T05:00Z", "2026-11-30T12:00Z", 0.34)]
    night = (utc_ns("2026-11-30T04:59Z"), utc_ns("2026-11-30T05:01Z"), 1.0)
    assert mean_rate(series.steps, [night]) is None


def test_several_spans_give_each_step_once(tmp_path: Path) -> None:
    path = tmp_path / "house.toml"
    path.write_text(DAY_AND_NIGHT)
    at = utc_ns("2026-11-29T12:00Z")
    spans = [(at + 90 * 10**9, at + 170 * 10**9), (at, at + 100 * 10**9), (at + 10**13, at + 10**13 + 5)]
    series = read_tariff(path, spans)
    assert [step.from_utc for step in series.steps] == ["2026-11-29T12:00Z", "2026-11-29T14:46Z"]
    assert read_tariff(path, []).steps == ()


ROW = '[[rows]]\nfrom = "06:00"\nto = "22:00"\nusd_per_kwh = 0.3\n'
ZONE = 'time_zone = "Europe/Berlin"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (ROW, "`time_zone` is missing"),
        ('time_zone = "Europe/Atlantis"\n' + ROW, "Europe/Atlantis"),
        ('time_zone = "../../etc/passwd"\n' + ROW, "is not known here"),
        ('time_zone = ""\n' + ROW, "time"),
        (ZONE, "no [[rows]]"),
        (ZONE + "rows = 5\n", "no [[rows]]"),
        (ZONE + "rows = [5]\n", "row 1 is no table"),
        (ZONE + "currency = 'EUR'\n" + ROW, "`currency` is no field"),
        (ZONE + ROW + "eur_per_kwh = 1\n", "row 1: `eur_per_kwh` is no field"),
        (ZONE + ROW.replace("0.3", "nan"), "row 1: a price lies between"),
        (ZONE + ROW.replace("0.3", "1" + "0" * 400), "row 1: a price lies between"),
        (ZONE + ROW.replace("0.3", "1" + "0" * 5000), "thousands of digits"),
        (ZONE + ROW.replace("0.3", "1e9"), "row 1: a price lies between"),
        (ZONE + ROW.replace("0.3", "'0.3'"), "row 1: `usd_per_kwh` is no number"),
        (ZONE + ROW.replace("0.3", "true"), "row 1: `usd_per_kwh` is no number"),
        (ZONE + ROW.replace("06:00", "25:00"), "row 1: `from` is no time of day"),
        (ZONE + ROW.replace("06:00", "06:00:30"), "whole minutes"),
        (ZONE + ROW.replace("06:00", "22:00"), "row 1: it begins when it ends"),
        (ZONE + ROW.replace('from = "06:00"\n', ""), "row 1: `from` is no time of day"),
        (ZONE + ROW + "days = 'someday'\n", "'someday' is no day"),
        (ZONE + ROW + "days = [1]\n", "'1' is no day"),
        (ZONE + ROW + ROW, "rows 1 and 2 both hold at mon 06:00"),
        (
            ZONE + ROW + ROW.replace("06:00", "21:59") + "days = 'sun'\n",
            "rows 1 and 2 both hold at sun 21:59",
        ),
        ("time_zone = \n", "line 1"),
        (ZONE + "name = 5\n" + ROW, "`name` is no text"),
        ("a = " + "[" * 5000, "cannot be used"),
        ("\x00", "binary"),
    ],
)
def test_what_is_no_tariff_is_refused_with_an_example(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(InputError) as error:
        tariff(tmp_path, text, "2026-11-29T12:00Z", "2026-11-29T13:00Z")
    assert said in str(error.value)
    assert "--tariff house.toml" in error.value.what
    assert error.value.fix


def test_the_example_of_the_error_is_a_tariff(tmp_path: Path) -> None:
    assert tariff(tmp_path, EXAMPLE, "2026-11-30T12:00Z", "2026-11-30T13:00Z").steps[0].rate == 0.34


@settings(deadline=None, max_examples=60)
@given(
    st.integers(utc_ns("2026-01-01T00:00Z"), utc_ns("2027-01-01T00:00Z")),
    st.integers(1, 4 * 24 * 3600),
    st.sampled_from(["Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "UTC"]),
)
def test_a_tariff_of_the_whole_day_covers_any_time_and_is_bounded_by_its_prices(
    tmp_path_factory: pytest.TempPathFactory, begin_ns: int, seconds: int, zone: str
) -> None:
    path = tmp_path_factory.mktemp("any") / "t.toml"
    path.write_text(DAY_AND_NIGHT.replace("Europe/Berlin", zone))
    end_ns = begin_ns + seconds * 10**9
    series = read_tariff(path, [(begin_ns, end_ns)])
    mean = mean_rate(series.steps, [(begin_ns, end_ns, 1.0)])
    assert mean is not None
    assert -0.02 - 1e-9 <= mean <= 0.34 + 1e-9
