"""What a model is asked: for a generator, for a mended one, and for tests that it writes itself."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from joulemark.code.drafting.draft import MAX_SHAPES
from joulemark.code.drafting.verdict import Verdict
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.prompt import shown as as_python
from joulemark.code.problems.syntax import NotPython, function_of, parse

_MOST_CALLS = 4
_CALL_CHARS = 300
_SOLUTION_CHARS = 3_000
_PROGRAM_CHARS = 3_000  # of an earlier try that is shown again: small models have a small context
_DETAIL_CHARS = 600
_GENERATOR_RULES = """
- Answer with one ```python block. It sets `SIZES` and `SHAPES` and defines `generate(rng, size, shape)`.
  It may import the standard library only, and it prints nothing.
- `generate` returns a tuple: the arguments of one call{call}. One argument alone is `return (x,)`.
- Arguments are plain data (numbers, texts, lists, tuples, dictionaries) and valid by the task's limits,
  for every `size` from 1 up to the larger of `SIZES`.
- `size` is about the length of the input, or whatever the work of a solution grows with.
- Every random number comes from `rng`, a `random.Random`: the same rng, size and shape give the same
  arguments. Nothing is kept between calls.
- `SHAPES` is a tuple of two to {shapes} names of kinds of inputs, the most usual one first. Each gives
  other inputs.
- `SIZES` is `(small, large)`: a good solution takes less than a millisecond for the small one, and about 50
  milliseconds for the large one.
- `generate` does not solve the task, and takes no longer than a good solution does.
""".strip()
_FORM = """```python
SIZES = (1_000, 100_000)
SHAPES = ("random", "few_values")


def generate(rng, size, shape):
    ...
```"""
_TEST_RULES = """
- Answer with one ```python block that holds {n} lines and nothing else.
- Each line is one test, `assert {call} == expected`, with arguments and result written out as plain data.
- All tests differ, and none is among the examples.
""".strip()


def generator_prompt(problem: Problem) -> str:
    """Return the prompt that asks for a generator of a problem."""
    call = f" of `{_called(problem)}`" if problem.entry_point else ": the text that the program reads"
    rules = _GENERATOR_RULES.format(call=call, shapes=MAX_SHAPES)
    parts = [
        "Write a Python function that makes inputs for tests of the task below, of any size.",
        rules,
        f"# Form\n\n{_FORM}",
        f"# Task\n\n{problem.statement.strip()}",
        *_calls(problem),
    ]
    if len(problem.canonical) <= _SOLUTION_CHARS:
        parts.append(f"# A good solution\n\n```python\n{problem.canonical.strip()}\n```")
    return "\n\n".join(parts) + "\n"


def feedback(verdicts: Sequence[Verdict]) -> str:
    """Return the prompt that says why a generator was not accepted and asks for a mended one."""
    failed = [one for one in verdicts if one.passed is False]
    lines = [f"- Not so: {one.check.value}. {one.detail[:_DETAIL_CHARS]}".rstrip() for one in failed]
    return (
        "That generator was not accepted:\n\n"
        + "\n".join(lines)
        + "\n\nWrite the whole block again, mended, by the same rules.\n"
    )


def program_again(program: str | None) -> str | None:
    """Return an earlier try as the model's own message, null where there is none or it is too long."""
    if program is None or len(program) > _PROGRAM_CHARS:
        return None
    return f"```python\n{program.strip()}\n```"


def tests_prompt(problem: Problem, n: int) -> str:
    """Return the prompt that asks for ``n`` tests, written out. It shows no solution."""
    rules = _TEST_RULES.format(n=n, call=_test_call(problem))
    return (
        "\n\n".join(
            [
                f"Write {n} tests of a Python function that solves the task below.",
                rules,
                f"# Task\n\n{problem.statement.strip()}",
                *_calls(problem),
            ]
        )
        + "\n"
    )


def _called(problem: Problem) -> str:
    """Return the head of the function that is called, as far as the solution's text says it."""
    name = problem.entry_point.rpartition(".")[2]
    try:
        function = function_of(parse(problem.canonical), problem.entry_point)
    except NotPython:
        function = None
    return name if function is None else f"{name}({ast.unparse(function.args)})"


def _test_call(problem: Problem) -> str:
    holder, _, name = problem.entry_point.rpartition(".")
    return f"{holder}().{name}(arguments)" if holder else f"{name}(arguments)"


def _calls(problem: Problem) -> list[str]:
    known = [(one.args, as_python(one.result)) for one in problem.examples]
    if not known and problem.expected is not None:
        pairs = zip(problem.inputs, problem.expected, strict=False)
        known = [(args, as_python(result)) for args, result in pairs]
    if not known:
        known = [(args, "") for args in (*problem.inputs, *problem.edge_cases)]
    name = problem.entry_point.rpartition(".")[2]
    lines = []
    for args, result in known:
        line = f"{name}({', '.join(map(as_python, args))})" + (f" == {result}" if result else "")
        if len(line) <= _CALL_CHARS:
            lines.append(line)
    if not lines:
        return []
    return ["# Examples\n\n```python\n" + "\n".join(lines[:_MOST_CALLS]) + "\n```"]
