"""The script that writes the grid table: newest year a zone, units, and nothing that cannot be."""

from __future__ import annotations

import json
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

TOOLS = Path(__file__).parents[2] / "tools"
SCRIPT = TOOLS / "grid_table.py"

ENERGY_DATA = """country,year,iso_code,population,carbon_intensity_elec
France,2022,FRA,1,70.5
France,2024,FRA,1,44.179
France,2025,FRA,1,
World,2024,,1,471.08
World,2025,,1,458.29
ASEAN (Ember),2025,,1,565.01
Central African Republic,2022,CAF,1,0.000
Namibia,2022,NAM,1,59.26
"""
CHART = """alpha-2,Year,Entity,Code,Carbon intensity of electricity (gCO2eq/kWh)
FR,2024,France,FRA,99
DE,2024,Germany,DEU,344.13992
"""
EGRID = {
    "_unit": {"emissions": "lbs/MWh"},
    "_source": {"year": 2023},
    "district of columbia": {"emissions": 395.011, "regionCode": "DC"},
    "usa": {"emissions": 770.884, "regionCode": "usa"},
}


def write(tmp_path: Path, *arguments: str) -> dict[str, object]:
    out = tmp_path / "table.py"
    done = subprocess.run([sys.executable, SCRIPT, *arguments, "--out", out], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return runpy.run_path(str(out))


@pytest.fixture
def energy_data(tmp_path: Path) -> Path:
    path = tmp_path / "owid-energy-data.csv"
    path.write_text("\ufeff" + ENERGY_DATA, "utf-8")
    return path


def test_the_newest_year_of_each_zone_and_its_origin(tmp_path: Path, energy_data: Path) -> None:
    chart = tmp_path / "chart.csv"
    chart.write_text(CHART)
    states = tmp_path / "states.json"
    states.write_text(json.dumps(EGRID))
    table = write(
        tmp_path,
        "--owid",
        str(energy_data),
        "energy",
        "--owid",
        str(chart),
        "chart",
        "--egrid",
        str(states),
        "EPA",
    )
    rows = {row[0]: row[1:] for row in table["ROWS"]}  # type: ignore[attr-defined]
    origins = table["ORIGINS"]
    assert rows["FRA"][:4] == ("FR", "France", 44.18, 2024)
    assert rows["WORLD"][:4] == ("", "World", 458.29, 2025)
    assert rows["NAM"][:2] == ("NA", "Namibia")
    assert rows["US-DC"][:4] == ("", "District of Columbia", 179.17, 2023)
    assert list(rows) == [
        "DEU",
        "FRA",
        "NAM",
        "US-DC",
        "WORLD",
    ]  # no aggregates, no zeros, not the states' sum
    assert [origins[rows[zone][4]][0] for zone in ("FRA", "DEU", "US-DC")] == ["energy", "chart", "EPA"]  # type: ignore[index]
    assert origins[rows["US-DC"][4]][1].startswith("public domain")  # type: ignore[index]


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "iso_code,year,country,carbon_intensity_elec\nFRA,2024,France,99999\n"]
)
def test_another_file_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.csv"
    path.write_text(text)
    done = subprocess.run(
        [sys.executable, SCRIPT, "--owid", path, "x", "--out", tmp_path / "t.py"],
        capture_output=True,
        text=True,
    )
    assert done.returncode != 0
    assert not (tmp_path / "t.py").exists()


def test_every_origin_of_the_table_is_credited_in_the_notice() -> None:
    from joulemark.metrics.grid_table import ORIGINS

    notice = (TOOLS.parent / "NOTICE").read_text("utf-8")
    for source, licence, _ in ORIGINS:
        assert source in notice
        assert licence in notice
