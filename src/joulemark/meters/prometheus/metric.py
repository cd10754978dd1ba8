"""One series of a Prometheus page or server as a telemetry source; `finding` says how it is found.

What the exporter shows is taken as it is: some add models to what they measure (Scaphandre's host power,
Kepler in a virtual machine), and a note says that these joules are second-hand.
"""

from __future__ import annotations

import math
import time
from collections.abc import Mapping
from dataclasses import dataclass

from joulemark.meters.http.deadline import REQUEST_S, Unanswered
from joulemark.meters.http.page_name import page_name
from joulemark.meters.notes import note
from joulemark.meters.prometheus.exposition import Sample, read_page
from joulemark.meters.prometheus.scrape import get_page, token_headers
from joulemark.meters.prometheus.selector import Selector
from joulemark.meters.prometheus.server import ask
from joulemark.meters.prometheus.unit import UNITS, Unit
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity, Reading

SECOND_HAND = "second_hand"
_STALE_INTERVALS = 3.0
_STALE_MARGIN_S = 2.0  # a server tells its clock in whole seconds
_LEAST_LOOKBACK_S = 60.0
_FASTEST_READ_S, _SLOWEST_READ_S = 0.25, 2.0


@dataclass(frozen=True, slots=True)
class _Part:
    """A series that is read: a selector, or an expression for a server."""

    text: str
    unit: Unit


class PrometheusSource:
    """Reads one series and, where there is one, the power beside it.

    A reading raises `SourceLost` where the page cannot be had or shows neither. A value is left out, with a
    flag, where it is ``not_finite``, ``negative``, ``ambiguous`` (several series answer), ``unavailable``
    (none does) or ``stale``: its own stamp is older than three of the exporter's intervals, by the server's
    clock.
    """

    def __init__(self, spec: SourceSpec, clock: Clock | None = None) -> None:
        args = spec.args
        self.info = describe(spec)
        self._url = str(args["url"])
        self._is_query, self._is_series = bool(args.get("is_query")), bool(args.get("is_series"))
        self._parts = tuple(
            _Part(str(args[name]), UNITS[str(args[f"{name}_unit"])])
            for name in ("main", "power")
            if args.get(name) is not None
        )
        interval_s = float(args.get("interval_s") or 0.0)
        self._stale_s = _STALE_INTERVALS * interval_s + _STALE_MARGIN_S
        self._lookback_s = max(_LEAST_LOOKBACK_S, 2 * self._stale_s)
        self._headers = token_headers()
        self._now_ns = time.monotonic_ns if clock is None else clock.now_ns

    def read(self, segment: int) -> Reading:
        """Fetch the page once and read every series from it."""
        begin_ns = self._now_ns()
        try:
            found = self._samples()
        except Unanswered as error:
            raise SourceLost(error.reason) from error
        t_ns = self._now_ns()
        values: dict[str, float] = {}
        flags: list[str] = []
        stamps_s: list[float] = []
        for part, (samples, date_s) in zip(self._parts, found, strict=True):
            quantity = part.unit.quantity.value
            fault = self._fault(part, samples, date_s)
            if fault is not None:
                flags.append(f"{quantity}:{fault}")
                continue
            values[quantity] = samples[0].value * part.unit.factor
            if samples[0].t_s is not None:
                stamps_s.append(samples[0].t_s)
        if not any(samples for samples, _ in found):
            raise SourceLost("series_absent")
        return Reading(
            segment,
            t_ns,
            self.info.name,
            self.info.scope.path,
            values,
            read_ns=t_ns - begin_ns,
            t_driver_ns=round(min(stamps_s) * 1e9) if stamps_s else None,
            flags=tuple(flags),
        )

    def close(self) -> None:
        """Release nothing: each reading has its own connection."""

    def _samples(self) -> list[tuple[list[Sample], float | None]]:
        """Return, for each part, the samples that answer to it and the server's clock."""
        if self._is_query:
            each_s = REQUEST_S / len(self._parts)
            answers = [
                ask(
                    self._url,
                    part.text,
                    self._headers,
                    is_series=self._is_series,
                    lookback_s=self._lookback_s,
                    timeout_s=each_s,
                )
                for part in self._parts
            ]
            return [(list(answer.samples), answer.date_s) for answer in answers]
        page = get_page(self._url, headers=self._headers)
        selectors = [Selector.parse(part.text) for part in self._parts]
        exposition = read_page(page, frozenset(selector.name for selector in selectors))
        return [(selector.pick(exposition.samples), page.date_s) for selector in selectors]

    def _fault(self, part: _Part, samples: list[Sample], date_s: float | None) -> str | None:
        if not samples:
            return "unavailable"
        if len(samples) > 1:
            return "ambiguous"
        if not math.isfinite(samples[0].value * part.unit.factor):
            return "not_finite"
        if samples[0].value < 0:
            return "negative"
        t_s = samples[0].t_s
        if t_s is not None and date_s is not None and date_s - t_s > self._stale_s:
            return "stale"
        return None


def open_prometheus(spec: SourceSpec, clock: Clock | None = None) -> PrometheusSource:
    """Open the series that ``spec`` names; nothing is asked before the first reading."""
    return PrometheusSource(spec, clock)


def describe(spec: SourceSpec) -> SourceInfo:
    """Return what is known of the source from its specification alone."""
    args = spec.args
    units = [UNITS[str(args[f"{name}_unit"])] for name in ("main", "power") if args.get(name) is not None]
    quantities = tuple(unit.quantity.value for unit in units)
    counts = Quantity.ENERGY_J in quantities
    interval_s = float(args.get("interval_s") or 0.0)
    modulus_j = _real(args, "modulus_j")
    return SourceInfo(
        name=spec.name or "prometheus",
        kind="prometheus",
        scope=Scope(str(args["scope"])),
        quantities=quantities,
        counter_modulus_j=modulus_j,
        counter_wraps=counts and (modulus_j is not None or bool(args.get("wraps"))),
        counter_quantum_j=_real(args, "quantum_j") or 0.0,
        power_window_s=(_real(args, "window_s") or 0.0) if Quantity.POWER_W in quantities else None,
        power_max_w=_real(args, "max_w"),
        is_register=bool(args.get("is_register")),
        value_age_s=interval_s,
        read_period_s=read_period_s(interval_s),
        device_id=f"prometheus:{page_name(str(args['url']))}#{args['main']}",
        notes=(note(SECOND_HAND, "what an exporter shows; whether it measures or models is its own affair"),),
    )


def read_period_s(interval_s: float) -> float:
    """Return how often a page is worth reading whose values are renewed every ``interval_s`` (seconds)."""
    return min(max(interval_s / 4, _FASTEST_READ_S), _SLOWEST_READ_S)


def _real(args: Mapping[str, str | int | float | None], name: str) -> float | None:
    value = args.get(name)
    return None if value is None else float(value)
