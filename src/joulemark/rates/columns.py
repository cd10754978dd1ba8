"""Which columns of a file of rates hold the time and the rate, and in which unit: from their names alone."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from joulemark.rates.files import RateTable

Kind = Literal["grid", "tariff"]

_BEGIN = (
    "datetime",
    "timestamp",
    "from",
    "start",
    "begin",
    "valid from",
    "period start",
    "utc",
    "time",
    "date",
)
_END = ("to", "end", "until", "valid to", "period end")
_MASS_G = {"kg": 1e3, "kilogram": 1e3, "g": 1.0, "gram": 1.0, "t": 1e6, "tonne": 1e6, "lb": 453.59237}
_INTENSITY = re.compile(
    r"(?<![a-z])(kg|kilogram|g|gram|t|tonne|lb)s?\s*(?:co\s?2\s*-?\s*(?:e|eq|equivalents?)?\s*)?(?:/|per)\s*(kwh|mwh)"
)
_PRICE = re.compile(r"(?<![a-z])(usd|us\$|\$|us dollars?|dollars?)\s*(?:/|per)\s*(kwh|mwh)")
_OTHER_MONEY = re.compile(
    r"(?<![a-z])(eur|€|euros?|gbp|£|chf|sek|nok|dkk|pln|czk|jpy|¥|cny|inr|cad|aud|ct|cents?|pence|p)\s*(?:/|per)\s*(?:kwh|mwh)"
)
# as known services name it, always in g/kWh
_PLAIN = frozenset({"carbonintensity", "carbon intensity", "carbon intensity avg", "actual", "forecast"})
_PLAIN |= {"intensity.actual", "intensity.forecast"}


@dataclass(frozen=True, slots=True)
class RateColumn:
    """A column of rates; ``factor`` takes its numbers to g/kWh or USD/kWh. ``forecast``: not measured."""

    name: str
    factor: float
    forecast: bool = False


@dataclass(frozen=True, slots=True)
class RateColumns:
    """Where a file's columns are. ``utc``: stamps without an offset are UTC. ``end`` is null where none is.

    ``values`` are in order of preference: a row takes the first that it has.
    """

    begin: str
    end: str | None
    utc: bool
    values: tuple[RateColumn, ...]


def columns_of(table: RateTable, kind: Kind) -> RateColumns:
    """Return which columns are meant; raises `InputError` where the names do not say."""
    plain = {_plain(name): name for name in table.columns}
    if len(plain) < len(table.columns):
        raise table.refused("two of its columns have one name", "give each column a name of its own")
    begin = _first(plain, _BEGIN)
    if begin is None:
        fix = "name the column of times `timestamp_utc`, or `timestamp` with an offset in each stamp"
        raise table.refused(f"no column of times among {_listed(table.columns)}", fix)
    found = _intensities(plain, table) if kind == "grid" else _prices(plain, table)
    if not found:
        unit, example = ("g/kWh or kg/kWh", "gco2e_per_kwh") if kind == "grid" else ("USD/kWh", "usd_per_kwh")
        why = f"no column in {unit} among {_listed(table.columns)}"
        raise table.refused(why, f"name the unit in the header, for instance `{example}`")
    return RateColumns(
        plain[begin], _end(plain), bool(re.search(r"(?<![a-z])(utc|gmt)(?![a-z])", begin)), found
    )


def _intensities(plain: dict[str, str], table: RateTable) -> tuple[RateColumn, ...]:
    """Return the columns of intensity: life cycle before direct, average before marginal, actual first.

    Raises `InputError` where two say that they are the same: one of them would be taken by its place.
    """
    ranked: dict[int, RateColumn] = {}
    for plainly, name in plain.items():
        unit = _INTENSITY.search(plainly)
        if unit is None and plainly not in _PLAIN:
            continue
        factor = 1.0 if unit is None else _MASS_G[unit[1]] / (1 if unit[2] == "kwh" else 1000)
        rank = 4 * ("marginal" in plainly) + 2 * ("direct" in plainly) + ("forecast" in plainly)
        if rank in ranked:
            why = f"two columns are the same intensity: {_listed([ranked[rank].name, name])}"
            raise table.refused(why, "keep the one that is meant")
        ranked[rank] = RateColumn(name, factor, "forecast" in plainly)
    if not ranked:
        return ()
    best = min(ranked)
    # what was forecast may stand where nothing was measured yet; nothing else stands in
    spare = None if ranked[best].forecast else ranked.get(best + 1)
    return (ranked[best],) if spare is None else (ranked[best], spare)


def _prices(plain: dict[str, str], table: RateTable) -> tuple[RateColumn, ...]:
    found = []
    for plainly, name in plain.items():
        unit = _PRICE.search(plainly)
        if unit is not None:
            found.append(RateColumn(name, 1.0 if unit[2] == "kwh" else 1e-3))
        elif _OTHER_MONEY.search(plainly):
            why = f"the column {name!r} is in another currency or in cents"
            raise table.refused(why, "convert it to dollars and name it `usd_per_kwh`")
    if len(found) > 1:
        why = f"several columns are prices: {_listed([column.name for column in found])}"
        raise table.refused(why, "keep the one that is meant")
    return tuple(found)


def _first(plain: dict[str, str], wanted: Sequence[str]) -> str | None:
    """Return the first column that begins with one of the words, by order of the words."""
    for word in wanted:
        for name in plain:
            if re.match(rf"{word}(?![a-z])", name) and "zone" not in name:
                return name
    return None


def _end(plain: dict[str, str]) -> str | None:
    found = _first(plain, _END)
    return None if found is None else plain[found]


def _plain(name: str) -> str:
    return " ".join(name.casefold().replace("₂", "2").replace("_", " ").split())


def _listed(names: Sequence[str]) -> str:
    listed = ", ".join(repr(name) for name in names[:12])
    return listed + (", …" if len(names) > 12 else "")
