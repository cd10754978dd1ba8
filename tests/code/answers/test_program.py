from __future__ import annotations

import ast
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.apart import checked
from joulemark.code.answers.program import Extracted, Found, completion_of, program_of
from joulemark.code.answers.samples import extract, read_samples
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.registry import load_problems

_PROMPT = '''from typing import List
import math


def base() -> int:
    return 10


def total(values: List[int]) -> int:
    """Return the sum of the values and `base`."""
'''
_WHOLE = "def total(values):\n    return sum(values) + 10\n"
_TEST = "def check(candidate):\n    assert candidate([1, 2]) == 13\n"


def _problem(**changes: Any) -> Problem:
    facts: dict[str, Any] = {
        "problem_id": "p",
        "title": "T",
        "statement": "S",
        "entry_point": "total",
        "canonical": _PROMPT + "    return sum(values) + base()\n",
        "origin": "tests",
        "licence": "Apache-2.0",
        "prompt": _PROMPT,
        "completes_prompt": True,
        "test_source": _TEST,
    }
    return Problem(**{**facts, **changes})


_ANSWERS = {
    "fenced": ("Sure!\n\n```python\n" + _WHOLE + "```\nIt adds.", Found.FENCED),
    "fenced without a language": ("```\n" + _WHOLE + "```", Found.FENCED),
    "never closed": ("Here:\n```python\n" + _WHOLE, Found.FENCED),
    "closed on the last line": ("```python\n" + _WHOLE.rstrip() + "```", Found.FENCED),
    "tildes": ("~~~py\n" + _WHOLE + "~~~\n", Found.FENCED),
    "in a list": (
        "1. So:\n\n   ```python\n   def total(values):\n       return sum(values) + 10\n   ```\n",
        Found.FENCED,
    ),
    "windows line ends": (("```python\n" + _WHOLE + "```").replace("\n", "\r\n"), Found.FENCED),
    "bare": (_WHOLE, Found.BARE),
    "bare in prose": ("This is it.\n\n" + _WHOLE + "\nIt adds them up.\nDone", Found.BARE),
    "bare with a heading": ("**Sum**\n=====\n\nfrom typing import List\n" + _WHOLE, Found.BARE),
    "bare and indented": ("    def total(values):\n        return sum(values) + 10\n", Found.BARE),
    "the fence was the prompt's": (_WHOLE + "```\n\nHere `total` adds.", Found.BARE),
    "a body": ("    return sum(values) + base()\n", Found.COMPLETED),
    "a body without its first indentation": (
        "result = base()\n    return sum(values) + result\n",
        Found.COMPLETED,
    ),
    "a body at the left": ("result = base()\nreturn sum(values) + result\n", Found.COMPLETED),
    "a body in a fence": ("```python\n    return sum(values) + base()\n```", Found.COMPLETED),
    "a body that goes on": (
        "    return sum(values) + base()\n\n\ndef other():\n    pass\n\n\nprint(total([1]))\n",
        Found.COMPLETED,
    ),
    "a body cut off": ("    return sum(values) + base()\n\n\ndef other(x):\n    y = [1,", Found.COMPLETED),
    "the prompt repeated": (_PROMPT + "    return sum(values) + base()\n", Found.BARE),
    "the prompt repeated in a fence": (
        "```python\n" + _PROMPT + "    return sum(values) + base()\n```",
        Found.FENCED,
    ),
    "helpers of the prompt left out": (
        "```python\ndef total(values: List[int]) -> int:\n    return math.floor(sum(values)) + base()\n```",
        Found.FENCED,
    ),
    "several blocks": (
        (
            "```python\nTEN = 10\n```\n"
            "and\n```python\ndef total(values):\n    return sum(values) + TEN\n```\n"
            "Use it so:\n```python\nprint(total([1]))\n```\n```bash\npip install x\n```"
        ),
        Found.FENCED,
    ),
    "corrected below": (
        "```python\ndef total(values):\n    return 0\n```\nWait, better:\n```python\n" + _WHOLE + "```",
        Found.FENCED,
    ),
    "thinking": (
        "<think>\n```python\ndef total(v):\n    return 1\n```\n</think>\n```python\n" + _WHOLE + "```",
        Found.FENCED,
    ),
    "thinking that the prompt began": ("def total(v): return 5\n</think>\n\n" + _WHOLE, Found.BARE),
    "control tokens": (
        "<|start_header_id|>assistant<|end_header_id|>\n\n" + _WHOLE + "<|eot_id|><|start_header_id|>user",
        Found.BARE,
    ),
    "a fence in a docstring": (
        (
            '```python\ndef total(values):\n    """Add.\n\n    ```\n    total([])\n    ```\n    """\n'
            "    return sum(values) + 10\n```\n"
        ),
        Found.BARE,
    ),
    "a future import": (
        (
            "```python\nfrom __future__ import annotations\n\ndef total(values: List[int]):\n"
            "    return sum(values) + base()\n```"
        ),
        Found.FENCED,
    ),
    "a lambda": ("```python\ntotal = lambda values: sum(values) + 10\n```", Found.FENCED),
    "a session": ("```python\n>>> total([1])\n11\n```\n\n```python\n" + _WHOLE + "```", Found.FENCED),
    "one line in backticks": ("`def total(values): return sum(values) + 10`", Found.BARE),
}


