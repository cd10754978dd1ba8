"""A tariff by time of use: rows of days and local times in a small TOML file, as steps in UTC."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, time
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from joulemark.metrics.rate_steps import WallSpan, utc_text
from joulemark.rates.files import read_text, refused
from joulemark.rates.series import RateSeries
from joulemark.record.manifest import RateStep

EXAMPLE = """\
time_zone = "Europe/Berlin"
[[rows]]
days = "weekdays"          # or ["mon", "sat"], "weekend", "all"
from = "06:00"             # local time; 22:00 to 06:00 runs into the next day
to = "22:00"
usd_per_kwh = 0.34
"""
DAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
_GROUPS = {"all": DAYS, "weekdays": DAYS[:5], "weekend": DAYS[5:]}
_DAY = 24 * 60
_MINUTE_NS = 60_000_000_000
_MAX_USD = 1_000.0
_MAX_MINUTES = 2_000_000
_OPTION = "--tariff"

Week = list[float | None]
"""The price of each minute of a local week from Monday on; null where no row tells it."""


def read_tariff(path: Path, spans: Sequence[WallSpan]) -> RateSeries:
    """Return the steps of a tariff within ``spans``; raises `InputError`.

    A price holds by the local clock of the tariff's zone: when clocks go back, the hour that comes twice has
    the price of that hour both times; when they go forward, the hour that is skipped costs nobody anything.
    """
    document = _document(path)
    zone_name = document.get("time_zone")
    zone = _zone(path.name, zone_name)
    week = _week(path.name, document.get("rows"))
    title = document.get("name", path.name)
    if not isinstance(title, str):
        raise _refused(path.name, "`name` is no text")
    if sum(t1 - t0 for t0, t1 in spans) > _MAX_MINUTES * _MINUTE_NS:
        raise _refused(path.name, "the run is longer than a tariff by minutes can follow")
    steps = [step for span in _joined(spans) for step in _steps(span, zone, week)]
    return RateSeries(tuple(steps), f"{title}, time of use, {zone_name}")


def _refused(name: str, why: str) -> Exception:
    return refused(name, _OPTION, why, "write it like this:\n" + EXAMPLE)


def _document(path: Path) -> dict[str, Any]:
    try:
        document = tomllib.loads(read_text(path, _OPTION))
    except RecursionError as error:
        raise _refused(path.name, "it is nested too deeply") from error
    except tomllib.TOMLDecodeError as error:
        raise _refused(path.name, str(error)) from error
    except ValueError as error:
        raise _refused(path.name, "a number in it has thousands of digits") from error
    if unknown := sorted(document.keys() - {"time_zone", "name", "rows"}):
        raise _refused(path.name, f"`{unknown[0]}` is no field of a tariff")
    return document


def _zone(name: str, zone: object) -> ZoneInfo:
    if not isinstance(zone, str):
        raise _refused(name, "`time_zone` is missing")
    try:
        return ZoneInfo(zone)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        why = f"the time zone {zone!r} is not known here"
        raise refused(
            name, _OPTION, why, "name it like Europe/Berlin; where none is known: pip install tzdata"
        ) from error


def _week(name: str, rows: object) -> Week:
    if not isinstance(rows, list) or not rows:
        raise _refused(name, "it has no [[rows]]")
    week: Week = [None] * (7 * _DAY)
    holder: list[int | None] = [None] * (7 * _DAY)
    for number, row in enumerate(rows, start=1):
        where = f"row {number}"
        if not isinstance(row, dict):
            raise _refused(name, f"{where} is no table")
        if unknown := sorted(row.keys() - {"days", "from", "to", "usd_per_kwh"}):
            raise _refused(name, f"{where}: `{unknown[0]}` is no field of a row")
        price = _price(name, where, row.get("usd_per_kwh"))
        begin, end = (_minute(name, where, key, row) for key in ("from", "to"))
        if begin in (end, _DAY):
            raise _refused(name, f"{where}: it begins when it ends; a whole day is 00:00 to 24:00")
        for day in _days(name, where, row.get("days", "all")):
            for minute in range(begin, end if end > begin else end + _DAY):
                at = (day * _DAY + minute) % (7 * _DAY)
                if holder[at] is not None:
                    told = f"{DAYS[at // _DAY]} {at % _DAY // 60:02}:{at % 60:02}"
                    raise _refused(name, f"rows {holder[at]} and {number} both hold at {told}")
                week[at], holder[at] = price, number
    return week


def _price(name: str, where: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _refused(name, f"{where}: `usd_per_kwh` is no number")
    if not -_MAX_USD <= value <= _MAX_USD:  # no float is made of it before: it may have any number of digits
        raise _refused(name, f"{where}: a price lies between -{_MAX_USD:,g} and {_MAX_USD:,g} USD/kWh")
    return float(value)


def _minute(name: str, where: str, key: str, row: Mapping[str, Any]) -> int:
    """Return a local time as minutes since midnight, 1440 for 24:00."""
    value = row.get(key)
    if value in ("24:00", "24:00:00"):
        return _DAY
    try:
        at = value if isinstance(value, time) else time.fromisoformat(str(value))
    except ValueError as error:
        raise _refused(name, f"{where}: `{key}` is no time of day: {str(value)[:40]!r}") from error
    if at.second or at.microsecond or at.tzinfo is not None:
        raise _refused(name, f"{where}: `{key}` is a local time in whole minutes")
    return at.hour * 60 + at.minute


def _days(name: str, where: str, value: object) -> list[int]:
    words = value if isinstance(value, list) else [value]
    found: list[str] = []
    for word in words:
        key = word.strip().casefold() if isinstance(word, str) else ""
        days = _GROUPS.get(key) or [day for day in DAYS if len(key) > 2 and key[:3] == day]
        if not days:
            raise _refused(name, f"{where}: {str(word)[:40]!r} is no day")
        found += days
    return sorted({DAYS.index(day) for day in found})


def _joined(spans: Sequence[WallSpan]) -> Iterator[tuple[int, int]]:
    """Yield the spans in whole minutes since 1970, those that touch as one: no step stands twice."""
    open_span: tuple[int, int] | None = None
    for t0, t1 in sorted(spans):
        begin, end = t0 // _MINUTE_NS, -(-t1 // _MINUTE_NS)
        if open_span is not None and begin <= open_span[1]:
            open_span = (open_span[0], max(open_span[1], end))
            continue
        if open_span is not None:
            yield open_span
        open_span = (begin, end)
    if open_span is not None:
        yield open_span


def _steps(span: tuple[int, int], zone: ZoneInfo, week: Week) -> Iterator[RateStep]:
    """Yield the stretches of one price; every minute is looked up by its local time."""
    begin, end = span
    began, price = begin, None
    for minute in range(begin, end + 1):
        now = None
        if minute < end:
            local = datetime.fromtimestamp(minute * 60, zone)
            now = week[local.weekday() * _DAY + local.hour * 60 + local.minute]
        if now != price or minute == end:
            if price is not None:
                t0, t1 = utc_text(began * _MINUTE_NS), utc_text(minute * _MINUTE_NS)
                yield RateStep(from_utc=t0, to_utc=t1, rate=price)
            began, price = minute, now
