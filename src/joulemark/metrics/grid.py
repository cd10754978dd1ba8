"""How much CO2-equivalent a kilowatt-hour carries, by zone: a dated table, each row with its source."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import MappingProxyType

WORLD = "WORLD"
_NEAR = 8


@dataclass(frozen=True, slots=True)
class GridIntensity:
    """The yearly mean of one zone's grid; two tables differ by 4 to 27 % for the same zone and year.

    ``zone`` is an ISO 3166-1 code of three letters, ``US-`` and a state's two letters, or ``WORLD``;
    ``alpha2`` the country's two letters, else empty. ``basis`` says what is counted: ``life cycle`` (fuel
    supply and building of the plants too), or the direct emissions of the plants, which are lower.
    """

    zone: str
    name: str
    gco2e_per_kwh: float
    year: int
    source: str
    licence: str
    basis: str
    alpha2: str = ""

    @property
    def credit(self) -> str:
        """The attribution that its licence asks for, with the year and what is counted, in one line."""
        return f"{self.source}; data of {self.year}, {self.basis}; {self.licence}"


@cache
def grid_table() -> Mapping[str, GridIntensity]:
    """Return every zone there is, by its code."""
    from joulemark.metrics.grid_table import (
        ORIGINS,
        ROWS,
    )  # loaded by those who name a zone, not by every start

    return MappingProxyType(
        {
            zone: GridIntensity(zone, name, value, year, *ORIGINS[origin], alpha2)
            for zone, alpha2, name, value, year, origin in ROWS
        }
    )


def grid_intensity(zone: str) -> GridIntensity:
    """Return a zone's intensity: an ISO 3166-1 code of three or two letters, ``US-CA``, ``WORLD``; any case.

    Raises ``KeyError`` where there is none; `near_zones` lists those that may be meant.
    """
    wanted = zone.strip().upper().replace("_", "-")
    found = grid_table().get(wanted) or _by_alpha2().get(wanted)
    if found is None:
        raise KeyError(zone)
    return found


def near_zones(zone: str) -> list[GridIntensity]:
    """Return the zones that an unknown one may mean, by code or by name; the likeliest first."""
    wanted = zone.strip().casefold()
    if not wanted:
        return []
    rows = grid_table()
    by_word = {word.casefold(): row for row in rows.values() for word in (row.zone, row.name)}
    inside = [row for word, row in by_word.items() if len(wanted) > 2 and wanted in word]
    alike = [by_word[word] for word in difflib.get_close_matches(wanted, by_word, n=_NEAR, cutoff=0.6)]
    return list({row.zone: row for row in (*inside, *alike)}.values())[:_NEAR]


@cache
def _by_alpha2() -> Mapping[str, GridIntensity]:
    return {row.alpha2: row for row in grid_table().values() if row.alpha2}
