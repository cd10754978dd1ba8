"""Two models held against each other problem by problem, so that a difference has an interval."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from joulemark.metrics.code.by_group import Figures
from joulemark.metrics.code.corrected import corrected
from joulemark.metrics.code.environments import ratios_of
from joulemark.metrics.code.over_tasks import geometric_mean_of
from joulemark.metrics.code.sample import by_problem, samples_of
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.paired_proportions import paired_interval
from joulemark.metrics.value import Value, withheld
from joulemark.record.code_run import CodeRun
from joulemark.record.reason import Reason

_NO_JUDGED = "no problem was judged for both"
_NONE = "no problem has right answers of both that were measured beside the reference"
_ENDED = "a limit or a failure on the scaled input ended a right answer to a problem that both solved"
_SAID = {
    _NO_JUDGED: "No problem was judged for both.",
    _NONE: "No problem has right answers of both that were measured beside the reference.",
    _ENDED: "A limit or a failure on the scaled input ended right answers to problems that both solved "
    "({} of {}): without these the rest would favour one of them.",
}

DIFFERENCE = MetricDefinition(
    "pass_at_1_difference",
    "pass@1: the second less the first",
    "1",
    r"\frac{1}{P} \sum_p s_{\mathrm{second},p} - s_{\mathrm{first},p}",
    ("code.correct", "code.outcome"),
    (_NO_JUDGED,),
    "R. Newcombe (1998), paired, method 10: of the share of right answers, problem by problem, over the "
    "problems that were judged for both; an interval that holds 0 tells no difference",
)
QUOTIENT = MetricDefinition(
    "net_corrected_quotient",
    "NET corrected: the second over the first",
    "1",
    r"\mathrm{exp}(\frac{1}{N} \sum_i \mathrm{log}\ (r_{\mathrm{second},i} / r_{\mathrm{first},i}))",
    ("cpu_ratio", "code.outcome"),
    (_NONE, _ENDED),
    "this project: geometric mean over the tasks that both solved of the quotient of their ratios to the one "
    "reference, tasks resampled for the interval; an interval that holds 1 tells no difference",
)
DEFINITIONS = (DIFFERENCE, QUOTIENT)


@dataclass(frozen=True, slots=True)
class ModelPair:
    """The figures of `DEFINITIONS` of two evaluations, by their labels."""

    first: str
    second: str
    figures: Figures


def model_pair(first: str, second: str, runs: Mapping[str, Sequence[CodeRun]]) -> ModelPair:
    """Compare two evaluations of the same problems on one machine."""
    mine, theirs = runs[first], runs[second]
    figures = {DIFFERENCE.name: _difference(mine, theirs), QUOTIENT.name: _quotient(mine, theirs)}
    return ModelPair(first, second, figures)


def _difference(first: Sequence[CodeRun], second: Sequence[CodeRun]) -> Value:
    a, b = _shares(first), _shares(second)
    both = [problem for problem in a if problem in b]
    if not both:
        return withheld("1", Reason.NOTHING_SCORED, detail=_SAID[_NO_JUDGED], n=0)
    shares = [a[problem] for problem in both], [b[problem] for problem in both]
    lo, hi = paired_interval(*shares)
    point = (math.fsum(shares[1]) - math.fsum(shares[0])) / len(both)
    return Value(point, "1", min(lo, point), max(hi, point), "ci95", n=len(both))


def _shares(runs: Sequence[CodeRun]) -> dict[str, float]:
    judged = by_problem([sample for sample in samples_of(runs) if sample.passed is not None])
    return {problem: sum(s.passed is True for s in mine) / len(mine) for problem, mine in judged.items()}


def _quotient(first: Sequence[CodeRun], second: Sequence[CodeRun]) -> Value:
    a, b = corrected(first).samples, corrected(second).samples
    both = sorted({one.problem for one in a} & {one.problem for one in b})
    mine, theirs = ratios_of(a), ratios_of(b)
    known = {
        task: above / below
        for task in both
        if isinstance(below := mine.get(task), float) and isinstance(above := theirs.get(task), float)
    }
    if len(known) < len(both):
        detail = _SAID[_ENDED].format(len(both) - len(known), len(both))
        return withheld("1", Reason.NOT_MEASURED, detail=detail, n=len(both))
    return geometric_mean_of(known, "1", detail=_SAID[_NONE])
