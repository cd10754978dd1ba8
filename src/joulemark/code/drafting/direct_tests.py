"""Tests that a model writes itself, call and result: how many of them are right by the canonical solution.

The paper (EffiBench, NeurIPS 2024) has models write generators because tests that they write directly are
often wrong. This counts how often.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import islice

from joulemark.code.answers.blocks import blocks_of
from joulemark.code.answers.visible import visible_text
from joulemark.code.cases.case import Case, Kind
from joulemark.code.contain.cell import Cell, Ended
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.drafting.agreement import known_arguments
from joulemark.code.drafting.verdict import shown
from joulemark.code.grading.judge import Judge
from joulemark.code.inside.plain import Plain, TooLarge, encode
from joulemark.code.problems.importers import asserts
from joulemark.code.problems.importers.asserts import CANDIDATE, IsCall, cases_of
from joulemark.code.problems.prelude import with_prelude
from joulemark.code.problems.problem import Checker, Problem
from joulemark.code.problems.syntax import NotPython, parse
from joulemark.metrics.accuracy import wilson_interval
from joulemark.record.code_run import Outcome

_MOST_TESTS = 2_000
_MOST_LINES = 5_000
_MOST_CHARS = 2_000  # of a line that is tried on its own
_ASSERT = "assert "


class Standing(StrEnum):
    """What became of a test that a model wrote."""

    RIGHT = "right"
    WRONG = "wrong"
    REFUSED = "refused"
    NOT_PARSED = "not_parsed"
    COPIED = "copied"
    REPEATED = "repeated"
    SURPLUS = "surplus"


_JUDGED = (Standing.RIGHT, Standing.WRONG, Standing.REFUSED)


@dataclass(frozen=True, slots=True)
class Written:
    """One test. ``text`` as it was written; ``detail`` says what the canonical solution gives instead."""

    text: str
    standing: Standing
    detail: str = ""


@dataclass(frozen=True, slots=True)
class DirectTests:
    """The tests of one answer. ``n_asked``: how many were asked for."""

    n_asked: int
    tests: tuple[Written, ...]

    def n(self, standing: Standing) -> int:
        """Return how many tests became this."""
        return sum(one.standing is standing for one in self.tests)

    @property
    def n_judged(self) -> int:
        """Tests that could be read, are the model's own, and differ: those that the share is over."""
        return sum(one.standing in _JUDGED for one in self.tests)

    @property
    def share(self) -> float | None:
        """Right ones among those judged, null where there are none."""
        return self.n(Standing.RIGHT) / self.n_judged if self.n_judged else None

    @property
    def interval(self) -> tuple[float, float] | None:
        """The share's 95 % interval (Wilson 1927), null where there is no share."""
        return wilson_interval(self.n(Standing.RIGHT), self.n_judged) if self.n_judged else None


def judge_tests(sandbox: Sandbox, problem: Problem, answer: str, n_asked: int) -> DirectTests:
    """Read the tests in an answer and try each on the canonical solution.

    A test is right where its result is one by the problem's own comparison, or where the assertion holds as
    it is written. Examples of the statement that are copied, repeated tests and those beyond ``n_asked`` are
    counted and left out of the share. Raises `InputError` where the problem's checker fails.
    """
    copied = {_key(args) for args in known_arguments(problem)}
    seen: set[str] = set()
    found: list[Written] = []
    n_judged = 0
    with _Canonical(sandbox, problem) as canonical:
        for text, case in islice(_tests_of(answer, _is_call(problem)), _MOST_TESTS):
            key = None if case is None else _key(case.args)
            if case is None or key is None:
                found.append(Written(text, Standing.NOT_PARSED))
            elif key in copied:
                found.append(Written(text, Standing.COPIED))
            elif key in seen:
                found.append(Written(text, Standing.REPEATED))
            elif n_judged == n_asked:
                found.append(Written(text, Standing.SURPLUS))
            else:
                seen.add(key)
                n_judged += 1
                found.append(Written(text, *canonical.judged(case)))
    return DirectTests(n_asked, tuple(found))


def _key(args: tuple[Plain, ...]) -> str | None:
    try:
        return encode(args)
    except TooLarge:
        return None


