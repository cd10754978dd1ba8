"""``--check`` tells an author what his problem cannot tell, and that in his names."""

from __future__ import annotations

from pathlib import Path

import orjson
import pytest

from doubles.small_problems import total_problem
from doubles.user import joulemark
from joulemark.code.contain.sandbox import Sandbox
from joulemark.code.evaluation.remarks import remarks

FILE = '''"""Add numbers

Description: Return the sum of some numbers.
"""

ALGORITHMS = ("greedy",)
DIFFICULTY = "easy"
ENTRY_POINT = "total"
EXAMPLES = ((([1, 2],), 3),)
SHAPES = ("random",)
SIZES = {sizes}
BRUTE_FORCE_SIZE = 30


def total(values):
    return sum(values)


def brute_force(values):
    found = 0
    for one in values:
        found += one
    return found


def generate(rng, size, shape):
    return ([rng.randint(0, 9) for _ in range(size)],)
'''


def test_nothing_is_remarked_of_a_problem_with_room(sandbox: Sandbox) -> None:
    assert remarks(sandbox, total_problem()) == []


@pytest.mark.usefixtures("sandbox")
def test_small_tests_and_a_fast_reference_are_told(tmp_path: Path) -> None:
    path = tmp_path / "add.py"
    path.write_text(FILE.format(sizes=(20, 40)))
    done = joulemark("code", "problems", path, "--check")
    assert done.code == 0
    sound, small, fast = done.out.splitlines()
    assert sound.startswith("sound   add")
    assert "no made test is larger than 30" in small
    assert "too fast to be timed" in fast
    assert "size 320" in fast
    (row,) = orjson.loads(joulemark("code", "problems", path, "--check", "--json").out)
    assert row["sound"] is True
    assert len(row["remarks"]) == 2
