"""Making a problem's tests: edge cases and examples first, then generated ones of many sizes and shapes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from joulemark.code.cases.case import Case, Kind
from joulemark.code.cases.inputs import Wanted, level_inputs, make_inputs, seed_of
from joulemark.code.contain.called import Called
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.packed import Packed, pack
from joulemark.code.inside.plain import Plain
from joulemark.code.problems.prelude import with_prelude
from joulemark.code.problems.problem import Problem
from joulemark.record.code_run import Outcome
from joulemark.record.errors import InputError

DEFAULT_TESTS = 100
_SMALL_SHARE = 3  # every third generated test is small enough for brute force
_Args = tuple[Plain, ...]


def make_cases(
    sandbox: Sandbox,
    problem: Problem,
    n: int = DEFAULT_TESTS,
    seed: int | str = 0,
    *,
    cross_check: bool = True,
) -> tuple[Case, ...]:
    """Return ``n`` tests of a problem (fewer where it has no generator), with what is expected of each.

    Expected results are those of the canonical solution; those of small inputs are cross-checked with brute
    force, those of examples and given inputs with what their origin expects; ``cross_check``: whether they
    are. A problem's own checker is asked as it is about answers. Raises `InputError` where they differ or a
    part fails.
    """
    kinds, arguments, sizes = _inputs(sandbox, problem, n, seed)
    if not arguments:
        return ()
    sent = [pack(args) for args in arguments]
    expected = results_of(sandbox, problem, problem.canonical, sent, "the canonical solution")
    cases = tuple(
        Case(number, kind, args, packed, result, *size)
        for number, (kind, args, packed, result, size) in enumerate(
            zip(kinds, arguments, sent, expected, sizes, strict=True)
        )
    )
    if cross_check:
        with Judge(sandbox, problem) as judge:
            _agree_with_origin(judge, problem, cases)
            _agree_with_brute_force(sandbox, judge, problem, cases)
    return cases


def results_of(
    sandbox: Sandbox, problem: Problem, source: str, sent: Sequence[Packed], what: str
) -> tuple[Plain, ...]:
    """Return what a trusted program of the problem returns. Raises `InputError` where it fails."""
    return called_on(sandbox, problem, source, sent, what).values


def called_on(sandbox: Sandbox, problem: Problem, source: str, sent: Sequence[Packed], what: str) -> Called:
    """Return what was seen of a trusted program on all of ``sent``. Raises `InputError` where it fails."""
    try:
        with sandbox.cell() as cell:
            cell.load(with_prelude(problem.prelude, source), problem.entry_point)
            called = cell.call(sent)
    except Ended as ended:
        raise _unsound(problem, f"{what} failed", f"{ended.outcome}: {ended.detail}") from ended
    if called.outcome is not Outcome.RETURNED:
        raise _unsound(problem, f"{what} failed", f"{called.outcome}: {called.detail}")
    return called


def _inputs(
    sandbox: Sandbox, problem: Problem, n: int, seed: int | str
) -> tuple[list[Kind], list[_Args], list[tuple[int | None, str | None, int | None]]]:
    kinds = [Kind.EXAMPLE] * len(problem.examples) + [Kind.EDGE] * len(problem.edge_cases)
    kinds += [Kind.GIVEN] * len(problem.inputs)
    arguments = [*(one.args for one in problem.examples), *problem.edge_cases, *problem.inputs]
    sizes: list[tuple[int | None, str | None, int | None]] = [(None, None, None)] * len(arguments)
    # A problem's own inputs are its test: all of them are kept, and made ones fill up.
    wanted = _wanted(problem, n - len(arguments), seed)
    if wanted:
        made = make_inputs(sandbox, problem, wanted)
        arguments += [one.args for one in made]
        kinds += [Kind.GENERATED] * len(made)
        sizes += [(one.wanted.size, one.wanted.shape, None) for one in made]
    return kinds, arguments, sizes


def _wanted(problem: Problem, n: int, seed: int | str) -> list[Wanted]:
    """Return what is asked of the generator: sizes spread evenly in their logarithm, shapes in turn."""
    generator = problem.generator
    if generator is not None and generator.levels:
        return level_inputs(problem, 0, seed)
    if generator is None or generator.sizes is None or n <= 0:
        return []
    largest, small = generator.sizes[0], max(1, problem.brute_force_size)
    wanted = []
    for number in range(n):
        if problem.brute_force is not None and number % _SMALL_SHARE == 0:
            size = 1 + number // _SMALL_SHARE % small
        else:
            size = max(1, round(largest ** ((number + 1) / n)))
        wanted.append(
            Wanted(size, generator.shapes[number % len(generator.shapes)], seed_of(problem, seed, number))
        )
    return wanted


def _agree_with_origin(judge: Judge, problem: Problem, cases: Sequence[Case]) -> None:
    """Hold the canonical solution against the results that the origin names: of examples, of given inputs."""
    examples = [one.result for one in problem.examples]
    _agree(judge, problem, cases, examples, "its canonical solution is wrong on an example of its statement")
    given = cases[len(examples) + len(problem.edge_cases) :]
    what = "its canonical solution and an expected result of its own differ"
    _agree(judge, problem, given, problem.expected or (), what)


def _agree_with_brute_force(sandbox: Sandbox, judge: Judge, problem: Problem, cases: Sequence[Case]) -> None:
    if problem.brute_force is None:
        return
    small = [case for case in cases if case.size is not None and case.size <= problem.brute_force_size]
    if not small:
        return
    results = results_of(sandbox, problem, problem.brute_force, [case.sent for case in small], "brute force")
    _agree(judge, problem, small, results, "its canonical solution and brute force differ")


def _agree(judge: Judge, problem: Problem, cases: Sequence[Case], known: Sequence[Plain], what: str) -> None:
    """Judge the canonical solution's results as a candidate's: expected is what is ``known`` without it."""
    for case, result in zip(cases, known, strict=False):
        if not judge.is_right(replace(case, expected=result), case.expected):
            why = f"{_shown(case.args)} gives {_shown(case.expected)}, not {_shown(result)}"
            raise _unsound(problem, what, why)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 200 else f"{text[:200]}…"


def _unsound(problem: Problem, what: str, why: str) -> InputError:
    return InputError(
        f"{problem.problem_id} is no sound problem: {what}",
        why=why,
        fix="joulemark code problems --check   # says which problems are sound",
    )
