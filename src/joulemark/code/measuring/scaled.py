"""Inputs so large that the reference takes long enough to be timed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.inputs import Wanted, make_inputs, seed_of
from joulemark.code.inside.plain import encode
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.problems.problem import Problem
from joulemark.record.code_run import Outcome, Purpose
from joulemark.record.errors import InputError

TARGET_NS = 25_000_000
"""What the reference is to take: above the 20 ms from which one call a process is enough."""
LEAST_NS = 20_000_000
_MOST_STEPS = 7
_LARGEST_STEP = 16.0
_BEYOND = 8  # how far past the generator's own larger size inputs may grow
_FIRST_NUMBER = 1_000_000  # numbers of these inputs; those of tests stay far below


@dataclass(frozen=True, slots=True)
class Scaled:
    """The input of timing: a case of each shape, of ``size``; the reference took ``reference_ns`` on them.

    ``is_fixed``: the size was given, so that several evaluations have the same one.
    """

    size: int
    cases: tuple[Case, ...]
    reference_ns: int
    is_fixed: bool = False

    @property
    def is_long_enough(self) -> bool:
        """Whether the reference takes long enough to be timed by one call a process.

        At a size that was found before, the machine may be faster today: half as long is enough then.
        """
        return self.reference_ns >= (LEAST_NS / 2 if self.is_fixed else LEAST_NS)


def scaled_cases(
    bench: Bench, size: int, shapes: tuple[str, ...], *, first: int = _FIRST_NUMBER
) -> tuple[Case, ...]:
    """Return a case of each shape; the canonical solution says what is expected.

    Raises `InputError` where the generator or the canonical solution fails at that size, and where an input
    is too large to be sent.
    """
    from joulemark.code.cases.make import results_of

    problem = bench.problem
    wanted = [Wanted(size, shape, seed_of(problem, 0, first + i)) for i, shape in enumerate(shapes)]
    made = make_inputs(bench.sandbox, problem, wanted)
    if len(made) < len(wanted):
        raise InputError(
            f"{problem.problem_id} has no input of size {size}",
            why=f"{len(wanted) - len(made)} of {len(wanted)} are too large to be sent",
            fix="choose smaller SIZES in its generator",
        )
    arguments = [one.args for one in made]
    expected = results_of(bench.sandbox, problem, problem.canonical, arguments, "the canonical solution")
    return tuple(
        Case(first + i, Kind.GENERATED, one.args, encode(one.args), result, one.wanted.size, one.wanted.shape)
        for i, (one, result) in enumerate(zip(made, expected, strict=True))
    )


def scale(bench: Bench, known_size: int | None = None) -> Scaled | None:
    """Find the size at which the reference takes about `TARGET_NS` over one case of each shape.

    ``known_size``: one that was found before; it is taken where the reference takes long enough at it. Null
    where the problem has no generator that scales. The largest size that was tried is returned where none is
    large enough: a generator or a canonical solution that fails at a larger one ends the growing. Raises
    `InputError` where they fail at the smallest.
    """
    generator = bench.problem.generator
    if generator is None or generator.sizes is None:
        return None
    if known_size is not None and (known := _at(bench, known_size, generator.shapes)) is not None:
        fixed = replace(known, is_fixed=True)
        if fixed.is_long_enough:
            return fixed
    smallest, largest = generator.sizes
    ceiling = largest * _BEYOND
    found = Scaled(smallest, scaled_cases(bench, smallest, generator.shapes), 0)
    found = replace(found, reference_ns=_taken_ns(bench, found.cases) or 0)
    previous: Scaled | None = None
    for _ in range(_MOST_STEPS):
        if found.reference_ns == 0 or found.reference_ns >= LEAST_NS or found.size >= ceiling:
            break
        size = min(ceiling, max(found.size + 1, _next_size(found, previous)))
        larger = _at(bench, size, generator.shapes)
        if larger is None:
            break  # too large for the limits, or for the problem's own parts: what was found before stands
        previous, found = found, larger
    return found if found.reference_ns else None


def _at(bench: Bench, size: int, shapes: tuple[str, ...]) -> Scaled | None:
    """Return the input of a size, null where the problem's own parts or the reference fail at it."""
    try:
        cases = scaled_cases(bench, size, shapes)
    except InputError:
        return None
    taken_ns = _taken_ns(bench, cases)
    return None if taken_ns is None else Scaled(size, cases, taken_ns)


def _next_size(found: Scaled, previous: Scaled | None) -> int:
    """Guess the size that takes the target, by the growth seen so far (at first: in proportion)."""
    exponent = 1.0
    if previous is not None and found.reference_ns > previous.reference_ns > 0 and found.size > previous.size:
        grown = log(found.reference_ns / previous.reference_ns) / log(found.size / previous.size)
        exponent = min(max(grown, 0.5), 4.0)
    factor: float = (1.1 * TARGET_NS / max(found.reference_ns, 100_000)) ** (1 / exponent)
    return round(found.size * min(factor, _LARGEST_STEP))


def _taken_ns(bench: Bench, cases: tuple[Case, ...]) -> int | None:
    run = bench.run(reference(bench.problem), cases, Purpose.PAIRED)
    return run.cpu_ns if run.outcome is Outcome.RETURNED else None


def reference(problem: Problem) -> Ran:
    """Return the problem's canonical solution as what runs."""
    return Ran(problem.problem_id, problem.canonical)
