"""Boards through DCGM's exporter."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator

from doubles.faults import Fault, NowS, Truth
from doubles.prometheus import PageServer, Reply, dcgm_page, shown
from doubles.rigs import Rigged, rig
from joulemark.meters.address import MeterAddress
from joulemark.meters.prometheus.dcgm_finding import find_dcgm

_BLANK = 9223372036854775794  # DCGM's sign for "not supported" in an integer field
_NO_WRAP = "a 64-bit number of millijoules: it would take 300 years at a gigawatt"


@rig(
    "dcgm",
    has_counter=True,
    has_gauge=True,
    impossible={Fault.WRAP: _NO_WRAP},
    truth=Truth(t0_s=15.0, t1_s=75.0),
)
@contextlib.contextmanager
def dcgm(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """An exporter that was started with an interval of one second."""
    with _exporter(fault, truth, now_s, 1.0) as rigged:
        yield rigged


@rig(
    "dcgm at its own interval",
    has_counter=True,
    has_gauge=True,
    impossible={Fault.WRAP: _NO_WRAP},
    unseen={
        Fault.BACKWARDS: "it falls by less than it gains between two of its updates, which nobody can see"
    },
    truth=Truth(t0_s=100.0, t1_s=1000.0),
)
@contextlib.contextmanager
def dcgm_slow(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """An exporter as it is installed: every thirty seconds."""
    with _exporter(fault, truth, now_s, 30.0) as rigged:
        yield rigged


@contextlib.contextmanager
def _exporter(fault: Fault, truth: Truth, now_s: NowS, interval_s: float) -> Iterator[Rigged]:
    def page(path: str, query: str) -> Reply:
        if shown(fault, truth, now_s()) is None:
            return Reply(gone=True)
        # What the page holds was collected at the last turn of the exporter's own interval.
        now = shown(
            fault if fault is not Fault.SHORT_GAP else Fault.HEALTHY, truth, _collected_s(now_s(), interval_s)
        )
        if now is None:
            return Reply(gone=True)
        energy = _BLANK if now.energy_j is None else math.floor(now.energy_j * 1e3)
        fields = {"TOTAL_ENERGY_CONSUMPTION": energy, "GPU_TEMP": 55, "POWER_MGMT_LIMIT_MAX": 700}
        if now.power_w is not None:
            fields["POWER_USAGE"] = now.power_w  # type: ignore[assignment]
        return Reply(dcgm_page(fields))

    with PageServer(page, now_s) as server:
        text = f"dcgm:{server.url}/metrics?interval_s={interval_s:g}"
        times = 2 if fault is Fault.DUPLICATE_SCOPE else 1
        yield Rigged(lambda: find_dcgm(MeterAddress.parse(text)) * times)


def _collected_s(t_s: float, interval_s: float) -> float:
    return math.floor(t_s / interval_s) * interval_s
