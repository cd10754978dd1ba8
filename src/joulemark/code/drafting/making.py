"""Inputs that a drafted generator makes in a contained process, one at a time: a failure has its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.code.cases.inputs import Wanted, seed_of
from joulemark.code.contain.cell import Cell, Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.agreement import holds_opaque
from joulemark.code.drafting.draft import Draft
from joulemark.code.drafting.verdict import Check
from joulemark.code.inside.plain import Plain, encode
from joulemark.code.problems.prelude import with_prelude
from joulemark.code.problems.problem import Problem
from joulemark.record.code_run import Outcome

_MOST_CPU_S = 30.0
_SMALL_SIZES = 5
_FIRST_NUMBER = 2_000_000
# The module's own random numbers are others each time: what is drawn from them is not drawn from ``rng``.
_WRAPPED = """

def joulemark_draft(seed, disturbance, size, shape):
    import random
    random.seed(disturbance)
    return generate(random.Random(seed), size, shape)
"""
Args = tuple[Plain, ...]


class NotMade(Exception):
    """A generator failed; ``check`` says at what."""

    def __init__(self, check: Check, why: str) -> None:
        super().__init__(why)
        self.check, self.why = check, why


@dataclass(frozen=True, slots=True)
class Asked:
    """The inputs that a draft is asked for, and which of them are for what.

    ``small``: sizes from 1 up; ``medium``: the smaller of its sizes, with several seeds; ``large``: the
    larger, with the first of those seeds. All shapes in turn, with the same seed for all.
    """

    small: tuple[Wanted, ...]
    medium: tuple[Wanted, ...]
    large: tuple[Wanted, ...]

    @property
    def all(self) -> tuple[Wanted, ...]:
        """Everything that is asked for, in order."""
        return (*self.small, *self.medium, *self.large)


def asked_of(problem: Problem, draft: Draft, least_distinct: int) -> Asked:
    """Return what a draft is asked for: at least twice as many inputs as must differ."""
    largest = min(draft.sizes[0], problem.brute_force_size or _SMALL_SIZES)
    small = tuple(
        Wanted(size, shape, seed_of(problem, 0, _FIRST_NUMBER + size))
        for size in range(1, min(largest, _SMALL_SIZES) + 1)
        for shape in draft.shapes
    )
    n_shapes = len(draft.shapes)
    n_seeds = max(3, -(-(2 * least_distinct - len(small) - n_shapes) // n_shapes))
    seeds = [seed_of(problem, 1, _FIRST_NUMBER + number) for number in range(n_seeds)]
    return Asked(
        small,
        tuple(Wanted(draft.sizes[0], shape, seed) for seed in seeds for shape in draft.shapes),
        tuple(Wanted(draft.sizes[1], shape, seeds[0]) for shape in draft.shapes),
    )


def make(
    sandbox: Sandbox, problem: Problem, source: str, wanted: Sequence[Wanted], disturbance: int
) -> list[Args]:
    """Return the arguments that a generator makes for each of ``wanted``. Raises `NotMade`.

    ``disturbance`` seeds the random numbers that are none of ``rng``.
    """
    made: list[Args] = []
    cpu_ns = 0
    try:
        with sandbox.cell() as cell:
            _load(cell, problem, source)
            for one in wanted:
                args, taken_ns = _made(cell, one, disturbance)
                made.append(args)
                cpu_ns += taken_ns
                if cpu_ns > _MOST_CPU_S * 1e9:
                    raise NotMade(
                        Check.MAKES,
                        f"making {len(made)} of {len(wanted)} inputs took more than {_MOST_CPU_S:g} s",
                    )
    except Ended as ended:
        raise NotMade(Check.LOADS, _how(ended.outcome, ended.detail)) from ended
    return made


def call_of(one: Wanted) -> str:
    """Return the call that makes an input, as a reader writes it."""
    return f"generate(rng, {one.size:_}, {one.shape!r})"


def _load(cell: Cell, problem: Problem, source: str) -> None:
    try:
        cell.load(with_prelude(problem.prelude, source + _WRAPPED), "joulemark_draft")
    except Ended as ended:
        raise NotMade(Check.LOADS, _how(ended.outcome, ended.detail)) from ended


def _made(cell: Cell, one: Wanted, disturbance: int) -> tuple[Args, int]:
    try:
        called = cell.call([encode((one.seed, disturbance, one.size, one.shape))])
    except Ended as ended:
        raise NotMade(Check.MAKES, f"{call_of(one)}: {_how(ended.outcome, ended.detail)}") from ended
    if called.outcome is not Outcome.RETURNED:
        raise NotMade(Check.MAKES, f"{call_of(one)}: {_how(called.outcome, called.detail)}")
    (value,) = called.values
    if not isinstance(value, tuple):
        kind = holds_opaque(value) or type(value).__name__
        raise NotMade(
            Check.MAKES,
            f"{call_of(one)} returned a {kind}, not a tuple of arguments (one alone is `return (x,)`)",
        )
    if (strange := holds_opaque(value)) is not None:
        raise NotMade(
            Check.MAKES,
            f"{call_of(one)} holds a {strange}; only plain data (lists, numbers, texts) can be sent",
        )
    return value, called.cpu_ns


def _how(outcome: Outcome, detail: str) -> str:
    return f"{outcome.value.replace('_', ' ')}{f' ({detail})' if detail else ''}"
