"""Processor energy: Intel's RAPL counters, and AMD's under the same names.

``powercap`` and ``pmu`` are the two doors of the kernel to the same counters; ``source`` reads a counter
through the first, ``perf`` (over ``event``) through the second.
"""

from joulemark.meters.rapl.finding import find_rapl
from joulemark.meters.rapl.perf import open_rapl_perf
from joulemark.meters.rapl.source import RaplSource, open_rapl

__all__ = ["RaplSource", "find_rapl", "open_rapl", "open_rapl_perf"]
