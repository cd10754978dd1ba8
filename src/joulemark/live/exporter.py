"""Live meters as a page for Prometheus. Needs the package prometheus-client (extra ``export``).

A scrape asks no meter: it shows what the sampler process read last, so that a slow plug delays nobody.
Names and units follow Prometheus' rules (base units, counters end with ``_total``):

- ``joulemark_energy_joules_total{source,scope}``: of counters and registers that passed their self-test,
  since the exporter started; it never falls (see `ledger`);
- ``joulemark_power_watts``, ``joulemark_temperature_celsius`` and the other gauges, absent where not read;
- ``joulemark_source_up``: 1 where the source answered lately; ``joulemark_source_faults_total{reason}``;
- ``joulemark_source_info{kind,trust,device}``: 1.

Every series of a simulated board has the label ``simulated="true"``, and no other series has it.

Served to this machine alone, it answers who asks for ``localhost`` or a loopback address, and refuses other
hosts (`page_server`).

Scopes overlap (``wall`` holds its boards): sums over them count energy twice.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from joulemark.live.freshness import is_present
from joulemark.live.ledger import Ledger
from joulemark.live.meter_set import MeterSet
from joulemark.live.page_server import PageServer
from joulemark.record.errors import InputError
from joulemark.record.meter import QualifiedSource
from joulemark.record.simulated import is_simulated_board
from joulemark.record.telemetry import Quantity

if TYPE_CHECKING:
    from prometheus_client.registry import CollectorRegistry

PIP_FIX = "pip install 'joulemark[export]'"
_SIMULATED = "simulated"
_ADVANCE_S = 5.0
_KEPT_NS = 120_000_000_000  # before the oldest needed reading: the arithmetic looks around it
_LONGEST_AWAY_NS = 600_000_000_000

# name, words, quantity, factor to the base unit
_GAUGES: tuple[tuple[str, str, Quantity, float], ...] = (
    ("power_watts", "Power as the source shows it.", Quantity.POWER_W, 1.0),
    ("power_average_watts", "The driver's trailing average of the power.", Quantity.POWER_AVERAGE_W, 1.0),
    ("power_limit_watts", "The power limit in force.", Quantity.POWER_LIMIT_W, 1.0),
    ("temperature_celsius", "Temperature.", Quantity.TEMPERATURE_C, 1.0),
    ("utilization_ratio", "Share of the time in which the device was busy.", Quantity.UTILIZATION_PCT, 0.01),
    ("fan_ratio", "Fan speed over its highest.", Quantity.FAN_PCT, 0.01),
    ("memory_used_bytes", "Memory of the device in use.", Quantity.MEMORY_USED_MIB, float(2**20)),
    ("sm_clock_hertz", "Clock of the processors.", Quantity.SM_CLOCK_MHZ, 1e6),
    ("memory_clock_hertz", "Clock of the memory.", Quantity.MEMORY_CLOCK_MHZ, 1e6),
)


class LiveExporter:
    """Shows a set of meters until `close`. The set stays its owner's to close."""

    def __init__(self, meters: MeterSet) -> None:
        """Raises `InputError` where prometheus-client is not installed."""
        try:
            from prometheus_client.registry import CollectorRegistry
        except ImportError as error:
            raise InputError("exporting needs prometheus-client", why=str(error), fix=PIP_FIX) from error
        self._meters = meters
        self._ledgers = [
            Ledger(source)
            for source in meters.sources
            if source.qualification.counter_ok and Quantity.ENERGY_J in source.info.quantities
        ]
        self._begin_ns = time.monotonic_ns()
        self._begin_s = time.time()
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._close_server: Callable[[], None] = lambda: None
        self.registry: CollectorRegistry = CollectorRegistry()
        self.registry.register(_Collector(self))  # type: ignore[arg-type]
        self.advance()
        threading.Thread(target=self._keep_up, name="exporter", daemon=True).start()

    def serve(self, host: str, port: int) -> str:
        """Serve the page until `close` and return its URL; port 0 takes a free one. Raises `InputError`."""
        from prometheus_client import make_wsgi_app

        try:
            server = PageServer(make_wsgi_app(self.registry), host, port)
        except OSError as error:
            raise InputError(
                f"nothing can be served at {host} port {port}",
                why=error.strerror or str(error),
                fix="choose another port: --port 9465",
            ) from error
        self._close_server = server.close
        shown = f"[{host}]" if ":" in host else host
        return f"http://{shown}:{server.port}/metrics"

    def advance(self) -> None:
        """Take in what was read since the last call; called by itself every few seconds."""
        with self._lock:
            now_ns = time.monotonic_ns()
            timeline = self._meters.timeline(self._needed_from_ns(now_ns), now_ns)
            for ledger in self._ledgers:
                ledger.advance(timeline)
            self._meters.forget(self._needed_from_ns(now_ns) - _KEPT_NS)

    def close(self) -> None:
        """Stop serving."""
        if not self._closed.is_set():
            self._closed.set()
            self._close_server()

    def __enter__(self) -> LiveExporter:
        return self

    def __exit__(self, *_error: object) -> None:
        self.close()

    def _needed_from_ns(self, now_ns: int) -> int:
        """Return the stamp of the oldest reading that a ledger goes on from.

        A source that is away for longer than that is not waited for: the others' readings would pile up.
        """
        seen = [ledger.seen_ns or self._begin_ns for ledger in self._ledgers]
        return max(min(seen, default=now_ns), now_ns - _LONGEST_AWAY_NS)

    def _keep_up(self) -> None:
        while not self._closed.wait(_ADVANCE_S):
            self.advance()

    def families(self) -> Iterator[object]:
        """Yield what prometheus-client calls metric families, of this instant."""
        from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily

        self.advance()
        latest = self._meters.latest()
        now_ns = time.monotonic_ns()
        energy = CounterMetricFamily(
            "joulemark_energy_joules",
            "Energy since the exporter started, by counters that passed their self-test.",
            labels=("source", "scope", _SIMULATED),
        )
        faults = CounterMetricFamily(
            "joulemark_source_faults",
            "Faults of counters; what they counted across one is left out.",
            labels=("source", "scope", "reason", _SIMULATED),
        )
        with self._lock:
            for ledger in self._ledgers:
                energy.add_metric(_labels(ledger.source), ledger.joules, created=self._begin_s)
                for reason, count in ledger.faults.items():
                    labels = _labels(ledger.source, reason.value)
                    faults.add_metric(labels, count, created=self._begin_s)
        yield energy
        yield faults
        fresh = {
            source.info.name: reading
            for source in self._meters.sources
            if (reading := latest.get(source.info.name)) is not None and is_present(source, reading, now_ns)
        }
        for name, words, quantity, factor in _GAUGES:
            gauge = GaugeMetricFamily(f"joulemark_{name}", words, labels=("source", "scope", _SIMULATED))
            for source in self._meters.sources:
                shown = fresh.get(source.info.name)
                if shown is not None and quantity.value in shown.values:
                    gauge.add_metric(_labels(source), shown.values[quantity.value] * factor)
            if gauge.samples:
                yield gauge
        up = GaugeMetricFamily(
            "joulemark_source_up",
            "1 where the source answered lately.",
            labels=("source", "scope", _SIMULATED),
        )
        info = GaugeMetricFamily(
            "joulemark_source_info",
            "What a source is and how far its self-test believes it.",
            labels=("source", "scope", "kind", "trust", "device", _SIMULATED),
        )
        for source in self._meters.sources:
            up.add_metric(_labels(source), float(source.info.name in fresh))
            known, trust = source.info, source.qualification.trust.value
            info.add_metric(_labels(source, known.kind, trust, known.device_name or ""), 1.0)
        for name, _ in self._meters.absent:
            up.add_metric((name, ""), 0.0)
        yield up
        yield info


class _Collector:
    """What the registry calls at a scrape."""

    def __init__(self, exporter: LiveExporter) -> None:
        self._exporter = exporter

    def collect(self) -> Iterator[object]:
        return self._exporter.families()


def _labels(source: QualifiedSource, *more: str) -> tuple[str, ...]:
    """Return the labels' values; the last name, ``simulated``, has one for a simulated board alone."""
    marked = ("true",) if is_simulated_board(source.info) else ()
    return source.info.name, source.info.scope.path, *more, *marked
