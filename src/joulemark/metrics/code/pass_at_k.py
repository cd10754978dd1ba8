"""pass@k: the chance that one of k answers to a problem is right."""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.metrics.code.over_tasks import share_of
from joulemark.metrics.code.sample import Sample, by_problem
from joulemark.metrics.definition import MetricDefinition
from joulemark.metrics.value import Value, withheld
from joulemark.record.reason import Reason

PASS_AT_K = MetricDefinition(
    "pass_at_k",
    "pass@k",
    "1",
    r"\frac{1}{P} \sum_p 1 - \frac{(n_p - c_p)!\,(n_p - k)!}{(n_p - c_p - k)!\,n_p!}",
    ("code.correct", "code.outcome"),
    ("a problem has fewer than k judged answers", "nothing was judged"),
    "M. Chen et al., Evaluating Large Language Models Trained on Code (2021), unbiased form, mean over "
    "problems; interval: Wilson's over problems, rather too wide where a problem has several answers",
)
DEFINITIONS = (PASS_AT_K,)


def chance_of_pass(n: int, right: int, k: int) -> float:
    """Return the chance that k of n answers, of which ``right`` are right, hold a right one; 1 <= k <= n."""
    if not (1 <= k <= n and 0 <= right <= n):
        raise ValueError(f"no k = {k} of n = {n} answers with {right} right ones")
    return 1.0 - math.comb(n - right, k) / math.comb(n, k)


def pass_at_k(samples: Sequence[Sample], k: int) -> Value:
    """Return pass@k over the problems of the judged samples; ``n`` is the number of problems."""
    problems = by_problem([sample for sample in samples if sample.passed is not None])
    if not problems:
        return withheld("1", Reason.NOTHING_SCORED, n=0)
    short = sum(len(mine) < k for mine in problems.values())
    if short:
        detail = f"{short} of {len(problems)} problems have fewer than {k} judged answers."
        return withheld("1", Reason.NOT_APPLICABLE, detail=detail, n=len(problems))
    chances = [
        chance_of_pass(len(mine), sum(s.passed is True for s in mine), k) for mine in problems.values()
    ]
    return share_of(math.fsum(chances), len(chances))
