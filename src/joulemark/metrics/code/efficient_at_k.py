"""efficient@k and speedup as published, and faster@k: right answers told to be faster than the reference."""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence

from joulemark.metrics.code.over_tasks import ratio_of_sums, share_of
from joulemark.metrics.code.pair_ratio import Comparison
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.pass_at_k import chance_of_pass
from joulemark.metrics.code.run_time import mean_cpu_s
from joulemark.metrics.code.sample import Sample, by_problem
from joulemark.metrics.code.shares import NO_BAND, Told
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

_SOURCE = "Y. Peng et al., COFFE (FSE 2025)"
_CLOCK = "CPU time on the scaled input (theirs: instructions on their own inputs)"
_NOT_TIMED = "No answer was measured beside the reference."

_AT_K = r"\frac{1}{P} \sum_p 1 - \frac{(n_p - f_p)!\,(n_p - k)!}{(n_p - f_p - k)!\,n_p!}"
_WITHHELD_WHEN = (
    "a problem has fewer than k judged answers",
    "no answer was measured beside the reference",
)
_UNTIMED = (
    "Problems whose reference cannot be timed on a scaled input (no generator of sizes, or the right answers "
    "have no pairs) are left out; interval: Wilson's over problems, rather too wide where one has several "
    "answers"
)

EFFICIENT_AT_K = MetricDefinition(
    "efficient_at_k",
    "efficient@k, as published",
    "1",
    _AT_K,
    ("code.correct", "cpu_ratio"),
    _WITHHELD_WHEN,
    f"{_SOURCE}: f counts right answers whose ratio is below 1, by however little: of a program that is as "
    f"fast as the reference chance decides, and near one half of such count; see faster@k. {_UNTIMED}; "
    f"{_CLOCK}",
)
FASTER_AT_K = MetricDefinition(
    "faster_at_k",
    "faster@k",
    "1",
    _AT_K,
    ("code.correct", "cpu_ratio", "aa_band"),
    (*_WITHHELD_WHEN, "no A/A band was measured"),
    "this project: efficient@k in which f counts right answers faster than the reference beyond the A/A band "
    f"of as many pairs and beyond the interval of their ratio; a tie is not faster. {_UNTIMED}; {_CLOCK}",
)
SPEEDUP = MetricDefinition(
    "speedup",
    "Speedup: time of the references over that of the programs",
    "1",
    r"\sum_i t_{\mathrm{ref},i} / \sum_i t_i",
    ("code.correct", "code.cpu_ns"),
    (
        "no right answer was measured beside the reference",
        "a right answer came to no end on the scaled input",
    ),
    f"{_SOURCE}: over right answers; {_CLOCK}",
)
DEFINITIONS = (EFFICIENT_AT_K, FASTER_AT_K, SPEEDUP)


def efficient_at_k(
    samples: Sequence[Sample],
    paired: Sequence[PairedSample],
    k: int = 1,
    *,
    scalable: Collection[str] | None = None,
) -> Value:
    """Return efficient@k as published, over the problems whose reference can be timed; ``n``: those.

    A problem with right answers can be where one of them has pairs. One without has none whatever it is:
    ``scalable`` says which could have (null: all), and there no answer is faster.
    """
    faster = {
        (one.problem, one.number)
        for one in paired
        if one.ratio.ratio.value is not None and one.ratio.ratio.value < 1
    }
    return _at_k(samples, {one.problem for one in paired}, faster, k, scalable)


def faster_at_k(
    samples: Sequence[Sample], told: Sequence[Told], k: int = 1, *, scalable: Collection[str] | None = None
) -> Value:
    """Return efficient@k of answers that are faster beyond noise; over the same problems."""
    if told and all(one.band is None for one in told):
        return withheld("1", Reason.NOT_MEASURED, detail=NO_BAND, n=0)
    faster = {(one.sample.problem, one.sample.number) for one in told if one.against is Comparison.FASTER}
    return _at_k(samples, {one.sample.problem for one in told}, faster, k, scalable)


def _at_k(
    samples: Sequence[Sample],
    timed: Collection[str],
    faster: Collection[tuple[str, int]],
    k: int,
    scalable: Collection[str] | None,
) -> Value:
    if not timed:
        return withheld("1", Reason.NOT_MEASURED, detail=_NOT_TIMED, n=0)
    chances: dict[str, float] = {}
    for problem, mine in by_problem([sample for sample in samples if sample.passed is not None]).items():
        if problem not in timed and (
            any(sample.counts_for_cost for sample in mine) or not (scalable is None or problem in scalable)
        ):
            continue
        if len(mine) < k:
            detail = f"A problem has fewer than {k} judged answers."
            return withheld("1", Reason.NOT_APPLICABLE, detail=detail)
        n_faster = sum((problem, sample.number) in faster for sample in mine)
        chances[problem] = chance_of_pass(len(mine), n_faster, k)
    return share_of(math.fsum(chances.values()), len(chances), detail=_NOT_TIMED)


def speedup(paired: Sequence[PairedSample]) -> Value:
    """Return the reference's time over the answers', as sums over tasks; withheld where a limit ended one."""
    if any(one.ratio.n_censored or one.has_failed for one in paired):
        detail = "A right answer was ended by a limit, or failed, on the scaled input: its time is not known."
        return withheld("1", Reason.NOT_MEASURED, detail=detail)
    theirs = mean_cpu_s(paired, lambda one: one.reference)
    return ratio_of_sums(theirs, mean_cpu_s(paired), "1", detail=_NOT_TIMED)
