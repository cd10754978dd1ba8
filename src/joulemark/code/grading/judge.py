"""A problem's own checker or test script, in a contained process that holds no candidate.

The candidate is a function there that is called elsewhere: its arguments and its results cross as plain data.
"""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterator
from types import TracebackType

from joulemark.code.cases.case import Case
from joulemark.code.contain.cell import Ask, Cell
from joulemark.code.contain.ended import Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.grading.compare import same
from joulemark.code.inside.packed import pack
from joulemark.code.inside.plain import Linked, Opaque, Plain, Tree
from joulemark.code.problems.importers.asserts import AS_TRUTH
from joulemark.code.problems.problem import Comparison, Problem
from joulemark.record.code_run import Outcome
from joulemark.record.errors import InputError

_SCRIPT = """

def joulemark_check():
    check(candidate)
    return True
"""
_CHECK = """

def joulemark_check(args, expected, got):
    return bool(check(args, expected, got))
"""
_FIX = "joulemark code problems --check   # says which problems are sound"


class Judge:
    """Decides about results of one problem: a context manager. Its process starts when it is first needed."""

    def __init__(self, sandbox: Sandbox, problem: Problem) -> None:
        self._sandbox = sandbox
        self._problem = problem
        self._cell: Cell | None = None

    def is_right(self, case: Case, got: Plain) -> bool:
        """Tell whether ``got`` answers a case. Raises `InputError` where the problem's checker fails."""
        checker = self._problem.checker
        if checker.comparison is not Comparison.CHECKER:
            return same(case.expected, got, checker)
        if checker != AS_TRUTH and not _may_be_right(case.expected, got):
            return False
        try:
            called = self._checking().call([pack((case.args, case.expected, got))])
        except Ended:
            self.close()  # a result may drive a checker to its limits: that is no right result
            return False
        return called.outcome is Outcome.RETURNED and called.values[0] is True

    def close(self) -> None:
        """End the checker's process."""
        if self._cell is not None:
            self._cell.close()
            self._cell = None

    def __enter__(self) -> Judge:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _checking(self) -> Cell:
        if self._cell is None:
            self._cell = self._sandbox.cell()
            source = f"{self._problem.prelude}\n{self._problem.checker.source or ''}{_CHECK}"
            try:
                self._cell.load(source, "joulemark_check")
            except Ended as ended:
                raise _failed(self._problem, ended.detail) from ended
        return self._cell


def passes_script(
    sandbox: Sandbox, problem: Problem, call: Callable[[tuple[Plain, ...]], Plain]
) -> str | None:
    """Run a problem's test script against ``call``; return null where it passes, else what it said.

    ``call`` may raise anything: it comes out of here as it is, for it says how the candidate ended.
    """
    failure: list[BaseException] = []
    n_asked = 0

    def ask(name: str, args: tuple[Plain, ...]) -> Plain:
        nonlocal n_asked
        n_asked += 1
        try:
            return call(args)
        except Exception as error:
            failure.append(error)
            raise RuntimeError("the candidate failed") from None

    answer: Ask = ask
    with sandbox.cell() as cell:
        try:
            cell.load(
                f"{problem.prelude}\n{problem.test_source}{_SCRIPT}", "joulemark_check", remote=["candidate"]
            )
            called = cell.call([pack(())], ask=answer)
        except Ended as ended:
            if failure:
                raise failure[0] from ended
            if n_asked:
                return f"its results led the test script to its end: {ended.outcome}"
            raise _failed(problem, f"{ended.outcome}: {ended.detail}") from ended
    if failure:
        raise failure[0]
    if called.outcome is Outcome.RETURNED and called.values == (True,):
        return None
    return called.detail or "a test was not passed"


def _may_be_right(expected: Plain, got: Plain) -> bool:
    """Tell whether a checker may be asked at all.

    A value of no plain type is equal to nothing. Not a number where none is expected is wrong before the
    checker sees it: every comparison with one is false, so ``max`` over errors drops it, and a test for too
    large an error lets it pass.
    """
    if any(isinstance(one, Opaque) for one in _parts(got)):
        return False
    return not any(map(_is_nan, _parts(got))) or any(map(_is_nan, _parts(expected)))


def _is_nan(value: Plain) -> bool:
    if isinstance(value, complex):
        return math.isnan(value.real) or math.isnan(value.imag)
    return isinstance(value, float) and math.isnan(value)


def _parts(value: Plain) -> Iterator[Plain]:
    """Yield a value and all it holds, at every depth."""
    left = [value]
    while left:
        one = left.pop()
        yield one
        if isinstance(one, dict):
            left += [part for pair in one.items() for part in pair]
        elif isinstance(one, (Linked, Tree)):
            left += one.values
        elif isinstance(one, (list, tuple, set, frozenset, deque)):
            left += one


def _failed(problem: Problem, why: str) -> InputError:
    return InputError(f"the tests of {problem.problem_id} cannot be run", why=why, fix=_FIX)
