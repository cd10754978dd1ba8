"""Files of rates: what real services write is read, gaps stay gaps, and bad rows are named by their line."""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from joulemark.metrics.rate_steps import mean_rate, utc_ns, utc_text
from joulemark.rates import files as rate_files
from joulemark.rates.columns import Kind
from joulemark.rates.series import RateSeries, read_series
from joulemark.record.errors import InputError

DAY = [(utc_ns("2026-11-29T00:00Z"), utc_ns("2026-11-30T00:00Z"))]
HOUR = [(utc_ns("2026-11-29T20:10Z"), utc_ns("2026-11-29T20:50Z"))]


def read(
    tmp_path: Path,
    text: str | bytes,
    kind: Kind = "grid",
    spans: list[tuple[int, int]] = DAY,
    name: str = "s.csv",
) -> RateSeries:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    option = "--grid-series" if kind == "grid" else "--tariff"
    return read_series(path, option, kind, spans)


def rows(series: RateSeries) -> list[tuple[str, str, float]]:
    return [(step.from_utc[11:-1], step.to_utc[11:-1], step.rate) for step in series.steps]


ELECTRICITY_MAPS = (
    "Datetime (UTC),Country,Zone name,Zone id,Carbon intensity gCO₂eq/kWh (direct),"
    "Carbon intensity gCO₂eq/kWh (Life cycle),Carbon-free energy percentage (CFE%)\n"
    "2026-11-29 20:00:00,France,France,FR,20.5,44.5,95\n"
    "2026-11-29 21:00:00,France,France,FR,21.5,45.5,95\n"
)
UK = {
    "data": [
        {
            "from": "2026-11-29T20:00Z",
            "to": "2026-11-29T20:30Z",
            "intensity": {"forecast": 266, "actual": 263, "index": "moderate"},
        },
        {
            "from": "2026-11-29T20:30Z",
            "to": "2026-11-29T21:00Z",
            "intensity": {"forecast": 270, "actual": None, "index": "moderate"},
        },
    ]
}


def test_a_download_of_electricity_maps_counts_the_life_cycle(tmp_path: Path) -> None:
    series = read(tmp_path, ELECTRICITY_MAPS)
    assert rows(series) == [("20:00", "21:00", 44.5), ("21:00", "22:00", 45.5)]
    assert series.source == "s.csv, series in steps of 60 min, 2026-11-29T20:00Z to 2026-11-29T22:00Z"


def test_the_history_of_its_interface(tmp_path: Path) -> None:
    history = [
        {"zone": "DE", "carbonIntensity": 302, "datetime": "2026-11-29T20:00:00.000Z", "isEstimated": False},
        {"zone": "DE", "carbonIntensity": 318, "datetime": "2026-11-29T21:00:00.000Z", "isEstimated": True},
    ]
    for document in ({"zone": "DE", "history": history}, {"data": history}, history):
        series = read(tmp_path, json.dumps(document), name="s.json")
        assert rows(series) == [("20:00", "21:00", 302.0), ("21:00", "22:00", 318.0)]


def test_the_british_service_actual_before_forecast_and_the_forecasts_counted(tmp_path: Path) -> None:
    for document in (UK, {"data": {"regionid": 3, "data": UK["data"]}}):
        series = read(tmp_path, json.dumps(document), name="uk.json")
        assert rows(series) == [("20:00", "20:30", 263.0), ("20:30", "21:00", 270.0)]
        assert "1 of 2 steps forecast" in series.source
    text = (
        "Datetime (UTC),Actual Carbon Intensity (gCO2/kWh),Forecast Carbon Intensity (gCO2/kWh),Index\n"
        "2026-11-29T20:00Z,263,266,moderate\n2026-11-29T20:30Z,,270,moderate\n"
    )
    assert rows(read(tmp_path, text)) == [("20:00", "20:30", 263.0), ("20:30", "21:00", 270.0)]


