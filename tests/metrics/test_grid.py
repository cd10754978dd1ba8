import pytest

from joulemark.metrics.grid import GRID, grid_intensity


def test_a_zone_with_its_year_and_source():
    france = grid_intensity("fra")
    assert (france.zone, france.gco2e_per_kwh, france.year) == ("FRA", 56.0, 2023)
    assert "Our World in Data 2023" in france.source
    assert (grid_intensity("World").gco2e_per_kwh, grid_intensity("World").source) == (475.0, "IEA 2019")


def test_every_row_is_dated_and_plausible():
    assert set(GRID) == {"CHN", "DEU", "FRA", "GBR", "IND", "POL", "SWE", "USA", "WORLD"}
    for zone, row in GRID.items():
        assert row.zone == zone
        assert 10 < row.gco2e_per_kwh < 1000
        assert str(row.year) in row.source


def test_an_unknown_zone_names_the_known_ones():
    with pytest.raises(KeyError, match=r"no grid intensity for 'ATLANTIS'.*DEU, FRA"):
        grid_intensity("ATLANTIS")


def test_the_table_cannot_be_changed():
    with pytest.raises(TypeError):
        GRID["FRA"] = GRID["DEU"]
