"""Inputs so large that the reference takes long enough to be timed."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import log

from joulemark.code.cases.case import Case
from joulemark.code.cases.inputs import Wanted, seed_of
from joulemark.code.cases.make import called_on
from joulemark.code.measuring.drawn import made_cases
from joulemark.code.measuring.observed import Ran
from joulemark.code.measuring.once import Bench
from joulemark.code.problems.problem import Problem
from joulemark.record.errors import InputError

TARGET_NS = 23_000_000
"""What the reference is to take: above the 20 ms from which one call a process is enough."""
LEAST_NS = 20_000_000
KEPT_NS = 18_000_000
"""At a size that was found before; below it another is looked for. Inputs of one size differ a little."""
MOST_NS = 30_000_000
"""A reference that takes longer gets a smaller input where one between the last two sizes is large enough."""
_MOST_STEPS_BACK = 2
_MOST_STEPS = 7
_LARGEST_STEP = 16
_BEYOND = 8  # how far past the generator's own larger size inputs may grow
_FIRST_NUMBER = 1_000_000  # numbers of these inputs; those of tests stay far below


@dataclass(frozen=True, slots=True)
class Scaled:
    """The size of inputs for timing: the reference took ``reference_ns`` on ``cases``, one of each shape.

    Programs are timed on others of that size: no candidate meets these.
    ``is_checked``: the reference was run at it.
    """

    size: int
    cases: tuple[Case, ...]
    reference_ns: int
    is_checked: bool = True

    @property
    def is_long_enough(self) -> bool:
        """Whether the reference takes long enough to be timed by one call a process."""
        return self.reference_ns >= LEAST_NS


def unchecked(size: int) -> Scaled:
    """Return a size that was found before: the first pairs tell whether the reference takes long enough."""
    return Scaled(size, (), TARGET_NS, is_checked=False)


def scaled_cases(
    bench: Bench, size: int, shapes: tuple[str, ...], *, first: int = _FIRST_NUMBER, seed: str | None = None
) -> tuple[Case, ...]:
    """Return a case of each shape; the canonical solution says what is expected. ``seed``: null, the bench's.

    Raises `InputError` where the generator or the canonical solution fails at that size, and where an input
    is too large to be sent.
    """
    return _made(bench, size, shapes, first, seed)[0]


def _made(
    bench: Bench, size: int, shapes: tuple[str, ...], first: int = _FIRST_NUMBER, seed: str | None = None
) -> tuple[tuple[Case, ...], int]:
    """Return the cases of `scaled_cases`, and the CPU time that the canonical solution took for them (ns)."""
    problem = bench.problem
    draw = bench.seed if seed is None else seed
    wanted = [Wanted(size, shape, seed_of(problem, draw, first + i)) for i, shape in enumerate(shapes)]
    made = made_cases(bench, wanted, first)
    sent = [case.sent for case in made]
    called = called_on(bench.sandbox, problem, problem.canonical, sent, "the canonical solution")
    told = zip(made, called.values, strict=True)
    return tuple(replace(case, expected=result) for case, result in told), called.cpu_ns


def scale(bench: Bench) -> Scaled | None:
    """Find the size at which the reference takes about `TARGET_NS` over one case of each shape.

    Null where the problem has no generator that scales. The largest size that was tried is returned where
    none is large enough: a generator or a canonical solution that fails at a larger one ends the growing.
    Raises `InputError` where they fail at the smallest.
    """
    generator = bench.problem.generator
    if generator is None or generator.sizes is None:
        return None
    smallest, largest = generator.sizes
    ceiling = largest * _BEYOND
    # references take a millisecond or less at the smallest size: hardly any is timed there
    found = _at(bench, min(largest, smallest * _LARGEST_STEP), generator.shapes) or _smallest(bench)
    previous: Scaled | None = None
    for _ in range(_MOST_STEPS):
        if found.reference_ns >= LEAST_NS or found.size >= ceiling:
            break
        size = min(ceiling, max(found.size + 1, _next_size(found, previous)))
        larger = _at(bench, size, generator.shapes)
        if larger is None:
            break  # too large for the limits, or for the problem's own parts: what was found before stands
        previous, found = found, larger
    if found.reference_ns <= MOST_NS or found.size == smallest:
        return found
    return _not_too_long(bench, generator.shapes, previous or _smallest(bench), found)


def _smallest(bench: Bench) -> Scaled:
    """Return the input of the generator's smaller size. Raises `InputError`."""
    generator = bench.problem.generator
    assert generator is not None  # what is scaled has one
    assert generator.sizes is not None
    return Scaled(generator.sizes[0], *_made(bench, generator.sizes[0], generator.shapes))


def _not_too_long(bench: Bench, shapes: tuple[str, ...], shorter: Scaled, found: Scaled) -> Scaled:
    """Return an input between two where the larger takes the reference needlessly long: every run would."""
    for _ in range(_MOST_STEPS_BACK):
        if found.reference_ns <= MOST_NS or shorter.is_long_enough or found.size - shorter.size < 2:
            break
        size = min(max(_between(shorter, found), shorter.size + 1), found.size - 1)
        between = _at(bench, size, shapes)
        if between is None:
            break
        if between.is_long_enough:
            found = between
        else:
            shorter = between
    return found


def _between(shorter: Scaled, longer: Scaled) -> int:
    """Guess the size that takes the target, by the growth between two sizes."""
    factor: float = (TARGET_NS / max(shorter.reference_ns, 1)) ** (1 / _grown(shorter, longer))
    return round(shorter.size * factor)


def _grown(shorter: Scaled, longer: Scaled) -> float:
    grown = log(longer.reference_ns / max(shorter.reference_ns, 1)) / log(longer.size / shorter.size)
    return min(max(grown, 0.5), 4.0)


def _at(bench: Bench, size: int, shapes: tuple[str, ...]) -> Scaled | None:
    """Return the input of a size, null where the problem's own parts or the reference fail at it."""
    try:
        return Scaled(size, *_made(bench, size, shapes))
    except InputError:
        return None


def _next_size(found: Scaled, previous: Scaled | None) -> int:
    """Guess the size that takes the target, by the growth seen so far (at first: in proportion)."""
    exponent = 1.0
    if previous is not None and found.reference_ns > previous.reference_ns > 0 and found.size > previous.size:
        exponent = _grown(previous, found)
    factor: float = (TARGET_NS / max(found.reference_ns, 100_000)) ** (1 / exponent)
    return round(found.size * min(factor, _LARGEST_STEP))


def reference(problem: Problem) -> Ran:
    """Return the problem's canonical solution as what runs."""
    return Ran(problem.problem_id, problem.canonical)
