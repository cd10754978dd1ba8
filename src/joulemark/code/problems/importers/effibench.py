"""EffiBench: LeetCode-like tasks as a class with one method, tests as ``assert solution.method(…) == …``."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from joulemark.code.problems.importers.asserts import (
    CANDIDATE,
    IsCall,
    cases_of,
    script,
    settled,
)
from joulemark.code.problems.importers.effibench_prelude import PRELUDE, SAME
from joulemark.code.problems.importers.rows import Row, make_problems
from joulemark.code.problems.problem import DIFFICULTIES, Example, Generator, Problem
from joulemark.code.problems.prompt import task_prompt
from joulemark.code.problems.syntax import definitions, function_of, lines_of, parse, split_lines

ORIGIN = "effibench"
LICENCE = "Apache-2.0; texts derived from LeetCode"
FIELDS = ("problem_idx", "canonical_solution", "test_case")
HOLDER = "Solution"
_INSTANCE = "solution"

_GENERATE = """

def generate(rng, size, shape):
    import random as _random

    _random.seed(rng.getrandbits(64))
    made = generate_test_case()
    if isinstance(made, tuple) and len(made) == {arity} + 1:
        return tuple(made[:-1])
    if isinstance(made, tuple) and len(made) == 2 and isinstance(made[0], (list, tuple)):
        if len(made[0]) == {arity}:
            return tuple(made[0])
    raise ValueError("the generator does not give {arity} arguments and a result")
"""


def read(rows: Sequence[Row]) -> tuple[Problem, ...]:
    """Return the problems of EffiBench's records. Raises `InputError`."""
    return make_problems(rows, _problem)


def effibench_id(row: Row) -> str:
    """Return a record's id."""
    identity = row.identity("problem_idx")
    return f"EffiBench/{identity}"


def _problem(row: Row) -> Problem:
    canonical, tests = row.source("canonical_solution"), row.source("test_case")
    method = _method(row, canonical, tests)
    entry_point = f"{HOLDER}.{method}"
    small = row.source("small_test_cases") if row.fields.get("small_test_cases") else ""
    is_call = _is_call(method)
    cases = settled(cases_of(parse(tests).body, is_call))
    shown = settled(cases_of(parse(small).body, is_call))
    statement = row.text("markdown_description" if "markdown_description" in row.fields else "description")
    return Problem(
        problem_id=effibench_id(row),
        title=row.text("task_name") if "task_name" in row.fields else method,
        statement=statement.strip(),
        entry_point=entry_point,
        canonical=canonical,
        origin=ORIGIN,
        licence=LICENCE,
        prelude=PRELUDE,
        prompt=task_prompt(statement, entry_point=entry_point, assertions=small or _first_lines(tests, 3)),
        examples=tuple(
            Example(args, result) for args, result in zip(shown.inputs, shown.expected or (), strict=False)
        ),
        inputs=cases.inputs,
        expected=cases.expected,
        checker=cases.checker,
        test_source=_script(tests, method),
        generator=_generator(row, canonical, entry_point),
        algorithms=_algorithms(row),
        difficulty=_difficulty(row),
    )


def _method(row: Row, canonical: str, tests: str) -> str:
    """Return the one method of the solution that the tests call."""
    owner = definitions(parse(canonical)).get(HOLDER)
    if not isinstance(owner, ast.ClassDef):
        raise row.fault(f'"canonical_solution" defines no class {HOLDER}')
    methods = {one.name for one in owner.body if isinstance(one, ast.FunctionDef)}
    called = {
        node.func.attr
        for node in ast.walk(parse(tests))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id == _INSTANCE
    }
    found = sorted(called & methods)
    if len(found) != 1:
        what = f"several methods ({', '.join(found)})" if found else "no method"
        raise row.fault(f'"test_case" calls {what} of the solution, and one can be measured')
    return found[0]


def _is_call(method: str) -> IsCall:
    def tells(node: ast.expr) -> bool:
        match node:
            case ast.Attribute(value=ast.Name(id=name), attr=attribute):
                return name == _INSTANCE and attribute == method
        return False

    return tells


class _Compared(ast.NodeTransformer):
    """Compares nodes by what they hold, and makes solutions that call the candidate."""

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        """Put ``_same`` in place of ``==``."""
        self.generic_visit(node)
        if len(node.ops) == 1 and isinstance(node.ops[0], ast.Eq | ast.NotEq):
            call = ast.Call(ast.Name("_same", ast.Load()), [node.left, node.comparators[0]], [])
            return call if isinstance(node.ops[0], ast.Eq) else ast.UnaryOp(ast.Not(), call)
        return node

    def visit_Call(self, node: ast.Call) -> ast.Call:
        """Put our own class in place of the solution's."""
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id == HOLDER and not node.args:
            return _made_solution()
        return node


def _made_solution() -> ast.Call:
    return ast.Call(ast.Name("_Solution", ast.Load()), [ast.Name(CANDIDATE, ast.Load())], [])


def _script(tests: str, method: str) -> str:
    tree = parse(tests)
    _Compared().visit(tree)
    first = ast.Assign([ast.Name(_INSTANCE, ast.Store())], _made_solution())
    return script([first, *tree.body], PRELUDE + "\n\n" + SAME.replace("{method}", method))


def _generator(row: Row, canonical: str, entry_point: str) -> Generator | None:
    """Return the record's own generator, whose inputs are small whatever is asked for; null for none."""
    if (
        not isinstance(row.fields.get("test_case_generator"), str)
        or not row.text("test_case_generator").strip()
    ):
        return None
    source = row.source("test_case_generator")
    tree, lines = parse(source), split_lines(source)
    function = function_of(parse(canonical), entry_point)
    if "generate_test_case" not in definitions(tree) or function is None:
        return None
    for node in reversed(tree.body):
        if isinstance(node, ast.If):  # what it does when it is run as a script
            first, last = lines_of(node)
            del lines[first - 1 : last]
    arity = len(function.args.posonlyargs) + len(function.args.args) - 1
    made = "".join(lines).rstrip() + "\n" + _GENERATE.replace("{arity}", str(arity))
    return Generator(source=PRELUDE + "\n\n" + made)


def _first_lines(tests: str, n: int) -> str:
    lines = [line for line in tests.strip().splitlines() if line.strip()][:n]
    return "\n".join([f"{_INSTANCE} = {HOLDER}()", *lines])


def _difficulty(row: Row) -> str | None:
    value = row.fields.get("difficulty")
    return value.lower() if isinstance(value, str) and value.lower() in DIFFICULTIES else None


def _algorithms(row: Row) -> tuple[str, ...]:
    value = row.fields.get("algorithms", row.fields.get("tags"))
    if isinstance(value, str):
        value = value.split(",")
    if not isinstance(value, list):
        return ()
    return tuple(
        one.strip().lower().replace(" ", "_").replace("-", "_") for one in value if isinstance(one, str)
    )