@pytest.mark.parametrize("name", _ANSWERS)
def test_the_program_is_found_and_right(name: str) -> None:
    answer, found = _ANSWERS[name]
    problem = _problem()
    extracted = program_of(answer, problem)
    assert extracted.found is found
    assert checked([(extracted.program, "total", problem.test_source)]) == [True]


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "I cannot do that.",
        "```python\n```",
        "```json\n{}\n```",
        "<think>never ends",
        "def total(:",
        "\x00",
        "```",
    ],
)
def test_an_answer_without_a_program_is_not_one(answer: str) -> None:
    extracted = program_of(answer, _problem())
    assert extracted.found is Found.NOT_FOUND
    assert checked([(extracted.program, "total", _TEST)]) != [True]


def test_a_function_of_another_name_is_kept_as_it_is() -> None:
    extracted = program_of("```python\ndef summed(values):\n    return sum(values)\n```", _problem())
    assert extracted.found is Found.FENCED
    assert "def summed" in extracted.program


def test_examples_are_left_out_and_what_the_program_needs_stays() -> None:
    answer = """```python
import sys
sys.setrecursionlimit(5000)
table = [0] * 5
for place in range(5):
    table[place] = place
cache = {}
cache["ten"] = total_of([10]) if False else 10

def total(values):
    return sum(values) + cache["ten"] + table[0]

n = int(input())
print(total([n]))
assert total([1]) == 11
result = total([1, 2])
for one in ([1], [2]):
    total(one)
total([5])
if __name__ == "__main__":
    total([6])
```"""
    extracted = program_of(answer, _problem())
    assert extracted.n_examples == 7
    assert "setrecursionlimit" in extracted.program
    assert "input()" not in extracted.program
    assert "total([" not in extracted.program.partition("def total")[2]
    assert checked([(extracted.program, "total", _TEST)]) == [True]


def test_what_was_supplied_is_said() -> None:
    extracted = program_of("```python\ndef total(values):\n    return sum(values) + base()\n```", _problem())
    assert extracted.supplied.strip() == "def base() -> int:\n    return 10"
    assert "import math" not in extracted.program


def test_a_class_is_found_for_a_method() -> None:
    problem = _problem(entry_point="Solution.total", completes_prompt=False, prompt=None)
    program = "class Solution:\n    def total(self, values):\n        return sum(values) + 10\n"
    answer = f"Here:\n```python\n{program}\nprint(Solution().total([1]))\n```"
    extracted = program_of(answer, problem)
    assert extracted.n_examples == 1
    assert checked([(extracted.program, problem.entry_point, _TEST)]) == [True]
    assert program_of(_WHOLE, problem).found is Found.NOT_FOUND


