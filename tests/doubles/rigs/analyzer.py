"""A Yokogawa WT310E that speaks SCPI over TCP, under each fault."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from doubles.faults import Fault, NowS, Truth
from doubles.instrument import Instrument
from doubles.rigs import Rigged, rig
from joulemark.meters.address import MeterAddress
from joulemark.meters.analyzer import find_analyzer


@rig(
    "analyzer wt310",
    has_counter=True,
    has_gauge=True,
    impossible={
        Fault.WRAP: "the integration stops at 999999 MWh instead of starting over (IM WT310E-01EN, 5.1)"
    },
)
@contextlib.contextmanager
def analyzer_wt310(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    with Instrument(now_s, truth, fault) as instrument:
        address = MeterAddress("analyzer", instrument.resource)
        again = MeterAddress("analyzer", instrument.resource.replace("TCPIP::", "TCPIP0::"))
        named = [address, again] if fault is Fault.DUPLICATE_SCOPE else [address]
        yield Rigged(findings=lambda: [found for one in named for found in find_analyzer(one)])
