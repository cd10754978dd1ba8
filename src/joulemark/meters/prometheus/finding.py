"""What discovery says of a Prometheus meter. `series_request` has its address's grammar.

Series that are known to work (``URL`` is the exporter's page):

- node_exporter, RAPL: ``URL#node_rapl_package_joules_total{index="0"}?scope=wall/psu/psys/package:0``; its
  counter wraps with the processor's, say where: ``&wraps_at=262143.328850`` (``max_energy_range_uj`` / 10⁶);
- node_exporter, hwmon: ``URL#node_hwmon_energy_joule_total{chip="…",sensor="energy1"}`` or
  ``URL#node_hwmon_power_average_watt{…}``;
- Kepler: ``URL#kepler_node_cpu_joules_total{zone="package"}?power=kepler_node_cpu_watts{zone="package"}``;
- Scaphandre: ``URL#scaph_host_power_microwatts`` (it may hold an estimate of other parts);
- Zeus, through a push gateway: ``URL#power_monitor_gpu_power_watts{index="0"}?interval_s=…``;
- a plug that Home Assistant shows:
  ``URL#homeassistant_sensor_energy_kwh{…}?type=counter&scope=wall&interval_s=…``, as often as it reports.

Where `renewal` does not know the exporter, ``interval_s`` has to be named. A server's samples are older by up
to its scrape interval, which shows.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Sequence
from decimal import Decimal
from itertools import islice

from joulemark.meters.address import MeterAddress
from joulemark.meters.http.deadline import Unanswered
from joulemark.meters.prometheus.exposition import Sample, names_in, read_page
from joulemark.meters.prometheus.failure import missing
from joulemark.meters.prometheus.identity import shown_at
from joulemark.meters.prometheus.metric import describe
from joulemark.meters.prometheus.renewal import is_average, renewed_s
from joulemark.meters.prometheus.scrape import get_page, token_headers
from joulemark.meters.prometheus.selector import Selector, told_apart
from joulemark.meters.prometheus.series_request import SeriesRequest
from joulemark.meters.prometheus.server import QueryAnswer, ask
from joulemark.meters.prometheus.unit import UNITS, Unit, unit_of_name
from joulemark.meters.source import SHOWS, Finding, SourceSpec
from joulemark.meters.written import without_noise
from joulemark.record.scope import PSU, Scope
from joulemark.record.telemetry import Quantity

KIND = "prometheus"
_MEASURES = "a series of a Prometheus page or server"
_NOT_COUNTERS = frozenset({"gauge", "histogram", "summary"})
_WRAPPING = "node_rapl_"  # node_exporter passes the processor's counters on as they are
_LONGEST_NAME, _MOST_NAMES = 60, 1000  # that are compared with one that is not there


_SEE_LOGS = "see what its exporter logs"
_SAY_INTERVAL = "say it in seconds: &interval_s=15"


class _Unusable(Exception):
    """The series is there or not, but it is no meter; the arguments are why and fix."""


def find_prometheus(address: MeterAddress) -> list[Finding]:
    """Return one finding for the series that ``address`` names; raises `InputError` for what is malformed."""
    request = SeriesRequest.of(address)
    slug = "query" if request.is_query else Selector.parse(request.main).slug
    scope = address.scope(Scope(PSU).child(f"sensor:{slug}"))
    try:
        facts = _ask_server(request) if request.is_query else _look_at_page(request)
    except Unanswered as error:
        return [missing(KIND, KIND, _MEASURES, request.url, error)]
    except _Unusable as error:
        why, fix = error.args
        return [Finding(KIND, KIND, _MEASURES, why=why, fix=fix)]
    args: dict[str, str | int | float | None] = {
        "url": request.url,
        "main": request.main,
        "power": request.power,
        "is_query": int(request.is_query),
        "scope": scope.path,
        "max_w": request.max_w,
        **facts,
    }
    spec = SourceSpec(KIND, args)
    info = describe(spec)
    what = "energy and power" if len(info.quantities) > 1 else info.quantities[0].partition("_")[0]
    shown = "the answer to a query" if request.is_query else Selector.parse(request.main).name
    return [Finding(KIND, info.name, f"{what} of {scope}, second-hand: {shown}", spec=spec, info=info)]


def _look_at_page(request: SeriesRequest) -> dict[str, str | int | float | None]:
    page = get_page(request.url, headers=token_headers())
    main = Selector.parse(request.main)
    selectors = [main] if request.power is None else [main, Selector.parse(request.power)]
    exposition = read_page(page, frozenset(selector.name for selector in selectors))
    samples = []
    for selector in selectors:
        found = selector.pick(exposition.samples)
        if not found and exposition.of(selector.name):
            have = told_apart(exposition.of(selector.name), tells_all=True)
            raise _Unusable(
                f"no series {selector.name} has these labels; there are {have}", "mend the labels"
            )
        if not found:
            names = (n for n in names_in(page.body.decode(errors="replace")) if len(n) <= _LONGEST_NAME)
            near = difflib.get_close_matches(selector.name, list(islice(names, _MOST_NAMES)))
            hint = f"; similar: {', '.join(near)}" if near else ""
            look = f"curl -sS '{request.url}' | grep -E 'joule|watt|energy|power'"
            raise _Unusable(f"the page has no series {selector.name}{hint}", look)
        samples.append(_single(found, selector.name))
    units = _units(request, samples)
    kind = exposition.kind(main.name)
    if units[0].is_energy and kind in _NOT_COUNTERS and not request.says_counter:
        why = f"its exporter calls {main.name} a {kind}, and energy is measured with a counter"
        raise _Unusable(why, "add &type=counter where it only ever rises; else take a power")
    if not units[0].is_energy and kind not in (None, "gauge", "untyped", "unknown"):
        raise _Unusable(
            f"its exporter calls {main.name} a {kind}, and power is a gauge", "take another series"
        )
    return _facts(request, samples, units, [0.0] * len(samples), is_series=True)


def _ask_server(request: SeriesRequest) -> dict[str, str | int | float | None]:
    expressions = [request.main] if request.power is None else [request.main, request.power]
    headers = token_headers()
    answers: list[QueryAnswer] = []
    is_series = True
    try:
        answers = [ask(request.url, text, headers, is_series=True) for text in expressions]
    except Unanswered as error:
        if error.reason not in ("http_400", "http_422"):
            raise
        is_series = False
        answers = [ask(request.url, text, headers, is_series=False) for text in expressions]
    samples = []
    for text, answer in zip(expressions, answers, strict=True):
        if not answer.samples:
            why = f"the server has had no sample for the query {text!r} in the last five minutes"
            raise _Unusable(
                why, "see under Status, Targets on the server's page whether it scrapes the exporter"
            )
        samples.append(_single(answer.samples, "an answer"))
    scraped_s = [answer.interval_s for answer in answers]
    if not is_series and request.interval_s is None:
        why = "the answer to an expression does not say how old the samples in it are"
        raise _Unusable(why, "name one plain series, or say how often the server scrapes: &interval_s=15")
    return _facts(request, samples, _units(request, samples), scraped_s, is_series=is_series)


def _single(samples: list[Sample] | tuple[Sample, ...], name: str) -> Sample:
    if len(samples) > 1:
        why = f"{len(samples)} series answer: {told_apart(samples)}"
        raise _Unusable(why, f'choose one by its labels, as in {samples[0].name or name}{{label="value"}}')
    if not math.isfinite(samples[0].value):
        raise _Unusable(_odd_value(samples[0]), _SEE_LOGS)
    return samples[0]


def _odd_value(sample: Sample) -> str:
    return f"{sample.name or 'the answer'} has the value {sample.text[:40]}"


def _units(request: SeriesRequest, samples: list[Sample]) -> list[Unit]:
    main = request.unit or unit_of_name(samples[0].name)
    if main is None:
        raise _Unusable(
            f"the name {samples[0].name or request.main} does not say its unit",
            f"add ?unit=… with one of {', '.join(UNITS)}",
        )
    if len(samples) == 1:
        return [main]
    power = request.power_unit or unit_of_name(samples[1].name)
    if power is None or power.is_energy or not main.is_energy:
        raise _Unusable("the unit of the power is not known", "add &power_unit=W (or mW, kW)")
    return [main, power]


def _facts(
    request: SeriesRequest,
    samples: list[Sample],
    units: list[Unit],
    scraped_s: Sequence[float | None],
    *,
    is_series: bool,
) -> dict[str, str | int | float | None]:
    """Return what the specification keeps of the series as they were seen.

    ``scraped_s``: how often a server asks the exporter of each; null where that does not show, 0 without one.
    """
    unit, name = units[0], samples[0].name
    for sample, its_unit in zip(samples, units, strict=True):
        if not math.isfinite(sample.value * its_unit.factor):
            raise _Unusable(_odd_value(sample), _SEE_LOGS)
    interval_s = request.interval_s
    if interval_s is None:
        interval_s = _interval_s([sample.name for sample in samples], scraped_s)
    is_register = unit.is_register or request.step is not None
    quantum = request.step if request.step is not None else _shown_step(samples[0].text)
    return {
        "main_unit": unit.name,
        "power_unit": units[1].name if len(units) > 1 else None,
        "is_series": int(is_series),
        "interval_s": interval_s,
        "window_s": _window_s(request, samples, units, interval_s),
        "is_register": int(unit.is_energy and is_register),
        "quantum_j": quantum * unit.factor if unit.is_energy and is_register else None,
        "modulus_j": request.wraps_at * unit.factor if request.wraps_at and unit.is_energy else None,
        "wraps": int(unit.is_energy and name.startswith(_WRAPPING)),
        SHOWS: shown_at(request.url, [request.main, request.power or ""][: len(samples)], samples),
    }


def _interval_s(names: Sequence[str], scraped_s: Sequence[float | None]) -> float:
    """Return how old the series of these names may be; raises `_Unusable` where nobody said so."""
    oldest_s = 0.0
    for name, through_server_s in zip(names, scraped_s, strict=True):
        own_s = renewed_s(name)
        if own_s is None:
            why = f"how often its exporter renews {name} is not known, and so not how old a value may be"
            raise _Unusable(
                why, f"{_SAY_INTERVAL}; through a server, its scrape interval and the exporter's own"
            )
        if through_server_s is None:
            why = f"the server has had one sample of {name} in the last five minutes, and so does not show"
            raise _Unusable(f"{why} how often it asks", _SAY_INTERVAL)
        oldest_s = max(oldest_s, own_s + through_server_s)
    return oldest_s


def _window_s(
    request: SeriesRequest, samples: Sequence[Sample], units: Sequence[Unit], interval_s: float
) -> float | None:
    """Return over how long the power is averaged; null where there is none."""
    names = [s.name for s, unit in zip(samples, units, strict=True) if unit.quantity is Quantity.POWER_W]
    if not names or request.window_s is not None:
        return request.window_s if names else None
    if not is_average(names[0]):
        return 0.0
    return interval_s if request.interval_s is not None else renewed_s(names[0])


def _shown_step(text: str) -> float:
    """Return the worth of the last decimal that is written: the step of a register, as far as it shows.

    A last zero may have been left out, so the true step may be finer.
    """
    shown = without_noise(Decimal(text))
    exponent = shown.as_tuple().exponent
    if not isinstance(exponent, int):
        return 0.0
    return float(Decimal(1).scaleb(min(exponent, 0) if shown.is_zero() else exponent))
