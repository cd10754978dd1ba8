"""What the pairs of one sample tell: its CPU time and memory at the scaled input, beside the reference's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from joulemark.metrics.code.baseline import (
    MEMORY_FLOOR_BYTES,
    MIB,
    NS_PER_S,
    Baseline,
    call_ns,
    peak_above_bytes,
)
from joulemark.metrics.code.held_memory import held_mib
from joulemark.metrics.code.outside_call import is_told, work_outside_ns
from joulemark.metrics.code.pair_ratio import PairRatio, instruction_ratio, is_limited, pair_ratio
from joulemark.metrics.code.pairs import Pair
from joulemark.metrics.code.sample import Sample
from joulemark.metrics.code.whole_profile import MIN_MEMORY_SAMPLES
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun, Outcome
from joulemark.record.reason import Reason

NOT_READ = "The memory was not read, or the runs were too short to sample it."
UNTOLD = "Neither program takes so much memory above the baseline (256 KiB) that a kernel tells it from none."
_FLOOR_MIB = MEMORY_FLOOR_BYTES / MIB


@dataclass(frozen=True, slots=True)
class Side:
    """One side of the pairs: CPU seconds, MiB above the baseline and MiB·s, medians of its runs.

    The candidate's seconds are the reference's times the ratio: at the speed that the machine had when the
    reference ran. Memory that it held before the call is in both; ``held_mib`` says how much that is.
    ``is_time_told``: whether its memory over time is told apart from none. Null where it was not read, or
    where a limit ended a run: then ``memory_at_least_mib`` is the most that was seen of it.
    """

    cpu_s: float | None = None
    memory_mib: float | None = None
    memory_mib_s: float | None = None
    held_mib: float | None = None
    is_time_told: bool = False
    memory_at_least_mib: float | None = None


@dataclass(frozen=True, slots=True)
class PairedSample:
    """A right sample, the ratio of its CPU time, and both sides of its pairs.

    ``instructions``: the ratio of instructions. ``outside_s``: CPU time outside its calls that it is charged.
    ``has_failed``: on the scaled input it raised or crashed, with no limit reached. ``size`` of that input.
    """

    problem: str
    number: int
    program: str
    ratio: PairRatio
    candidate: Side
    reference: Side
    instructions: Value
    outside_s: float = 0.0
    has_failed: bool = False
    size: int | None = None

    @property
    def is_outside_told(self) -> bool:
        """Whether what it is charged for work outside its calls is so much that pairs tell it."""
        return is_told(self.outside_s, (self.candidate.cpu_s or self.outside_s) - self.outside_s)

    @property
    def memory_ratio(self) -> float | None:
        """Peak memory over the reference's, null where it is not known."""
        return self.memory_figure.value

    @property
    def memory_time_ratio(self) -> float | None:
        """Memory over time, over the reference's; null where it is not known."""
        return self.memory_time_figure.value

    @property
    def memory_figure(self) -> Value:
        """Peak memory over the reference's, or why it is not known."""
        return _over(self.candidate.memory_mib, self.reference.memory_mib, is_told=self.uses_memory)

    @property
    def memory_ratio_at_least(self) -> float | None:
        """Peak memory over the reference's, or a lower bound of it where a limit ended the program."""
        if self.ratio.n_censored == 0:
            return self.memory_ratio
        seen, theirs = self.candidate.memory_at_least_mib, self.reference.memory_mib
        if theirs is None:
            return None
        return max(seen or 0.0, _FLOOR_MIB) / theirs

    @property
    def memory_time_figure(self) -> Value:
        """Memory over time, over the reference's, or why it is not known."""
        return _over(
            self.candidate.memory_mib_s, self.reference.memory_mib_s, is_told=self.uses_memory_over_time
        )

    @property
    def uses_memory(self) -> bool:
        """Whether either side's peak memory is told apart from none."""
        peaks = (self.candidate.memory_mib, self.reference.memory_mib)
        return any(peak is not None and peak > _FLOOR_MIB for peak in peaks)

    @property
    def uses_memory_over_time(self) -> bool:
        """Whether either side's memory is, on average over its time, told apart from none."""
        return self.candidate.is_time_told or self.reference.is_time_told