class _Canonical:
    """The canonical solution, called by one test after another; a process that a test ends is made anew."""

    def __init__(self, sandbox: Sandbox, problem: Problem) -> None:
        self._sandbox, self._problem = sandbox, problem
        self._cell: Cell | None = None
        self._judges: dict[Checker, Judge] = {}

    def __enter__(self) -> _Canonical:
        return self

    def __exit__(self, *exc_info: object) -> None:
        self._end()
        for judge in self._judges.values():
            judge.close()

    def judged(self, case: asserts.Case) -> tuple[Standing, str]:
        """Tell what a test is, and why."""
        sent = encode(case.args)
        try:
            called = self._loaded().call([sent])
        except Ended as ended:
            self._end()
            return Standing.REFUSED, f"the canonical solution: {ended.outcome} ({ended.detail})"
        if called.outcome is not Outcome.RETURNED:
            return Standing.REFUSED, f"the canonical solution: {called.outcome} ({called.detail})"
        (result,) = called.values
        if self._is_right(self._problem.checker, case.args, result, case.expected):
            return Standing.RIGHT, ""
        if case.checker != Checker() and self._is_right(case.checker, case.args, case.expected, result):
            return Standing.RIGHT, ""
        return Standing.WRONG, f"the canonical solution gives {shown(result)}"

    def _is_right(self, checker: Checker, args: tuple[Plain, ...], expected: Plain, got: Plain) -> bool:
        judge = self._judges.get(checker)
        if judge is None:
            judge = Judge(self._sandbox, replace(self._problem, checker=checker))
            self._judges[checker] = judge
        return judge.is_right(Case(0, Kind.GIVEN, args, encode(args), expected), got)

    def _loaded(self) -> Cell:
        if self._cell is None:
            self._cell = self._sandbox.cell()
            problem = self._problem
            self._cell.load(with_prelude(problem.prelude, problem.canonical), problem.entry_point)
        return self._cell

    def _end(self) -> None:
        if self._cell is not None:
            self._cell.close()
            self._cell = None


def _tests_of(answer: str, is_call: IsCall) -> Iterator[tuple[str, asserts.Case | None]]:
    """Yield every assertion of an answer, with its case where it is a call of the function and plain data."""
    text = visible_text(answer)
    blocks = [one.text for one in blocks_of(text) if one.may_be_python]
    for source in blocks or [text]:
        yield from _of_source(source, is_call)


def _of_source(source: str, is_call: IsCall) -> Iterator[tuple[str, asserts.Case | None]]:
    try:
        statements = [one for one in ast.walk(parse(source)) if isinstance(one, ast.Assert)]
    except (NotPython, RecursionError):
        yield from _of_lines(source, is_call)
        return
    for one in sorted(statements, key=lambda node: node.lineno):
        cases = _read(one, is_call)
        yield ast.get_source_segment(source, one) or "", cases


def _of_lines(source: str, is_call: IsCall) -> Iterator[tuple[str, asserts.Case | None]]:
    """Read a text that is no Python as a whole line by line: one bad line must not hide the others."""
    for line in source.split("\n")[:_MOST_LINES]:
        text = line.strip().lstrip("-*0123456789.) ").strip("`")
        if not text.startswith(_ASSERT):
            continue
        try:
            (statement,) = parse(text, limit=_MOST_CHARS).body
        except (NotPython, ValueError, RecursionError):
            yield text, None
            continue
        yield text, _read(statement, is_call)


def _read(statement: ast.stmt, is_call: IsCall) -> asserts.Case | None:
    try:
        return next(iter(cases_of([statement], is_call)), None)
    except RecursionError:
        return None


def _is_call(problem: Problem) -> IsCall:
    """Return what tells calls of the problem's function: by its name, on any object where it is a method."""
    holder, _, name = problem.entry_point.rpartition(".")

    def tells(node: ast.expr) -> bool:
        match node:
            case ast.Name(id=called):
                return called == CANDIDATE or (called == name and not holder)
            case ast.Attribute(value=ast.Name() | ast.Call(), attr=called):
                return bool(holder) and called == name
        return False

    return tells
