"""CPU time of one run of a right program on the scaled input, by problem."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from joulemark.metrics.code.paired_sample import PairedSample, Side


def candidate_side(one: PairedSample) -> Side:
    """Return the side of the program that is judged."""
    return one.candidate


def reference_side(one: PairedSample) -> Side:
    """Return the side of the reference that ran beside it."""
    return one.reference


def mean_cpu_s(
    paired: Sequence[PairedSample], side: Callable[[PairedSample], Side] = candidate_side
) -> dict[str, float]:
    """Return seconds by problem, the mean over its right programs; what a limit ended has none."""
    found: dict[str, list[float]] = {}
    for one in paired:
        if one.candidate.cpu_s is not None and (cpu_s := side(one).cpu_s) is not None:
            found.setdefault(one.problem, []).append(cpu_s)
    return {problem: math.fsum(mine) / len(mine) for problem, mine in found.items()}