def paired_samples(
    samples: Sequence[Sample], pairs: Mapping[tuple[str, int], Sequence[Pair]], baseline: Baseline
) -> tuple[PairedSample, ...]:
    """Return what the pairs tell of each right sample that has some."""
    found = []
    for sample in samples:
        mine = pairs.get((sample.problem, sample.number), ())
        if sample.counts_for_cost and mine:
            outside_ns = work_outside_ns(mine)
            theirs_mib, mine_mib = held_mib(mine, baseline)
            ratio, reference_s = pair_ratio(mine, baseline), _reference_s(mine, baseline)
            times = ratio.ratio.value
            cpu_s = None if reference_s is None or times is None else reference_s * times
            found.append(
                PairedSample(
                    sample.problem,
                    sample.number,
                    sample.program,
                    ratio,
                    _side([pair.candidate for pair in mine], baseline, mine_mib, cpu_s),
                    _side([pair.reference for pair in mine], baseline, theirs_mib, reference_s),
                    instruction_ratio(mine).ratio,
                    outside_ns / NS_PER_S,
                    has_failed=any(_failed(pair) for pair in mine),
                    size=mine[0].candidate.size,
                )
            )
    return tuple(found)


def _failed(pair: Pair) -> bool:
    is_sound = pair.reference.outcome is Outcome.RETURNED
    return is_sound and pair.candidate.outcome is not Outcome.RETURNED and not is_limited(pair.candidate)


def _reference_s(pairs: Sequence[Pair], baseline: Baseline) -> float | None:
    """Return the median of the reference's runs: of the least of them more runs would find a smaller one."""
    ended = [pair.reference for pair in pairs if pair.reference.outcome is Outcome.RETURNED]
    times = [time for run in ended if (time := call_ns(run, baseline)) is not None]
    return float(np.median(times)) / NS_PER_S if times else None


def _side(runs: Sequence[CodeRun], baseline: Baseline, held_mib: float | None, cpu_s: float | None) -> Side:
    if any(run.outcome is not Outcome.RETURNED for run in runs):
        seen = [peak / MIB for run in runs if (peak := peak_above_bytes(run, baseline)) is not None]
        return Side(memory_at_least_mib=max(seen) + (held_mib or 0.0) if seen else None)
    if held_mib is None:
        return Side(cpu_s)
    peaks = [peak / MIB + held_mib for run in runs if (peak := peak_above_bytes(run, baseline)) is not None]
    areas = [area for run in runs if (area := _area(run, baseline, held_mib)) is not None]
    floors = [_FLOOR_MIB * (run.wall_ns or 0) / NS_PER_S for run in runs if _is_sampled(run)]
    area = float(np.median(areas)) if areas else None
    return Side(
        cpu_s,
        float(np.median(peaks)) if peaks else None,
        area,
        held_mib,
        area is not None and area > float(np.median(floors)),
    )


def _area(run: CodeRun, baseline: Baseline, held_mib: float) -> float | None:
    """Return the integral of the memory above the baseline, at least that of the smallest peak told apart."""
    if not _is_sampled(run) or run.memory_above_mib_s is None or run.wall_ns is None:
        return None
    seconds = run.wall_ns / NS_PER_S
    above = run.memory_above_mib_s + (held_mib - baseline.peak_bytes / MIB) * seconds
    return max(above, _FLOOR_MIB * seconds)


def _is_sampled(run: CodeRun) -> bool:
    sampled = run.memory_above_mib_s is not None and (run.n_memory_samples or 0) >= MIN_MEMORY_SAMPLES
    return sampled and bool(run.wall_ns)


def _over(mine: float | None, theirs: float | None, *, is_told: bool) -> Value:
    """Return a ratio of memory; where neither is told apart from none it is not known that they are alike."""
    if mine is None or theirs is None:
        return withheld("1", Reason.NOT_MEASURED, detail=NOT_READ)
    if not is_told:
        return withheld("1", Reason.NOT_MEASURED, detail=UNTOLD)
    return Value(mine / theirs, "1")
