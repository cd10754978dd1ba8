"""The programs of the built-in problems: the reference is right, and what is called slow is slow."""

from __future__ import annotations

import pytest

from doubles.apart import run_apart
from joulemark.code.cases.soundness import soundness
from joulemark.code.contain.limits import Limits
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.problems.registry import built_in

_SLOWER = 1.5
_JOB = """
import time

_SEEN, _LEAST_NS, _LONGEST_NS = 2.0, 50_000, 400_000_000


def cpu_ns(program, args, times):
    found = []
    for _ in range(times):
        given = copy.deepcopy(args)
        start = time.process_time_ns()
        program(*given)
        found.append(time.process_time_ns() - start)
    return min(found)


def job(generator, canonical, slow, entry_point, shapes, sizes):
    generate = load(generator)["generate"]
    reference, program = entry(canonical, entry_point), entry(slow, entry_point)
    size, best = sizes[0], 0.0
    while size <= 8 * sizes[1]:  # up to the largest size that pairs are run at
        longest = 0
        for shape in shapes:
            args = generate(random.Random(size), size, shape)
            theirs, its = cpu_ns(reference, args, 2), cpu_ns(program, args, 2)
            longest = max(longest, its)
            if theirs >= _LEAST_NS and its >= _SEEN * theirs:  # seen: now without what disturbed one of them
                best = max(best, cpu_ns(program, args, 5) / cpu_ns(reference, args, 5))
        if best >= _SEEN or longest > _LONGEST_NS:
            break
        size *= 2
    return best
"""


@pytest.mark.slow
def test_every_slow_program_takes_longer_than_the_reference_at_some_size() -> None:
    """Twice as long is looked for, so that half of that may be lost to a busy machine."""
    programs, jobs = [], []
    for one in built_in().problems:
        assert one.generator is not None
        assert one.slow, one.problem_id
        for name, slow in one.slow.items():
            generator = one.generator
            programs.append(f"{one.problem_id}: {name}")
            jobs.append(
                [generator.source, one.canonical, slow, one.entry_point, generator.shapes, generator.sizes]
            )
    found = dict(zip(programs, run_apart(_JOB, jobs), strict=True))
    assert {
        name: ratio for name, ratio in found.items() if not isinstance(ratio, float) or ratio < _SLOWER
    } == {}


def test_a_slow_program_that_is_not_slow_would_be_noticed() -> None:
    one = built_in().problems[0]
    assert one.generator is not None
    same = [one.generator.source, one.canonical, one.canonical, one.entry_point]
    (ratio,) = run_apart(_JOB, [[*same, one.generator.shapes[:1], [one.generator.sizes[0]] * 2]])  # type: ignore[index]
    assert ratio < _SLOWER


@pytest.mark.slow
def test_every_problem_is_sound(sandbox: Sandbox) -> None:
    """As `joulemark code problems --check` tells: the reference agrees with examples, brute force and all."""
    with Sandbox(sandbox.containment, Limits(wall_s=60, cpu_s=20)) as roomy:
        found = {one.problem_id: soundness(roomy, one) for one in built_in().problems}
    assert {name: faults for name, faults in found.items() if faults} == {}
    assert len(found) >= 60
