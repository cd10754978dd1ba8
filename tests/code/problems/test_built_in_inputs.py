"""The generators of the built-in problems: a seed has one input, and all programs agree on it."""

from __future__ import annotations

import math

from doubles.apart import run_apart
from joulemark.code.problems.problem import Comparison
from joulemark.code.problems.registry import built_in

_JOB = """
def job(generator, programs, entry_point, shapes):
    generate = load(generator)["generate"]
    found = []
    for shape in shapes:
        for size in (1, 3, 21):
            args, again = (generate(random.Random(size), size, shape) for _ in range(2))
            results = [entry(one, entry_point)(*copy.deepcopy(args)) for one in programs]
            found.append([shape, size, args == again, results])
    return found
"""


def test_a_seed_has_one_input_and_the_slow_programs_agree_with_the_reference_there() -> None:
    problems = built_in().problems
    jobs = []
    for one in problems:
        assert one.generator is not None
        programs = [one.canonical, *one.slow.values()]
        jobs.append([one.generator.source, programs, one.entry_point, list(one.generator.shapes)])
    for one, found in zip(problems, run_apart(_JOB, jobs), strict=True):
        assert isinstance(found, list), (one.problem_id, found)
        for shape, size, repeats, results in found:
            where = (one.problem_id, shape, size)
            assert repeats, where
            if one.checker.comparison is Comparison.EQUAL:
                assert all(result == results[0] for result in results), where
            elif one.checker.comparison is Comparison.CLOSE and isinstance(results[0], float):
                assert all(math.isclose(result, results[0], abs_tol=1e-9) for result in results), where
