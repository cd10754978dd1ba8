"""COFFE: a folder of JSON files that share their keys, which are the prompts; functions or whole programs."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from joulemark.code.problems.importers.asserts import Cases
from joulemark.code.problems.importers.humaneval import statement_of, test_cases, test_script
from joulemark.code.problems.importers.mbpp import cases_of_lines, lines_script, mbpp_id
from joulemark.code.problems.importers.rows import Row, make_problems, read_document, read_rows
from joulemark.code.problems.problem import Checker, Comparison, Generator, Problem
from joulemark.code.problems.syntax import NotPython, definitions, parse, parse_expression
from joulemark.record.errors import InputError

FUNCTION = "coffe_function"
FILE = "coffe_file"
LICENCE = "Apache-2.0"
RENAMED = "solution"
"""What COFFE calls every function of its own solutions."""
DATA, BEST, STRESS = "data.json", "best_solutions.json", "stressful_testcases.json"
MAX_CASES = 100
_FENCE = "```python"
_STEM = "You are an expert Python programmer, and here is your task:"
_ENDS = ("Do not give explanations, only give the Python code.", "Python Solution:")

_STRESS = '''\
import random
import sys

sys.set_int_max_str_digits(0)

{functions}

def generate(rng, size, shape):
    """One of the inputs that are meant to be slow; ``size`` changes nothing."""
    random.seed(rng.getrandbits(64))
    return tuple(globals()["_input_" + shape.rpartition("/")[2]]())
'''
_STRESS_FILE = '''\
import random

_SOURCES = (
{sources}
)
_sample = random.sample


def _sample_of_sets(population, k, **options):
    """As it was before Python 3.11, when some of these were written: of sets too."""
    is_set = isinstance(population, (set, frozenset))
    return _sample(tuple(population) if is_set else population, k, **options)


def generate(rng, size, shape):
    """One of the inputs that are meant to be slow; ``size`` changes nothing."""
    random.seed(rng.getrandbits(64))
    if random.sample is _sample:
        random.sample = _sample_of_sets
    names = {{"__name__": "generator"}}
    exec(_SOURCES[int(shape.rpartition("/")[2])], names)
    return (str(names["generate_input"]()),)
'''


def kind_of(folder: Path) -> str | None:
    """Return which of COFFE's two sets a folder holds; null for neither."""
    if not all((folder / name).is_file() for name in (DATA, BEST, STRESS)):
        return None
    return FUNCTION if (folder / "testcases.json").is_file() else FILE


def read_folder(folder: Path, kind: str) -> tuple[Problem, ...]:
    """Return the problems of a folder of COFFE's. Raises `InputError`."""
    rows = read_rows(folder / DATA).rows
    best, stress = (_by_prompt(folder / name) for name in (BEST, STRESS))
    if kind == FUNCTION:
        return make_problems(rows, lambda row: _function(row, best, stress))
    numbered = {id(row): number for number, row in enumerate(rows)}
    return make_problems(rows, lambda row: _program(row, numbered[id(row)], best, stress))


def _by_prompt(path: Path) -> Mapping[str, Any]:
    document = read_document(path)
    if not isinstance(document, dict):
        raise InputError(f"{path} cannot be used", why="it is not an object whose keys are prompts")
    return document


def _function(row: Row, best: Mapping[str, Any], stress: Mapping[str, Any]) -> Problem:
    prompt, entry_point = row.text("final_prompt"), row.name("entry_point")
    completes = "test" in row.fields
    solution = _solution(row, best, prompt)
    row.check_source(solution, "its best solution")
    if RENAMED not in definitions(parse(solution)):
        raise row.fault(f"its best solution does not define `{RENAMED}`")
    statement, cases, script = _completed(row, prompt, entry_point) if completes else _asked(row, entry_point)
    generator = _stress(row, _listed(row, stress, prompt, STRESS))
    return Problem(
        problem_id=row.identity("task_id") if completes else mbpp_id(row),
        title=entry_point,
        statement=statement,
        entry_point=entry_point,
        canonical=f"{solution.rstrip()}\n\n\n{entry_point} = {RENAMED}\n",
        origin=FUNCTION,
        licence=f"{LICENCE}; MIT" if completes else f"{LICENCE}; CC-BY-4.0",
        prompt=prompt,
        completes_prompt=completes,
        inputs=cases.inputs,
        expected=cases.expected,
        checker=cases.checker,
        test_source=script,
        generator=generator,
    )


