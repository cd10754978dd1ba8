"""A processor package through perf under each fault."""

from __future__ import annotations

import contextlib
import errno
import tempfile
from collections.abc import Iterator
from pathlib import Path

from doubles.faults import Fault, NowS, Truth
from doubles.perf import FakePmu
from joulemark.meters.rapl.finding import find_rapl
from joulemark.meters.rapl.powercap import ROOT_VARIABLE

from . import Rigged, rig
from .rapl import bare_metal

_CANNOT_WRAP = "the kernel counts 2**-32 J in 64 bits, from 0 when the counter is opened"
_FALL_J = 500.0


@rig("rapl_perf package", has_counter=True, has_gauge=False, impossible={Fault.WRAP: _CANNOT_WRAP})
@contextlib.contextmanager
def package(fault: Fault, truth: Truth, now_s: NowS) -> Iterator[Rigged]:
    """A machine whose powercap tree is hidden, and whose power PMU may be used."""
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        # both processors of the package, where the kernel should name one
        mask = "0,1" if fault is Fault.DUPLICATE_SCOPE else None
        pmu = FakePmu(directory, events=("energy-pkg",), power_w=truth.power_w, cpumask=mask)
        _break(pmu, fault, truth)
        nothing = {ROOT_VARIABLE: str(directory / "nothing")}
        with bare_metal(**nothing), pmu.in_process(lambda: round(now_s() * 1e9)):
            yield Rigged(find_rapl)


def _break(pmu: FakePmu, fault: Fault, truth: Truth) -> None:
    event, middle_ns = pmu.event(), round(truth.middle_s * 1e9)
    match fault:
        case Fault.SHORT_GAP:
            event.gap_from_ns, event.gap_to_ns = middle_ns, middle_ns + round(truth.gap_s * 1e9)
        case Fault.RESET:
            event.reset_at_ns = middle_ns
        case Fault.BACKWARDS:
            event.backwards_at_ns, event.backwards_j = middle_ns, _FALL_J
        case Fault.FREEZE | Fault.STALE:
            event.freeze_at_ns = middle_ns
        case Fault.NOT_SUPPORTED:
            pmu.forbid(errno.EOPNOTSUPP)
        case Fault.LOST:
            event.lost_at_ns = middle_ns
        case Fault.WRONG_UNIT:
            event.gain = 1000.0
            pmu.write_event("energy-pkg", unit="milliJoules")
