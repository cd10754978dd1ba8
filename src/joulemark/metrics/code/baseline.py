"""What a program that does nothing costs: taken off every time and memory, and where the clock ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun, Outcome, Purpose
from joulemark.record.reason import Reason

MIN_FLOOR_NS = 10_000.0  # two reads of a process's clock from outside do not tell less apart
MEMORY_FLOOR_BYTES = 64 * 4096  # a kernel counts resident pages in batches of up to 64
NS_PER_S = 1e9
MIB = float(1 << 20)
NO_BASELINE = "No program that does nothing was run, so what the harness itself takes is not known."

BASELINE_CPU = MetricDefinition(
    "code_baseline_cpu_s",
    "CPU time of a program that does nothing",
    "s",
    r"\mathrm{min}_r\ t_r",
    ("code.cpu_ns",),
    ("no such program was run",),
    "minimum over runs: noise only adds (J. Chen and J. Revels, arXiv:1608.04295)",
)
HARNESS_SHARE = MetricDefinition(
    "harness_share",
    "Harness overhead: share of all CPU time",
    "1",
    r"\sum (t_\mathrm{around} + t_\mathrm{parent}) / \sum (t_\mathrm{around} + t_\mathrm{parent} + "
    r"t_\mathrm{call})",
    ("code.cpu_around_ns", "code.cpu_parent_ns", "code.cpu_ns"),
    ("no run tells both times of its process", "the record is of before the parent's time was kept"),
    "this project: CPU time of the programs' processes outside the call (loading, decoding, encoding) and of "
    "the processes that grade and measure, over all of it; not in it: processes that made inputs and "
    "expected results, judges' processes, and the one that writes the journal",
)
DEFINITIONS = (BASELINE_CPU, HARNESS_SHARE)


@dataclass(frozen=True, slots=True)
class Baseline:
    """What is taken off: CPU time of the call, and memory above what was resident.

    ``loaded_bytes``: resident when such a program is loaded, null where nobody read it. Below ``floor_ns`` a
    time is not told apart from none. ``n`` runs of a program that does nothing; 0 where there were none, and
    then nothing is taken off.
    """

    cpu_ns: float = 0.0
    peak_bytes: float = 0.0
    floor_ns: float = MIN_FLOOR_NS
    n: int = 0
    loaded_bytes: float | None = None


def baseline_of(runs: Sequence[CodeRun]) -> Baseline:
    """Return the minimum over the runs of a program that does nothing.

    The floor is how far above it they usually are: half of them are nearer.
    """
    mine = [r for r in runs if r.purpose is Purpose.BASELINE and r.outcome is Outcome.RETURNED]
    times = [float(run.cpu_ns) for run in mine if run.cpu_ns is not None]
    if not times:
        return Baseline()
    least = min(times)
    loaded = [run.loaded_bytes for run in mine if run.loaded_bytes is not None]
    return Baseline(
        least,
        min((float(run.peak_bytes) for run in mine if run.peak_bytes is not None), default=0.0),
        max(MIN_FLOOR_NS, float(np.median(times)) - least),
        len(times),
        float(np.median(loaded)) if loaded else None,
    )


def call_ns(run: CodeRun, baseline: Baseline) -> float | None:
    """Return the CPU time of a run's call above the baseline, at least the floor; null where it was not read.

    A time below the floor counts as the floor, so no ratio is ever made of nothing, and none too favourable.
    """
    if run.cpu_ns is None:
        return None
    return max(run.cpu_ns - baseline.cpu_ns, baseline.floor_ns)


def peak_above_bytes(run: CodeRun, baseline: Baseline) -> float | None:
    """Return the peak of memory above the baseline's, at least the floor; null where it was not read."""
    if run.peak_bytes is None:
        return None
    return max(run.peak_bytes - baseline.peak_bytes, float(MEMORY_FLOOR_BYTES))


def baseline_cpu_s(baseline: Baseline) -> Value:
    """Return the CPU time of a program that does nothing."""
    if baseline.n == 0:
        return withheld("s", Reason.NOT_MEASURED, detail=NO_BASELINE)
    return Value(baseline.cpu_ns / NS_PER_S, "s", n=baseline.n)


def harness_share(runs: Sequence[CodeRun]) -> Value:
    """Return which share of all CPU time the harness spent around the calls and in its own processes."""
    known = [
        (run.cpu_around_ns, run.cpu_ns)
        for run in runs
        if run.cpu_around_ns is not None and run.cpu_ns is not None
    ]
    parents = [run.cpu_parent_ns for run in runs if run.cpu_parent_ns is not None]
    around, inside = sum(a for a, _ in known) + sum(parents), sum(c for _, c in known)
    if not known or not parents or not around + inside > 0:
        return withheld("1", Reason.NOT_MEASURED)
    return Value(around / (around + inside), "1", n=len(known))
