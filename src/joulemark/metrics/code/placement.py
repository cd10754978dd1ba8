"""The worst and the best programs of one evaluation by each metric, and how many have no place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from joulemark.metrics.code.as_defined import Seen, sample_ratios
from joulemark.metrics.code.by_group import Extremes, Placed, Tags, extremes
from joulemark.metrics.code.growth import Growth
from joulemark.metrics.code.paired_sample import UNTOLD, PairedSample
from joulemark.metrics.code.sample import Sample
from joulemark.record.code_run import CodeRun, Purpose

_AS_DEFINED = {"net": "et", "nmu": "mu", "ntmu": "tmu"}
_NONE = Seen(None, is_bound=False)
_Place = tuple[str, int, float | None, bool]


def placement(
    runs: Sequence[CodeRun],
    samples: Sequence[Sample],
    paired: Sequence[PairedSample],
    growth: Sequence[Growth],
    tags: Mapping[str, Tags],
) -> dict[str, Extremes]:
    """Return the worst and the best by metric; what a limit ended is at least as bad as its bound says.

    What was measured and has no value is counted, but for memory so small on both sides that none is told.
    """
    programs = {(sample.problem, sample.number): sample.program for sample in samples}

    def of(values: Iterable[_Place]) -> Extremes:
        all_of = list(values)
        placed = [
            Placed(problem, number, programs[problem, number], value, is_at_least=is_bound)
            for problem, number, value, is_bound in all_of
            if value is not None and math.isfinite(value)
        ]
        return extremes(placed, tags, n_unplaced=len(all_of) - len(placed))

    found = {
        "cpu_ratio": of(
            (one.problem, one.number, one.ratio.at_least, True)
            if one.ratio.ratio.value is None
            else (one.problem, one.number, one.ratio.ratio.value, False)
            for one in paired
        ),
        "memory_ratio": of(
            (one.problem, one.number, one.memory_ratio_at_least, one.ratio.n_censored > 0)
            for one in paired
            if one.memory_figure.detail != UNTOLD
        ),
        "memory_time_ratio": of(
            (one.problem, one.number, one.memory_time_ratio, False)
            for one in paired
            if one.memory_time_figure.detail != UNTOLD
        ),
        "growth_excess": of((one.problem, one.number, one.excess.value, False) for one in growth),
    }
    whole = [s for s in samples if s.counts_for_cost and s.of(Purpose.WHOLE)]
    for name, what in _AS_DEFINED.items():
        seen = sample_ratios(runs, samples, what)
        each = ((s.problem, s.number, seen.get((s.problem, s.number), _NONE)) for s in whole)
        found[name] = of((problem, number, one.value, one.is_bound) for problem, number, one in each)
    return found