@pytest.mark.parametrize(
    ("header", "value", "g_per_kwh"),
    [
        ("gco2e_per_kwh", "344", 344.0),
        ("g/kWh", "344", 344.0),
        ("kgCO2e/kWh", "0.344", 344.0),
        ("kg_co2_per_kwh", "0.344", 344.0),
        ("kgCO2eq per MWh", "344", 344.0),
        ("tCO2/MWh", "0.344", 344.0),
        ("lb/MWh", "758.3914", 344.0),
        ("carbon_intensity_avg", "344", 344.0),
    ],
)
def test_units_are_in_the_header(tmp_path: Path, header: str, value: str, g_per_kwh: float) -> None:
    text = f"timestamp_utc,{header}\n2026-11-29T20:00,{value}\n2026-11-29T21:00,{value}\n"
    (one,) = read(tmp_path, text).steps
    assert one.rate == pytest.approx(g_per_kwh, rel=1e-5)


@pytest.mark.parametrize(
    ("header", "value", "usd"),
    [("usd_per_kwh", "0.3", 0.3), ("$/kWh", "0.3", 0.3), ("Price (USD/MWh)", "-12.5", -0.0125)],
)
def test_prices_may_be_negative(tmp_path: Path, header: str, value: str, usd: float) -> None:
    text = f"from,to,{header}\n2026-11-29T20:00Z,2026-11-29T21:00Z,{value}\n"
    (one,) = read(tmp_path, text, "tariff").steps
    assert one.rate == pytest.approx(usd)


def test_order_offsets_marks_and_line_ends_do_not_matter(tmp_path: Path) -> None:
    plain = "time,g/kWh\n2026-11-29T20:00Z,1\n2026-11-29T21:00Z,2\n2026-11-29T22:00Z,3\n"
    mixed = (
        "\ufefftime;g/kWh\r\n2026-11-29T23:00+01:00;3,0\r\n\r\n2026-11-29T15:00-05:00;1,0\r\n"
        "2026-11-30T02:30+05:30;2,0\r\n2026-11-29T21:00Z;2\r\n"
    )
    assert rows(read(tmp_path, mixed)) == rows(read(tmp_path, plain))


def test_an_hour_that_comes_twice_in_autumn_is_two_hours(tmp_path: Path) -> None:
    text = (
        "time,g/kWh\n2026-10-25T01:00+02:00,1\n2026-10-25T02:00+02:00,2\n2026-10-25T02:00+01:00,3\n"
        "2026-10-25T03:00+01:00,4\n"
    )
    spans = [(utc_ns("2026-10-24T00:00Z"), utc_ns("2026-10-26T00:00Z"))]
    assert rows(read(tmp_path, text, spans=spans)) == [
        ("23:00", "00:00", 1.0),
        ("00:00", "01:00", 2.0),
        ("01:00", "02:00", 3.0),
        ("02:00", "03:00", 4.0),
    ]


def test_missing_rows_and_empty_cells_are_gaps(tmp_path: Path) -> None:
    text = "time_utc,g/kWh\n" + "".join(
        f"2026-11-29T{hour:02}:00,{value}\n"
        for hour, value in ((16, "1"), (17, "2"), (18, "NaN"), (19, ""), (20, "5"), (22, "7"))
    )
    series = read(tmp_path, text)
    assert rows(series) == [
        ("16:00", "17:00", 1.0),
        ("17:00", "18:00", 2.0),
        ("20:00", "21:00", 5.0),
        ("22:00", "23:00", 7.0),
    ]
    assert "with gaps" in series.source
    for begin, end in (("17:30", "18:30"), ("20:59", "21:01"), ("22:30", "23:01")):
        part = (utc_ns(f"2026-11-29T{begin}Z"), utc_ns(f"2026-11-29T{end}Z"), 1.0)
        assert mean_rate(series.steps, [part]) is None
    assert mean_rate(series.steps, [(utc_ns("2026-11-29T22:30Z"), utc_ns("2026-11-29T23:00Z"), 1.0)]) == 7


def test_only_what_concerns_the_run_is_kept_and_the_rest_is_known_to_be_there(tmp_path: Path) -> None:
    text = "time_utc,g/kWh\n" + "".join(f"2026-11-29T{hour:02}:00,{hour}\n" for hour in range(24))
    series = read(tmp_path, text, spans=HOUR)
    assert rows(series) == [("20:00", "21:00", 20.0)]
    assert "2026-11-29T00:00Z to 2026-11-30T00:00Z" in series.source
    before = [(utc_ns("2026-11-28T20:00Z"), utc_ns("2026-11-28T21:00Z"))]
    outside = read(tmp_path, text, spans=before)
    assert outside.steps == ()
    assert outside.source == series.source


