"""Inputs of a problem, made by its generator in a contained process."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from joulemark.code.contain.ended import Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.inside.packed import NO_REFERENCES, Packed, pack
from joulemark.code.inside.plain import Plain
from joulemark.code.problems.problem import Generator, Problem
from joulemark.record.code_run import Outcome
from joulemark.record.errors import InputError

_ENTRY_POINT = "joulemark_generate"
_SEEDED = """

def joulemark_generate(seed, size, shape):
    import random
    random.seed(seed)
    return generate(random.Random(seed), size, shape)
"""

_SEEDED_PACKED = f"""
{_SEEDED}

def joulemark_generate_packed(seed, size, shape):
    import gc, marshal
    gc.disable()  # it would look again and again at many objects that all are kept
    args = {_ENTRY_POINT}(seed, size, shape)
    return marshal.dumps(args, {NO_REFERENCES}) if type(args) is tuple else None
"""


@dataclass(frozen=True, slots=True)
class Wanted:
    """An input that is asked of a generator."""

    size: int
    shape: str
    seed: int


def seed_of(problem: Problem, seed: int | str, number: int) -> int:
    """Return the seed of an input by what draws it: the same for every model and on every machine."""
    text = f"{problem.problem_id}/{seed}/{number}"
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def level_inputs(problem: Problem, level: int, seed: int | str = 0) -> list[Wanted]:
    """Return what is asked of a generator that has levels, for one of them. Level 0 is for correctness."""
    generator = _generator(problem)
    return [
        Wanted(
            generator.levels[level], f"{level}/{case}", seed_of(problem, seed, 10_000 * (level + 1) + case)
        )
        for case in range(generator.cases_per_level[level])
    ]


@dataclass(frozen=True, slots=True)
class Made:
    """An input that was made: ``args`` as a generator returned them for ``wanted``."""

    wanted: Wanted
    args: tuple[Plain, ...]


def make_inputs(sandbox: Sandbox, problem: Problem, wanted: Sequence[Wanted]) -> list[Made]:
    """Return an input for each of ``wanted`` but those that are too large to be sent.

    Raises `InputError` where the generator fails.
    """
    source = problem.prelude + _generator(problem).source + _SEEDED
    orders = [pack((one.seed, one.size, one.shape)) for one in wanted]
    if (values := _all_at_once(sandbox, source, orders)) is not None:
        return [Made(one, _args(problem, value)) for one, value in zip(wanted, values, strict=True)]
    made: list[Made] = []
    try:
        with sandbox.cell() as cell:
            cell.load(source, _ENTRY_POINT)
            for one, order in zip(wanted, orders, strict=True):
                called = cell.call([order])
                if called.outcome is Outcome.OVER_OUTPUT:
                    continue
                if called.outcome is not Outcome.RETURNED:
                    raise _broken(problem, called.outcome, called.detail)
                made.append(Made(one, _args(problem, called.values[0])))
    except Ended as ended:
        raise _broken(problem, ended.outcome, ended.detail) from ended
    return made


def make_packed(sandbox: Sandbox, problem: Problem, wanted: Sequence[Wanted]) -> list[Packed]:
    """Return the inputs as they are sent, in a third of the time of `make_inputs`: nobody here reads them.

    Raises `InputError` where the generator fails, and where one is too large to be sent.
    """
    source = problem.prelude + _generator(problem).source + _SEEDED_PACKED
    orders = [pack((one.seed, one.size, one.shape)) for one in wanted]
    values = _all_at_once(sandbox, source, orders, "joulemark_generate_packed")
    if values is None and len(orders) > 1:  # too much together
        halves = (wanted[: len(wanted) // 2], wanted[len(wanted) // 2 :])
        return [packed for half in halves for packed in make_packed(sandbox, problem, half)]
    packed = [value for value in values or () if isinstance(value, bytes)]
    if len(packed) == len(wanted):
        return [*packed]
    made = make_inputs(sandbox, problem, wanted)  # what has nodes or the like, and what fails
    if len(made) < len(wanted):
        raise too_large(problem, wanted, len(wanted) - len(made))
    return [pack(one.args) for one in made]


def too_large(problem: Problem, wanted: Sequence[Wanted], n: int) -> InputError:
    """Return what is said where ``n`` of the inputs cannot be sent."""
    return InputError(
        f"{problem.problem_id} has no input of size {max(one.size for one in wanted)}",
        why=f"{n} of {len(wanted)} are too large to be sent",
        fix="choose smaller SIZES in its generator",
    )


def _all_at_once(
    sandbox: Sandbox, source: str, orders: Sequence[Packed], entry_point: str = _ENTRY_POINT
) -> tuple[Plain, ...] | None:
    """Return what a generator returns for all orders, asked for in one go.

    Null where one of them fails or all are too much together: one at a time it is told which, and why.
    """
    try:
        with sandbox.cell() as cell:
            cell.load(source, entry_point)
            called = cell.call(orders, as_bytes=True)
    except Ended:
        return None
    return called.values if called.outcome is Outcome.RETURNED else None


def _args(problem: Problem, args: Plain) -> tuple[Plain, ...]:
    if not isinstance(args, tuple):
        raise _broken(problem, "returned", f"it returned a {type(args).__name__}, not a tuple of arguments")
    return args


def _generator(problem: Problem) -> Generator:
    if problem.generator is None:
        raise InputError(
            f"no tests can be made for {problem.problem_id}",
            why="it has no generator",
            fix="joulemark code draft-generator PROBLEM   # has a model write one, and checks it",
        )
    return problem.generator


def _broken(problem: Problem, outcome: object, detail: str) -> InputError:
    return InputError(
        f"the generator of {problem.problem_id} failed ({outcome})",
        why=detail or "it gave no input",
        fix="joulemark code problems --check   # says which problems are sound",
    )
