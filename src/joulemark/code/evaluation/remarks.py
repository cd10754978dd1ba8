"""What the author of a sound problem should know: tests all small, a reference that cannot be timed."""

from __future__ import annotations

from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.measuring.once import Bench
from joulemark.code.measuring.scaled import LEAST_NS, scale
from joulemark.code.problems.problem import Problem
from joulemark.record.errors import InputError

NO_SIZES = (
    "its inputs are of no chosen size: there are no pairs and no growth, and so no corrected figure, "
    "efficient@1, speedup or DPS (`joulemark code draft-generator` has a model write a generator)"
)


def remarks(sandbox: Sandbox, problem: Problem) -> list[str]:
    """Return what keeps a sound problem from telling programs apart, in words; nothing where nothing does."""
    return [*_of_tests(problem), *_of_time(sandbox, problem)]


def _of_tests(problem: Problem) -> list[str]:
    generator = problem.generator
    if generator is None or generator.sizes is None or generator.sizes[0] > problem.brute_force_size:
        return []
    largest = max(generator.sizes[0], problem.brute_force_size)
    return [f"no made test is larger than {largest}: raise the first of SIZES, up to which tests are made"]


def _of_time(sandbox: Sandbox, problem: Problem) -> list[str]:
    generator = problem.generator
    if generator is None or generator.sizes is None:
        return [NO_SIZES]
    try:
        with Judge(sandbox, problem) as judge:
            scaled = scale(Bench(sandbox, problem, judge))
    except InputError as error:
        return [f"the reference cannot be timed: {error.what}: {error.why}"]
    if scaled is None:
        return ["the reference cannot be timed at the smallest size"]
    if scaled.is_long_enough:
        return []
    took = f"{scaled.reference_ns / 1e6:.1f} ms at size {scaled.size}, the largest that was made"
    needed = f"pairs and growth need {LEAST_NS // 10**6} ms: raise the second of SIZES"
    return [f"the reference is too fast to be timed: {took}, and {needed}"]
