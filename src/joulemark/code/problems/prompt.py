"""What a model is asked: a description, worked examples, and assertions that fix the signature.

These are the parts of the paper's prompt (EffiBench, NeurIPS 2024) in words of our own. As there, nothing
asks for speed: what is measured is the code that a model writes unasked.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from joulemark.code.inside.plain import Linked, Plain, Tree
from joulemark.code.problems.problem import Comparison, Example, Problem
from joulemark.code.problems.syntax import NotPython, parameters

_RULES = (
    "Answer with one ```python block that holds the whole {what}, imports included.",
    "The block must pass the tests below; do not repeat them in it, and print nothing.",
)
_PROGRAM_RULES = (
    "Answer with one ```python block that holds the whole program, imports included.",
    "It reads standard input and prints to standard output nothing but what is asked for.",
)


def prompt_of(problem: Problem) -> str:
    """Return what the model is asked: the origin's own prompt where it has one."""
    if problem.prompt is not None:
        return problem.prompt
    return task_prompt(
        problem.statement,
        entry_point=problem.entry_point,
        examples=_examples(problem),
        assertions=assertions_of(problem),
    )


def task_prompt(statement: str, *, entry_point: str, examples: str = "", assertions: str = "") -> str:
    """Return a prompt made of its parts; an empty ``entry_point`` asks for a program."""
    holder, _, name = entry_point.rpartition(".")
    what = f"class `{holder}` with its method `{name}`" if holder else f"function `{name}`"
    rules = [one.format(what=what) for one in _RULES] if entry_point else list(_PROGRAM_RULES)
    if not assertions and entry_point:
        rules = rules[:1]
    asked = f"Write the Python {what} that solves this task." if entry_point else _PROGRAM
    parts = [asked, "\n".join(f"- {rule}" for rule in rules), f"# Task\n\n{statement.strip()}"]
    if examples.strip():
        parts.append(f"# Examples\n\n{examples.strip()}")
    if assertions.strip():
        parts.append(f"# Tests\n\n```python\n{assertions.strip()}\n```")
    return "\n\n".join(parts) + "\n"


_PROGRAM = "Write a Python program that solves this task."


def assertions_of(problem: Problem) -> str:
    """Return the examples as assertions, each with the comparison that the problem is graded by."""
    if not problem.examples or problem.reads_input:
        return ""
    holder, _, name = problem.entry_point.rpartition(".")
    lines = [f"{_VARIABLE} = {holder}()"] if holder else []
    called = f"{_VARIABLE}.{name}" if holder else name
    lines += [_assertion(called, one, problem) for one in problem.examples]
    imports = ["import math"] if any("math." in line for line in lines) else []
    return "\n".join(imports + lines)


_VARIABLE = "solution"


def _assertion(called: str, example: Example, problem: Problem) -> str:
    call = f"{called}({', '.join(map(shown, example.args))})"
    result = shown(example.result)
    checker = problem.checker
    match checker.comparison:
        case Comparison.CLOSE if type(example.result) is float:
            tolerances = f"rel_tol={checker.rel_tol!r}, abs_tol={checker.abs_tol!r}"
            return f"assert math.isclose({call}, {result}, {tolerances})"
        case Comparison.UNORDERED:
            return f"assert sorted({call}) == sorted({result})"
        case Comparison.UNORDERED_NESTED:
            return f"assert sorted(map(sorted, {call})) == sorted(map(sorted, {result}))"
        case Comparison.CHECKER:
            return f"{call}  # for instance {result}"
    return f"assert {call} == {result}"


def _examples(problem: Problem) -> str:
    names: Sequence[str] = ()
    try:
        names = parameters(problem.canonical, problem.entry_point)
    except NotPython:
        names = ()
    blocks = []
    for one in problem.examples:
        if problem.reads_input:
            blocks.append(f"Input:\n{one.args[0]}\nOutput:\n{one.result}")
            continue
        given = [shown(value) for value in one.args]
        if len(names) >= len(given):
            given = [f"{name} = {value}" for name, value in zip(names, given, strict=False)]
        blocks.append(f"Input: {', '.join(given)}\nOutput: {shown(one.result)}")
    return "\n\n".join(blocks)


def shown(value: Plain) -> str:
    """Return a value as Python writes it, nodes of lists and trees as calls that make them."""
    match value:
        case Linked(values=values):
            text = "None"
            for one in reversed(values):
                text = f"ListNode({shown(one)})" if text == "None" else f"ListNode({shown(one)}, {text})"
            return text
        case Tree(values=values):
            return _tree_shown(list(values))
        case float() if not math.isfinite(value):
            return f"float({str(value)!r})"
        case list():
            return f"[{', '.join(map(shown, value))}]"
        case tuple():
            return f"({', '.join(map(shown, value))}{',' if len(value) == 1 else ''})"
        case dict():
            return "{" + ", ".join(f"{shown(key)}: {shown(one)}" for key, one in value.items()) + "}"
    return repr(value)


def _tree_shown(values: list[Plain]) -> str:
    """Return the call that makes a tree of values by level."""
    if not values or values[0] is None:
        return "None"
    nodes: list[tuple[Plain, int | None, int | None]] = []
    places = iter(range(1, len(values)))
    for one in values:
        if one is None:
            nodes.append((None, None, None))
            continue
        nodes.append((one, next(places, None), next(places, None)))
    texts = ["None"] * len(values)
    for place in range(len(values) - 1, -1, -1):
        one, left, right = nodes[place]
        if one is None:
            continue
        children = ["None" if child is None else texts[child] for child in (left, right)]
        while children and children[-1] == "None":
            children.pop()
        texts[place] = f"TreeNode({', '.join([shown(one), *children])})"
    return texts[0]
