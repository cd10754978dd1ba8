"""What a program took for all tests one after another in one process."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.metrics.code.baseline import MIB, NS_PER_S
from joulemark.record.code_run import CodeRun, Outcome, Purpose

MIN_MEMORY_SAMPLES = 5
ALIKE = 0.1
"""The memory of a run too short to sample lies between two bounds: their middle is taken where the upper is
at most so much more."""


@dataclass(frozen=True, slots=True)
class Profile:
    """What a whole run took: seconds, MiB, MiB·s; null where it was not seen, or too short to sample."""

    et: float | None
    mu: float | None
    tmu: float | None
    n_memory_samples: int | None = None


def profile_of(runs: Sequence[CodeRun]) -> Profile | None:
    """Return the profile of a program's whole runs, the mean where there are several; null for none."""
    ended = [run for run in runs if run.purpose is Purpose.WHOLE and run.outcome is Outcome.RETURNED]
    if not ended:
        return None
    return Profile(
        _mean([run.wall_ns / NS_PER_S for run in ended if run.wall_ns is not None]),
        _mean([peak for run in ended if (peak := peak_mib(run)) is not None]),
        _mean([area for run in ended if (area := _area_mib_s(run)) is not None]),
        min((run.n_memory_samples for run in ended if run.n_memory_samples is not None), default=None),
    )


def beside(reference: Sequence[CodeRun], runs: Sequence[CodeRun]) -> tuple[CodeRun, ...]:
    """Return the whole runs of the reference on the inputs that programs had; all where none are theirs.

    ``runs``: the programs' own, of one problem. Answers have inputs of their own (`CodeRun.pair`).
    """
    pairs = {run.pair for run in runs if run.purpose is Purpose.WHOLE}
    return tuple(run for run in reference if run.pair in pairs) or tuple(reference)


def _is_sampled(run: CodeRun) -> bool:
    return run.n_memory_samples is not None and run.n_memory_samples >= MIN_MEMORY_SAMPLES


def _area_mib_s(run: CodeRun) -> float | None:
    """Return the memory over time: sampled, or by bounds that are so close that it hardly matters."""
    if _is_sampled(run) and run.memory_mib_s is not None:
        return run.memory_mib_s
    most_mib = peak_mib(run)
    if most_mib is None or run.resident_bytes is None or run.ended_bytes is None or run.wall_ns is None:
        return None
    least_mib = (run.resident_bytes + min(0, run.ended_bytes)) / MIB
    if not least_mib > 0 or most_mib > (1 + ALIKE) * least_mib:
        return None
    return (least_mib + most_mib) / 2 * run.wall_ns / NS_PER_S


def peak_mib(run: CodeRun) -> float | None:
    """Return the largest resident memory of a run."""
    if run.resident_bytes is None or run.peak_bytes is None:
        return None
    return (run.resident_bytes + run.peak_bytes) / MIB


def _mean(values: Sequence[float]) -> float | None:
    return math.fsum(values) / len(values) if values else None
