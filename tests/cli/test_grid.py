"""``joulemark grid``: one zone, all of them, and zones that there are not."""

from __future__ import annotations

from doubles.user import joulemark


def test_one_zone_with_its_source() -> None:
    done = joulemark("grid", "fr")
    assert done.code == 0, done.err
    for told in ("FRA", "France", "g CO2e/kWh", "Our World in Data", "CC BY 4.0"):
        assert told in done.out
    assert joulemark("grid", "FRA", "--json").json["zone"] == "FRA"


def test_all_zones() -> None:
    rows = joulemark("grid", "--json").json
    assert {"WORLD", "USA", "US-CA", "DEU"} <= {row["zone"] for row in rows}
    assert all(row.keys() >= {"zone", "gco2e_per_kwh", "year", "source", "licence", "basis"} for row in rows)


def test_its_help_names_every_command_that_takes_a_zone() -> None:
    told = joulemark("grid", "--help").out
    takers = [["bench", "run"], ["report"], ["record"], ["calibrate"]]
    others = [["doctor"], ["watch"], ["export", "prometheus"], ["compare"]]
    assert [taker for taker in takers + others if "--zone" in joulemark(*taker, "--help").out] == takers
    for taker in takers:
        assert f"`{taker[0]}`" in told


def test_an_unknown_zone_is_told_with_near_ones() -> None:
    done = joulemark("grid", "germny")
    assert done.code == 2
    for told in ("germny", "DEU (Germany)", "joulemark grid", "--gco2e-per-kwh"):
        assert told in done.err
