"""What the pairs of one sample tell: its CPU time and memory at the scaled input, beside the reference's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.code.as_defined import MIN_MEMORY_SAMPLES
from joulemark.metrics.code.baseline import (
    MEMORY_FLOOR_BYTES,
    MIB,
    NS_PER_S,
    Baseline,
    call_ns,
    charged_bytes,
)
from joulemark.metrics.code.outside_call import work_outside_ns
from joulemark.metrics.code.pair_ratio import PairRatio, pair_ratio
from joulemark.metrics.code.pairs import Pair
from joulemark.metrics.code.sample import Sample
from joulemark.record.code_run import CodeRun, Outcome

_FLOOR_MIB = MEMORY_FLOOR_BYTES / MIB


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the pairs: CPU seconds (least of its runs), MiB above the baseline and MiB·s (medians).

    Null where it was not read, or where a limit ended a run.
    """

    cpu_s: float | None = None
    memory_mib: float | None = None
    memory_mib_s: float | None = None


@dataclass(frozen=True, slots=True)
class PairedSample:
    """A right sample, the ratio of its CPU time, and both sides of its pairs."""

    problem: str
    number: int
    program: str
    ratio: PairRatio
    candidate: Side
    reference: Side

    @property
    def memory_ratio(self) -> float | None:
        """Peak memory over the reference's, null where it is not known."""
        return self._over_reference(self.candidate.memory_mib, self.reference.memory_mib)

    @property
    def memory_time_ratio(self) -> float | None:
        """Memory over time, over the reference's; null where it is not known."""
        return self._over_reference(self.candidate.memory_mib_s, self.reference.memory_mib_s)

    @property
    def uses_memory(self) -> bool:
        """Whether either side's peak memory is told apart from none."""
        peaks = (self.candidate.memory_mib, self.reference.memory_mib)
        return any(peak is not None and peak > _FLOOR_MIB for peak in peaks)

    def _over_reference(self, mine: float | None, theirs: float | None) -> float | None:
        # where neither is told apart from no memory at all it is not known that they are alike
        if mine is None or theirs is None or not self.uses_memory:
            return None
        return mine / theirs


def paired_samples(
    samples: Sequence[Sample], pairs: Mapping[tuple[str, int], Sequence[Pair]], baseline: Baseline
) -> tuple[PairedSample, ...]:
    """Return what the pairs tell of each right sample that has some."""
    found = []
    for sample in samples:
        mine = pairs.get((sample.problem, sample.number), ())
        if sample.right and mine:
            found.append(
                PairedSample(
                    sample.problem,
                    sample.number,
                    sample.program,
                    pair_ratio(mine, baseline),
                    _side([pair.candidate for pair in mine], baseline, work_outside_ns(mine)),
                    _side([pair.reference for pair in mine], baseline),
                )
            )
    return tuple(found)


def _side(runs: Sequence[CodeRun], baseline: Baseline, extra_ns: float = 0.0) -> Side:
    if any(run.outcome is not Outcome.RETURNED for run in runs):
        return Side()
    times = [time for run in runs if (time := call_ns(run, baseline)) is not None]
    peaks = [peak for run in runs if (peak := charged_bytes(run, baseline)) is not None]
    areas = [area for run in runs if (area := _area(run, baseline)) is not None]
    return Side(
        (min(times) + extra_ns) / NS_PER_S if times else None,
        float(np.median(peaks)) / MIB if peaks else None,
        float(np.median(areas)) if areas else None,
    )


def _area(run: CodeRun, baseline: Baseline) -> float | None:
    """Return the integral of the memory above the baseline, at least that of the smallest peak told apart."""
    if run.memory_above_mib_s is None or (run.n_memory_samples or 0) < MIN_MEMORY_SAMPLES or not run.wall_ns:
        return None
    seconds = run.wall_ns / NS_PER_S
    above = run.memory_above_mib_s - baseline.peak_bytes / MIB * seconds
    return max(above, MEMORY_FLOOR_BYTES / MIB * seconds)
