"""What the user asked of a Prometheus meter: where, which series, in which unit.

The grammar::

    prometheus:http://HOST:PORT/metrics#SERIES?option=value&…      the page of an exporter
    prometheus:http://HOST:PORT?query=EXPRESSION&option=value&…    a Prometheus server

``SERIES`` is ``NAME`` or ``NAME{label="value"}``; in options ``%26`` stands for ``&``, ``%2B`` for ``+``,
and ``%3F`` for ``?`` everywhere. Options: ``unit`` (``J``, ``mJ``, ``kWh``, ``W``, …) where the name does
not end with one; ``power``, a second series (or expression) with the power of the same thing, and
``power_unit``; ``type=counter`` for an energy that its exporter calls a gauge though it only rises;
``scope``; ``interval_s``, how often the exporter renews its values; ``window_s``, over how long its power
is averaged; ``max_w``, the most that can be drawn; ``step``, what the register counts in, in its own unit;
``wraps_at``, where the counter starts over, in its own unit.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from joulemark.meters.address import MeterAddress
from joulemark.meters.prometheus.exposition import number
from joulemark.meters.prometheus.scrape import checked_url
from joulemark.meters.prometheus.selector import Selector
from joulemark.meters.prometheus.unit import UNITS, Unit, unit_of_name
from joulemark.record.errors import InputError

OPTIONS = frozenset(
    {
        "query",
        "unit",
        "power",
        "power_unit",
        "type",
        "scope",
        "interval_s",
        "window_s",
        "max_w",
        "step",
        "wraps_at",
    }
)
_NAMED = (
    "prometheus:http://127.0.0.1:9100/metrics#node_rapl_package_joules_total?scope=wall/psu/psys/package:0"
)
_FIX = f"for example --meter '{_NAMED}'"
_PLAIN = re.compile(r"[a-zA-Z_:][a-zA-Z0-9_:]*")
_QUERY_PATH = "/api/v1/query"


@dataclass(frozen=True, slots=True)
class SeriesRequest:
    """A checked request. ``main`` and ``power`` are texts of selectors, or expressions where ``is_query``.

    ``unit`` and ``power_unit`` are null where neither the name nor the user says them.
    """

    url: str
    main: str
    unit: Unit | None
    power: str | None
    power_unit: Unit | None
    is_query: bool
    says_counter: bool
    interval_s: float | None
    window_s: float | None
    max_w: float | None
    step: float | None
    wraps_at: float | None

    @classmethod
    def of(cls, address: MeterAddress) -> SeriesRequest:
        """Check what was typed; raises `InputError`."""
        address.require_options(OPTIONS)
        options = address.options
        where, _, fragment = address.address.partition("#")
        url = checked_url(where)
        main = options.get("query", "") or unquote(fragment).strip()
        if not main:
            raise InputError("the meter names no series", why="a page holds hundreds of them", fix=_FIX)
        if "query" in options and fragment:
            raise InputError("the meter names a series and a query", why="one of them is wanted", fix=_FIX)
        is_query, power = "query" in options, options.get("power")
        if is_query:
            url = url.rstrip("/").removesuffix(_QUERY_PATH) + _QUERY_PATH
        else:
            if not urlsplit(url).path:
                url += "/metrics"
            for text in (main, power):
                if text is not None:
                    Selector.parse(text)
        unit, says_counter = _unit(options, "unit", main), _says_counter(options)
        power_unit = _unit(options, "power_unit", power)
        if says_counter and unit is not None and not unit.is_energy:
            raise InputError(f"a power in {unit.name} is no counter", fix="leave type=counter out")
        if power is not None and unit is not None and not unit.is_energy:
            why = "the first series is a power itself; the energy comes first"
            raise InputError("the meter names two powers", why=why, fix=_FIX)
        if power_unit is not None and power_unit.is_energy:
            raise InputError(f"{power_unit.name} is no unit of power", fix="power_unit=W")
        return cls(
            url,
            main,
            unit,
            power,
            power_unit,
            is_query,
            says_counter,
            _real(options, "interval_s"),
            _real(options, "window_s"),
            _real(options, "max_w"),
            _real(options, "step"),
            _real(options, "wraps_at"),
        )


def _unit(options: Mapping[str, str], option: str, series: str | None) -> Unit | None:
    named = options.get(option)
    if named is not None:
        if named not in UNITS:
            raise InputError(f"{named!r} is no unit", why=f"known are {', '.join(UNITS)}", fix=f"{option}=J")
        if series is None:
            raise InputError(f"{option} stands without its series", fix=_FIX)
        return UNITS[named]
    name = "" if series is None else series.partition("{")[0].strip()
    return unit_of_name(name) if _PLAIN.fullmatch(name) else None  # an expression is in no unit of its parts


def _says_counter(options: Mapping[str, str]) -> bool:
    kind = options.get("type", "")
    if kind not in ("", "counter", "gauge"):
        raise InputError(f"type={kind} is no type of a series", fix="type=counter, or leave it out")
    return kind == "counter"


def _real(options: Mapping[str, str], name: str) -> float | None:
    text = options.get(name)
    if text is None:
        return None
    try:
        meant = number(text)
    except ValueError:
        meant = math.nan
    if not 0 <= meant <= 1e12:
        raise InputError(f"{name}={text} is no number that can be meant", fix=f"{name}=15, for example")
    return meant
