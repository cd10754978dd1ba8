"""A series of an exporter's page, and of a Prometheus server."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from doubles.faults import Fault, NowS, Truth
from doubles.prometheus import PageServer, QueryServer, Reply, shown
from doubles.rigs import Rigged, rig
from joulemark.meters.address import MeterAddress
from joulemark.meters.prometheus.finding import find_prometheus

_TRUTH = Truth(t0_s=15.0, t1_s=75.0)  # each reading is a request over a socket
_WRAPS_AT_J = 262_143.328850
_NOT_TO_BE_SEEN = "a gauge has no range to run over, and its sum is made here"


@rig("prometheus counter", has_counter=True, has_gauge=True, truth=_TRUTH)
@contextlib.contextmanager
def prometheus_counter(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A counter with a range, as node_exporter shows the processor's, and a power beside it."""

    def page(path: str, query: str) -> Reply:
        now = shown(fault, truth, now_s(), wraps_at_j=_WRAPS_AT_J)
        if now is None:
            return Reply(gone=True)
        lines = ["# TYPE node_rapl_package_joules_total counter", "# TYPE node_package_watts gauge"]
        for index in ("0", "1"):
            if now.energy_j is not None:
                lines.append(f'node_rapl_package_joules_total{{index="{index}"}} {now.energy_j!r}')
            if now.power_w is not None and fault is not Fault.NOT_SUPPORTED:
                lines.append(f'node_package_watts{{index="{index}"}} {now.power_w!r}')
        return Reply("\n".join(lines) + "\n")

    with PageServer(page, now_s) as server:
        text = (
            f'prometheus:{server.url}/metrics#node_rapl_package_joules_total{{index="0"}}'
            f'?power=node_package_watts{{index="0"}}&wraps_at={_WRAPS_AT_J}&max_w=250&interval_s=0'
        )
        times = 2 if fault is Fault.DUPLICATE_SCOPE else 1
        yield Rigged(lambda: find_prometheus(MeterAddress.parse(text)) * times)


@rig(
    "prometheus gauge",
    has_counter=False,
    has_gauge=True,
    impossible={
        Fault.WRAP: _NOT_TO_BE_SEEN,
        Fault.RESET: _NOT_TO_BE_SEEN,
        Fault.BACKWARDS: _NOT_TO_BE_SEEN,
    },
    truth=_TRUTH,
)
@contextlib.contextmanager
def prometheus_gauge(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A power whose exporter stamps its samples, so that a stale one says so."""
    name = "board_power" if fault is Fault.WRONG_UNIT else "board_power_milliwatts"

    def page(path: str, query: str) -> Reply:
        now = shown(fault, truth, now_s())
        if now is None:
            return Reply(gone=True)
        if now.power_w is None or fault is Fault.NOT_SUPPORTED:
            return Reply("another_series 1\n")
        from doubles.prometheus import EPOCH_S

        at_s = now.known_s if fault is Fault.STALE else now_s()
        return Reply(f"# TYPE {name} gauge\n{name} {now.power_w * 1e3!r} {round((EPOCH_S + at_s) * 1e3)}\n")

    with PageServer(page, now_s) as server:
        text = f"prometheus:{server.url}/metrics#{name}?interval_s=1"
        times = 2 if fault is Fault.DUPLICATE_SCOPE else 1
        yield Rigged(lambda: find_prometheus(MeterAddress.parse(text)) * times)


@rig(
    "prometheus query",
    has_counter=True,
    has_gauge=True,
    impossible={Fault.WRAP: "the counter beside its power is a 64-bit float of joules, which nothing fills"},
    truth=_TRUTH,
)
@contextlib.contextmanager
def prometheus_query(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A counter and a power asked of a Prometheus server that scrapes them every second."""

    def sample(name: str, t_s: float) -> float | None:
        then = shown(Fault.HEALTHY if fault in (Fault.LOST, Fault.STALE) else fault, truth, t_s)
        if then is None or fault is Fault.NOT_SUPPORTED:
            return None
        return then.energy_j if name.endswith("joules_total") else then.power_w

    queries = QueryServer(sample, now_s, interval_s=1.0)
    if fault is Fault.STALE:
        queries.stops_scraping_s = truth.middle_s

    def answer(path: str, query: str) -> Reply:
        if fault is Fault.LOST and now_s() >= truth.middle_s:
            return Reply(gone=True)
        return queries.answer(path, query)

    with PageServer(answer, now_s) as server:
        options = "power=wall_power_watts&max_w=300&interval_s=1"
        text = f"prometheus:{server.url}?query=wall_energy_joules_total&{options}"
        times = 2 if fault is Fault.DUPLICATE_SCOPE else 1
        yield Rigged(lambda: find_prometheus(MeterAddress.parse(text)) * times)