def test_equal_neighbours_are_one_step_and_equal_rows_one_row(tmp_path: Path) -> None:
    text = "time_utc,g/kWh\n2026-11-29T20:00,5\n2026-11-29T21:00,5\n2026-11-29T21:00,5\n2026-11-29T22:00,6\n"
    assert rows(read(tmp_path, text)) == [("20:00", "22:00", 5.0), ("22:00", "23:00", 6.0)]


HEAD = "time_utc,g/kWh\n2026-11-29T20:00,5\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (HEAD + "2026-11-29T20:00,6\n", "lines 2 and 3 differ"),
        (HEAD + "yesterday,6\n", "line 3: 'yesterday' is no time"),
        ("time,g/kWh\n2026-11-29T20:00,5\n", "line 2: '2026-11-29T20:00' is no time with an offset"),
        (HEAD + "2026-02-30T20:00,6\n", "line 3"),
        (HEAD + "1026-02-20T20:00,6\n", "1990 to 2200"),
        (HEAD + "2026-11-29T21:00,much\n", "line 3: 'much' under 'g/kWh' is no number"),
        (HEAD + "2026-11-29T21:00,inf\n", "is no number"),
        (HEAD + "2026-11-29T21:00,1_0\n", "line 3: '1_0' under 'g/kWh' is no number"),
        (HEAD + "2026-11-29T21:00,\u0661\n", "is no number"),
        (HEAD + f"2026-11-29T21:00,{'9' * 5000}\n", "is no number"),
        (HEAD + "2026-11-29T21:00,20000\n", "lies outside 0 to 10,000 g/kWh"),
        (HEAD + "2026-11-29T21:00,1e999\n", "lies outside"),
        (HEAD + "2026-11-29T21:00,-1\n", "lies outside"),
        (HEAD + "2026-11-29T21:00\n", "line 3: 1 cells under 2 columns"),
        (HEAD + '2026-11-29T21:00,"5\n', "line"),
        (HEAD, "does not say how long"),
        ("time_utc,g/kWh\n", "no rows"),
        ("", "no header"),
        ("\n\n", "no header"),
        ("time_utc,intensities\n2026-11-29T20:00,5\n", "no column in g/kWh"),
        ("time_utc,g/kWh,G/kWh\n2026-11-29T20:00,5,6\n", "two of its columns have one name"),
        ("when,g/kWh\n2026-11-29T20:00,5\n", "no column of times"),
        (
            "from,to,g/kWh\n2026-11-29T20:00Z,2026-11-29T22:00Z,5\n2026-11-29T21:00Z,2026-11-29T22:00Z,5\n",
            "lines 2 and 3 overlap",
        ),
        ("from,to,g/kWh\n2026-11-29T20:00Z,2026-11-29T19:00Z,5\n", "line 2: it ends before it begins"),
        ("{", "line 1"),
        ("[]", "no list of records"),
        ('{"error": "no such zone"}', "no list of records"),
        ('[{"datetime": "2026-11-29T20:00Z", "carbonIntensity": true}]', "record 1"),
        ('[{"datetime": 5, "carbonIntensity": 4}]', "record 1"),
        ('[{"datetime": null, "carbonIntensity": 4}]', "record 1"),
        ('[{"datetime": "2026-11-29T20:00Z", "carbonIntensity": [4]}]', "record 1"),
        ("[" * 100_000, "line 1"),
        (b"\xff\xfet\x00", "binary"),
        (b"PK\x03\x04rest", "binary"),
        (b"time_utc,g/kWh\n2026\x00,4", "binary"),
        (b"time_utc,g/kWh\n2026-11-29T20:00,\xe9\n", "line 2: it is no UTF-8"),
        ("x," * 200_000, "cannot be used"),
        ('time_utc,g/kWh\n"' + "9" * 200_000, "cannot be used"),
    ],
)
def test_what_is_no_series_is_refused_with_its_line_and_a_fix(
    tmp_path: Path, text: str | bytes, said: str
) -> None:
    with pytest.raises(InputError) as error:
        read(tmp_path, text)
    assert said in str(error.value)
    assert "--grid-series s.csv" in error.value.what
    assert error.value.fix
    assert len(str(error.value)) < 1200