def test_a_program_that_reads_input_is_kept_whole() -> None:
    problem = _problem(entry_point="", completes_prompt=False, prompt="P")
    program = "n = int(input())\n\n\ndef f(n):\n    return n\n\n\nprint(f(n))\n"
    idea = "First the idea:\n```python\ndef f(n):\n    return n\n```\n"
    answer = f"{idea}Now all:\n```python\n{program}```\nInput:\n```\n5\n```"
    assert program_of(answer, problem) == Extracted(program, Found.FENCED)
    bare = program_of("It is this.\n\n" + program, problem)
    assert (bare.found, bare.program.strip()) == (Found.BARE, program.strip())


def test_a_completion_goes_on_where_the_prompt_ends() -> None:
    extracted = completion_of("    return sum(values) + base()\n\nclass Next:\n    x = (", _problem())
    assert extracted.found is Found.COMPLETED
    assert extracted.program.startswith(_PROMPT)
    assert completion_of("```python\n" + _WHOLE + "```", _problem()).found is Found.FENCED


@pytest.mark.parametrize(
    "text",
    [
        "x\n" * 50_000,
        "import " + "a." * 60_000 + "b\n",
        "```python\n" + "(" * 90_000,
        "```python\n" * 20_000,
        "def total(" * 9_000,
        "def total(values):\n" * 9_000,
        "    return " + "-" * 90_000 + "1",
        "    return x" + "+x" * 40_000,
        "x = 1\n@\n" * 12_000,
        "'''" * 30_001,
        "`" * 100_000,
        "<think>" * 20_000,
        "\x00" * 100_000,
        "\ud800" * 1000,
        "a" * 10_000_000,
        "if x:\n" + "elif x:\n" * 14_000,
        "".join(" " * level + "if x:\n" for level in range(400)),
    ],
)
def test_what_is_hostile_takes_no_minutes(text: str) -> None:
    started = time.process_time()
    extracted = program_of(text, _problem())
    completion_of(text, _problem())
    assert time.process_time() - started < 90
    assert isinstance(extracted.program, str)


@given(st.text(max_size=300) | st.text("def total(v):\n `'\"#\t return1=~<>|", max_size=200))
def test_nothing_raises(text: str) -> None:
    extracted = program_of(text, _problem())
    if extracted.found is not Found.NOT_FOUND:
        ast.parse(extracted.program)


@pytest.mark.slow
@pytest.mark.parametrize(("model", "least"), [("GPT-4o", 320), ("Llama3.1_405B", 280)])
def test_real_answers_hold_programs_that_are_mostly_right(data_dir: Path, model: str, least: int) -> None:
    folder = data_dir / "code" / "coffe"
    problems = load_problems(folder / "function")
    samples = read_samples(folder / "outputs" / f"function-{model}.json", problems)
    assert (len(samples.samples), samples.unanswered, samples.n_foreign) == (398, (), 23)
    by_id = problems.by_id()
    jobs = []
    for sample in samples.samples:
        problem = by_id[sample.problem_id]
        extracted = extract(sample, problem)
        assert extracted.found is not Found.NOT_FOUND
        if sample.problem_id not in ("Mbpp/123", "Mbpp/260"):  # some answers to them take minutes
            jobs.append((extracted.program, problem.entry_point, problem.test_source))
    assert sum(result is True for result in checked(jobs)) >= least


@pytest.mark.parametrize("model", ["GPT-4o", "Llama3.1_405B"])
def test_real_programs_are_found_whole(data_dir: Path, model: str) -> None:
    folder = data_dir / "code" / "coffe"
    problems = load_problems(folder / "file")
    samples = read_samples(folder / "outputs" / f"file-{model}.json", problems)
    by_id = problems.by_id()
    found = [extract(one, by_id[one.problem_id]) for one in samples.samples]
    assert len(found) == 358
    assert all(one.found in (Found.FENCED, Found.BARE) for one in found)
    assert all("```" not in one.program for one in found)