def _completed(row: Row, prompt: str, entry_point: str) -> tuple[str, Cases, str]:
    """Return the statement and the tests of a task of HumanEval's."""
    script = test_script(row, "test", row.text("prompt"), entry_point)
    return statement_of(prompt, entry_point), test_cases(row, "test"), script


def _asked(row: Row, entry_point: str) -> tuple[str, Cases, str]:
    """Return the statement and the tests of a task of MBPP's."""
    tests, code = row.texts("test_list"), row.source("code")
    script = lines_script(row, code, tests, entry_point)
    return row.text("prompt").strip(), cases_of_lines(tests, entry_point), script


def _solution(row: Row, best: Mapping[str, Any], prompt: str) -> str:
    value = best.get(prompt)
    if not isinstance(value, list) or not value or not isinstance(value[0], str):
        raise row.fault(f"{BEST} has no `[source, reads input]` for its prompt")
    return value[0]


def _listed(row: Row, stress: Mapping[str, Any], prompt: str, name: str) -> list[Any]:
    value = stress.get(prompt)
    if not isinstance(value, list) or not 0 < len(value) <= MAX_CASES:
        raise row.fault(f"{name} has no list of 1 to {MAX_CASES} inputs for its prompt")
    return value


def _stress(row: Row, given: list[Any]) -> Generator:
    """Return a generator of inputs written as expressions: text to be run in a sandbox only."""
    functions = []
    for number, one in enumerate(given):
        text = one.get("input") if isinstance(one, dict) else None
        if not isinstance(text, str):
            raise row.fault(f"its input {number + 1} in {STRESS} is no text")
        try:
            expression = parse_expression(text)
        except NotPython as error:
            raise row.fault(f"its input {number + 1} in {STRESS} is no expression: {error.why}") from error
        made = ast.unparse(expression)
        functions.append(f"def _input_{number}():\n    return {made}\n")
    return _of_cases(_STRESS.format(functions="\n\n".join(functions)), len(given))


def _program(row: Row, number: int, best: Mapping[str, Any], stress: Mapping[str, Any]) -> Problem:
    prompt = row.text("final_prompt")
    canonical = _solution(row, best, prompt)
    row.check_source(canonical, "its best solution")
    sources = _listed(row, stress, prompt, STRESS)
    for place, one in enumerate(sources):
        if not isinstance(one, str):
            raise row.fault(f"its input {place + 1} in {STRESS} is no text")
        row.check_source(one, f"its input {place + 1} in {STRESS}")
        if "generate_input" not in definitions(parse(one)):
            raise row.fault(f"its input {place + 1} in {STRESS} does not define `generate_input`")
    listed = "\n".join(f"    {one!r}," for one in sources)
    return Problem(
        problem_id=f"COFFE/file/{number}",
        title=f"COFFE file {number}",
        statement=_statement(prompt),
        entry_point="",
        canonical=canonical,
        origin=FILE,
        licence=f"{LICENCE}; {'CC-BY-4.0' if 'contests' in str(row.fields.get('dataset')) else 'MIT'}",
        prompt=prompt,
        checker=Checker(Comparison.TEXT),
        generator=_of_cases(_STRESS_FILE.format(sources=listed), len(sources)),
    )


def _of_cases(source: str, n_cases: int) -> Generator:
    return Generator(
        source=source,
        shapes=tuple(f"0/{case}" for case in range(n_cases)),
        levels=(1,),
        cases_per_level=(n_cases,),
    )


def _statement(prompt: str) -> str:
    """Return a prompt without what COFFE says to every model."""
    text = prompt.strip().removeprefix(_STEM).removesuffix(_FENCE).strip()
    for end in reversed(_ENDS):
        text = text.removesuffix(end).strip()
    return text