@pytest.mark.parametrize("header", ["EUR/kWh", "price (€/MWh)", "ct/kWh", "pence per kWh"])
def test_another_currency_is_not_taken_for_dollars(tmp_path: Path, header: str) -> None:
    with pytest.raises(InputError, match="another currency or in cents"):
        read(tmp_path, f"time_utc,{header}\n2026-11-29T20:00,5\n2026-11-29T21:00,5\n", "tariff")


def test_two_prices_are_one_too_many(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="several columns are prices"):
        read(tmp_path, "time_utc,buy usd/kwh,sell usd/kwh\n2026-11-29T20:00,5,4\n", "tariff")


@pytest.mark.parametrize(
    "header",
    [
        "gco2e_per_kwh,kgco2e_per_kwh",
        "carbon_intensity,g/kWh",
        "coal g/kWh,gas g/kWh",
        "actual,forecast g/kWh,forecast kg/kWh",
    ],
)
def test_two_intensities_of_one_kind_are_one_too_many(tmp_path: Path, header: str) -> None:
    cells = ",".join("5" for _ in header.split(","))
    with pytest.raises(InputError, match="two columns are the same intensity") as error:
        read(tmp_path, f"time_utc,{header}\n2026-11-29T20:00,{cells}\n2026-11-29T21:00,{cells}\n")
    assert header.split(",")[-1] in error.value.why


def test_a_forecast_of_another_intensity_stands_in_for_nothing(tmp_path: Path) -> None:
    text = "time_utc,g/kWh,marginal forecast g/kWh\n2026-11-29T20:00,5,900\n2026-11-29T21:00,,900\n"
    assert rows(read(tmp_path, text)) == [("20:00", "21:00", 5.0)]


def test_places_that_are_no_file(tmp_path: Path) -> None:
    for path in (tmp_path, tmp_path / "absent.csv", Path("")):
        with pytest.raises(InputError) as error:
            read_series(path, "--grid-series", "grid", DAY)
        assert "--grid-series" in error.value.fix


def test_a_file_beyond_the_limit_is_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rate_files, "MAX_BYTES", 100)
    with pytest.raises(InputError, match="cut it to the weeks"):
        read(tmp_path, HEAD + "2026-11-29T21:00,5\n" * 20)


def test_a_long_file_keeps_little(tmp_path: Path) -> None:
    """Months of minutes: what is kept is what concerns the run."""
    first = utc_ns("2026-11-20T00:00Z")
    lines = (f"{utc_text(first + k * 60 * 10**9)},{k % 500}\n" for k in range(20_000))
    series = read(tmp_path, "time,g/kWh\n" + "".join(lines), spans=HOUR)
    assert len(series.steps) == 40
    assert series.steps[0].from_utc == "2026-11-29T20:10Z"


def test_too_fine_a_series_around_a_run_that_is_to_come(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("joulemark.rates.series.MAX_STEPS", 10)
    text = "time_utc,g/kWh\n" + "".join(f"2026-11-29T{hour:02}:00,{hour}\n" for hour in range(24))
    with pytest.raises(InputError, match=r"joulemark report RUN --grid-series FILE"):
        read(tmp_path, text)
    assert len(read(tmp_path, text, spans=HOUR).steps) == 1


@settings(deadline=None, max_examples=200)
@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_any_bytes_are_a_series_or_a_plain_error(
    tmp_path_factory: pytest.TempPathFactory, data: bytes
) -> None:
    path = tmp_path_factory.mktemp("any") / "f.csv"
    for text in (data, b"time_utc,g/kWh\n" + data, b'[{"datetime": "' + data):
        path.write_bytes(text)
        with suppress(InputError):
            series = read_series(path, "--grid-series", "grid", DAY)
            assert all(0 <= step.rate <= 10_000 for step in series.steps)
