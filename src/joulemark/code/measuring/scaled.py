"""Inputs so large that the reference takes long enough to be timed."""

from __future__ import annotations

from dataclasses import dataclass
from math import log

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.inputs import Wanted, make_inputs, seed_of
from joulemark.code.inside.plain import encode
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.problems.problem import Problem
from joulemark.record.code_run import Outcome, Purpose

TARGET_NS = 25_000_000
"""What the reference is to take: above the 20 ms from which one call a process is enough."""
LEAST_NS = 20_000_000
_MOST_STEPS = 8
_LARGEST_STEP = 16.0
_BEYOND = 8  # how far past the generator's own larger size inputs may grow
_FIRST_NUMBER = 1_000_000  # numbers of these inputs; those of tests stay far below


@dataclass(frozen=True, slots=True)
class Scaled:
    """The input of timing: a case of each shape, of ``size``; the reference took ``reference_ns`` on them."""

    size: int
    cases: tuple[Case, ...]
    reference_ns: int

    @property
    def is_long_enough(self) -> bool:
        """Whether the reference takes long enough to be timed by one call a process."""
        return self.reference_ns >= LEAST_NS


def scaled_cases(
    bench: Bench, size: int, shapes: tuple[str, ...], *, first: int = _FIRST_NUMBER
) -> tuple[Case, ...]:
    """Return a case of each shape; the canonical solution says what is expected. Raises `InputError`."""
    from joulemark.code.cases.make import results_of

    problem = bench.problem
    wanted = [Wanted(size, shape, seed_of(problem, 0, first + i)) for i, shape in enumerate(shapes)]
    made = make_inputs(bench.sandbox, problem, wanted)
    arguments = [one.args for one in made]
    expected = results_of(bench.sandbox, problem, problem.canonical, arguments, "the canonical solution")
    return tuple(
        Case(first + i, Kind.GENERATED, one.args, encode(one.args), result, one.wanted.size, one.wanted.shape)
        for i, (one, result) in enumerate(zip(made, expected, strict=True))
    )


def scale(bench: Bench) -> Scaled | None:
    """Find the size at which the reference takes about `TARGET_NS` over one case of each shape.

    Null where the problem has no generator that scales. The largest size that was tried is returned where
    none is large enough.
    """
    generator = bench.problem.generator
    if generator is None or generator.sizes is None:
        return None
    smallest, largest = generator.sizes
    ceiling = largest * _BEYOND
    size, found = smallest, None
    previous: tuple[int, int] | None = None
    for _ in range(_MOST_STEPS):
        cases = scaled_cases(bench, size, generator.shapes)
        taken = _taken_ns(bench, cases)
        if taken is None:
            break  # too large for the limits: what was found before stands
        found = Scaled(size, cases, taken)
        if taken >= LEAST_NS or size >= ceiling:
            break
        bigger = min(ceiling, max(size + 1, _next_size(size, taken, previous)))
        previous, size = (size, taken), bigger
    return found


def _next_size(size: int, taken_ns: int, previous: tuple[int, int] | None) -> int:
    """Guess the size that takes the target, by the growth seen so far (at first: in proportion)."""
    exponent = 1.0
    if previous is not None and previous[1] > 0 and taken_ns > previous[1] and size > previous[0]:
        exponent = min(max(log(taken_ns / previous[1]) / log(size / previous[0]), 0.5), 4.0)
    factor: float = (1.1 * TARGET_NS / max(taken_ns, 100_000)) ** (1 / exponent)
    return round(size * min(factor, _LARGEST_STEP))


def _taken_ns(bench: Bench, cases: tuple[Case, ...]) -> int | None:
    run = bench.run(reference(bench.problem), cases, Purpose.PAIRED)
    return run.cpu_ns if run.outcome is Outcome.RETURNED else None


def reference(problem: Problem) -> Ran:
    """Return the problem's canonical solution as what runs."""
    return Ran(problem.problem_id, problem.canonical)
