"""How busy the whole machine is: processor time of everybody, and what a hypervisor took. Linux.

The engine's own time is told apart by its process tree; what is left was somebody else's, and a figure
measured beside it is no figure of a quiet machine.
"""

from __future__ import annotations

import os
import time

from joulemark.meters.process_tree import PROC
from joulemark.meters.source import SourceLost, SourceSpec
from joulemark.record.clock import Clock
from joulemark.record.meter import SourceInfo
from joulemark.record.scope import Scope
from joulemark.record.telemetry import Quantity, Reading

MACHINE_SOURCE = "machine"
# Fields of the line ``cpu`` in /proc/stat (proc(5)): guest time is inside user time already.
_BUSY = (0, 1, 2, 5, 6)  # user, nice, system, irq, softirq
_STOLEN = 7


class MachineLoad:
    """Busy and stolen processor time of all processors together, in steps of a clock tick."""

    def __init__(self) -> None:
        self._tick_ns = 1_000_000_000 // os.sysconf("SC_CLK_TCK")
        self.info = SourceInfo(
            name=MACHINE_SOURCE,
            kind="machine",
            scope=Scope("machine"),
            quantities=(Quantity.CPU_BUSY_NS.value, Quantity.CPU_STOLEN_NS.value, Quantity.CPU_COUNT.value),
        )
        self.read(0)

    def read(self, segment: int) -> Reading:
        """Read the kernel's account; raises `SourceLost` where there is none."""
        begin_ns = time.monotonic_ns()
        try:
            lines = (PROC / "stat").read_bytes().split(b"\n")
            ticks = [int(field) for field in lines[0].split()[1:]]
            busy, stolen = sum(ticks[place] for place in _BUSY), ticks[_STOLEN]
        except (OSError, ValueError, IndexError) as error:
            raise SourceLost("no_processor_account") from error
        t_ns = time.monotonic_ns()
        values = {
            Quantity.CPU_BUSY_NS.value: float(busy * self._tick_ns),
            Quantity.CPU_STOLEN_NS.value: float(stolen * self._tick_ns),
            Quantity.CPU_COUNT.value: float(sum(line.startswith(b"cpu") for line in lines) - 1),
        }
        return Reading(segment, t_ns, self.info.name, self.info.scope.path, values, read_ns=t_ns - begin_ns)

    def close(self) -> None:
        """Nothing is held open."""


def open_machine(spec: SourceSpec, clock: Clock | None = None) -> MachineLoad:
    """Open the machine's account; it is stamped by the machine's clock whatever ``clock`` is."""
    return MachineLoad()


def machine_spec() -> SourceSpec:
    """Return how to watch the machine from another process."""
    return SourceSpec("machine", {})
