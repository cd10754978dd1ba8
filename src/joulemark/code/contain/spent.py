"""What a process has spent at one instant, and the same of a stretch between two."""

from __future__ import annotations

import time
from dataclasses import dataclass

from joulemark.code.contain.instructions import InstructionCounter
from joulemark.code.contain.own_queued import own_queued_ns
from joulemark.code.contain.vitals import ProcessVitals


@dataclass(frozen=True, slots=True)
class Spent:
    """Times in ns: CPU time, on the clock of the wall, and waiting for a processor; instructions retired.

    ``queued_ns``: how long this process and the one that watches it were ready to run and had no processor.
    Null where it cannot be read.
    """

    cpu_ns: int
    wall_ns: int
    queued_ns: int | None = None
    instructions: int | None = None

    def since(self, begin: Spent) -> Spent:
        """Return what was spent since ``begin``."""
        return Spent(
            self.cpu_ns - begin.cpu_ns,
            self.wall_ns - begin.wall_ns,
            _difference(self.queued_ns, begin.queued_ns),
            _difference(self.instructions, begin.instructions),
        )


def at_begin(vitals: ProcessVitals, counter: InstructionCounter | None) -> Spent:
    """Read it where a stretch begins: the clocks last, so that reading the rest is not in the stretch."""
    queued, count = _queued_ns(vitals), None if counter is None else counter.read()
    return Spent(vitals.cpu_ns(), time.monotonic_ns(), queued, count)


def at_end(vitals: ProcessVitals, counter: InstructionCounter | None) -> Spent:
    """Read it where a stretch ends: the clocks first."""
    wall_ns, cpu_ns = time.monotonic_ns(), vitals.cpu_ns()
    return Spent(cpu_ns, wall_ns, _queued_ns(vitals), None if counter is None else counter.read())


def _queued_ns(vitals: ProcessVitals) -> int | None:
    theirs, ours = vitals.queued_ns(), own_queued_ns()
    return None if theirs is None or ours is None else theirs + ours


def _difference(end: int | None, begin: int | None) -> int | None:
    return None if end is None or begin is None else max(0, end - begin)
