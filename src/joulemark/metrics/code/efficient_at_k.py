"""efficient@k and speedup: right answers that are faster than the best known one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from joulemark.metrics.code.over_tasks import mean_of, ratio_of_sums
from joulemark.metrics.code.paired_sample import PairedSample
from joulemark.metrics.code.pass_at_k import chance_of_pass
from joulemark.metrics.code.run_time import mean_cpu_s
from joulemark.metrics.code.sample import Sample, by_problem
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

_SOURCE = "Y. Peng et al., COFFE (FSE 2025)"
_CLOCK = "CPU time on the scaled input (theirs: instructions on their own inputs)"
_NOT_TIMED = "No answer was measured beside the reference."

EFFICIENT_AT_K = MetricDefinition(
    "efficient_at_k",
    "efficient@k",
    "1",
    r"\frac{1}{P} \sum_p 1 - \frac{(n_p - f_p)!\,(n_p - k)!}{(n_p - f_p - k)!\,n_p!}",
    ("code.correct", "cpu_ratio"),
    ("a problem has fewer than k judged answers", "no answer was measured beside the reference"),
    f"{_SOURCE}: f counts right answers strictly faster than the reference, ties by noise included; problems "
    "whose reference cannot be timed on a scaled input (no generator of sizes, or the right answers have no "
    f"pairs) are left out; {_CLOCK}",
)
SPEEDUP = MetricDefinition(
    "speedup",
    "Speedup",
    "1",
    r"\sum_i t_{\mathrm{ref},i} / \sum_i t_i",
    ("code.correct", "code.cpu_ns"),
    (
        "no right answer was measured beside the reference",
        "a right answer came to no end on the scaled input",
    ),
    f"{_SOURCE}: over right answers; {_CLOCK}",
)
DEFINITIONS = (EFFICIENT_AT_K, SPEEDUP)


def efficient_at_k(
    samples: Sequence[Sample],
    paired: Sequence[PairedSample],
    k: int = 1,
    *,
    scalable: Collection[str] | None = None,
) -> Value:
    """Return efficient@k over the problems whose reference can be timed; ``n``: those problems.

    A problem with right answers can be where one of them has pairs. One without has none whatever it is:
    ``scalable`` says which could have (null: all), and there no answer is faster.
    """
    if not paired:
        return withheld("1", Reason.NOT_MEASURED, detail=_NOT_TIMED, n=0)
    faster = {
        (one.problem, one.number)
        for one in paired
        if one.ratio.ratio.value is not None and one.ratio.ratio.value < 1
    }
    chances: dict[str, float] = {}
    timed = {one.problem for one in paired}
    for problem, mine in by_problem([sample for sample in samples if sample.passed is not None]).items():
        if problem not in timed and (
            any(sample.right for sample in mine) or not (scalable is None or problem in scalable)
        ):
            continue
        if len(mine) < k:
            detail = f"A problem has fewer than {k} judged answers."
            return withheld("1", Reason.NOT_APPLICABLE, detail=detail)
        n_faster = sum((problem, sample.number) in faster for sample in mine)
        chances[problem] = chance_of_pass(len(mine), n_faster, k)
    return mean_of(chances, "1")


def speedup(paired: Sequence[PairedSample]) -> Value:
    """Return the reference's time over the answers', as sums over tasks; withheld where a limit ended one."""
    if any(one.ratio.n_censored or one.has_failed for one in paired):
        detail = "A right answer was ended by a limit, or failed, on the scaled input: its time is not known."
        return withheld("1", Reason.NOT_MEASURED, detail=detail)
    theirs = mean_cpu_s(paired, lambda one: one.reference)
    return ratio_of_sums(theirs, mean_cpu_s(paired), "1", detail=_NOT_TIMED)
