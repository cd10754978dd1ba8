from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from doubles.apart import run_apart
from joulemark.code.problems.importers.enamel import FIELDS, LEFT_OUT
from joulemark.code.problems.importers.enamel_generators import HELPERS
from joulemark.code.problems.problem import Comparison
from joulemark.code.problems.registry import ProblemSet, load_problems
from joulemark.record.errors import InputError


@pytest.fixture(scope="module")
def enamel(data_dir: Path) -> ProblemSet:
    return load_problems(data_dir / "code" / "enamel" / "enamel.csv")


def test_the_table_is_read_as_a_whole(enamel: ProblemSet) -> None:
    assert enamel.kind == "enamel"
    assert len(enamel) == 164
    scored = [one.problem_id for one in enamel if one.is_scored_by_levels]
    assert len(scored) == 142
    assert not set(scored) & LEFT_OUT
    first = enamel.problems[0]
    assert first.generator is not None
    assert first.generator.levels == (20, 100, 10000, 15000)
    assert first.generator.cases_per_level == (8, 4, 4, 4)
    assert first.generator.level_weights == (0, 3, 3, 4)
    assert first.generator.sizes == (100, 15000)
    assert first.generator.shapes == ("3/0", "3/1", "3/2", "3/3")
    assert first.checker.comparison is Comparison.EQUAL
    assert first.checker.same_type
    with_checkers = [one for one in enamel if one.checker.comparison is Comparison.CHECKER]
    assert len(with_checkers) == 6


def test_references_pass_their_checkers_on_the_lowest_level(enamel: ProblemSet, data_dir: Path) -> None:
    """The upper levels take minutes, and differ in size only; all were run when this was written."""
    references = json.loads((data_dir / "code" / "enamel" / "samples" / "enamel-references.json").read_text())
    jobs = []
    for number, one in enumerate(enamel):
        generator = one.generator
        assert generator is not None
        source = generator.source
        checker = one.checker.source or "def check(args, a, b):\n    return type(a) is type(b) and a == b\n"
        levels = [list(pair) for pair in zip(generator.levels, generator.cases_per_level, strict=True)][:1]
        jobs.append([source, one.canonical, one.entry_point, references[number][0], checker, levels])
    results = run_apart(
        """
def job(source, canonical, entry_point, reference, checker, levels):
    generate, check = load(source)["generate"], load(checker)["check"]
    solve, other = entry(canonical, entry_point), entry(reference, entry_point)
    for level, (size, cases) in enumerate(levels):
        for case in range(cases):
            args, again = (generate(random.Random(case), size, f"{level}/{case}") for _ in range(2))
            assert type(args) is tuple and repr(args) == repr(again), "not the same again"
            expected = solve(*copy.deepcopy(args))
            assert check(args, expected, other(*copy.deepcopy(args))), (level, case)
    return True
""",
        jobs,
    )
    failed = [
        (one.problem_id, result) for one, result in zip(enamel, results, strict=True) if result is not True
    ]
    assert failed == []


def test_a_checker_may_call_helpers_of_the_prompt(enamel: ProblemSet) -> None:
    source = enamel.by_id()["HumanEval/32"].checker.source or ""
    assert "def poly" in source
    assert "def find_zero" not in source
    results = run_apart(
        'def job(source, got):\n    return load(source)["check"](([1, 2],), 0.0, got)\n',
        [[source, -0.5], [source, 0.5], [source, "-0.5"]],
    )
    assert results == [True, False, False]


def test_primes_are_prime_and_within_their_bounds() -> None:
    (result,) = run_apart(
        """
def is_prime(number):
    return number > 1 and all(number % d for d in range(2, int(number ** 0.5) + 1))


def job(source):
    names = load(source)
    random.seed(1)
    for high in [2, 3, 4, 5, 9, 23, 100, 1000, 10**6]:
        for _ in range(50):
            prime = names["rand_probably_prime"](high)
            assert is_prime(prime) and (high + 1) // 2 <= prime <= high, (high, prime)
    assert {names["rand_probably_prime"](11, 23) for _ in range(500)} == {11, 13, 17, 19, 23}
    assert names["rand_probably_prime"](24, 28) == 23  # there is none between them
    assert [n for n in range(2000) if names["_is_prime"](n)] == [n for n in range(2000) if is_prime(n)]
    for liar in (561, 3215031751, 3825123056546413051, 318665857834031151167461):
        assert not names["_is_prime"](liar)
    assert names["_is_prime"](2**61 - 1)
    for size in (100, 10**4, 10**9):
        for level in range(4):
            kinds = [is_prime(names["rand_primality"](size, level, case)) for case in range(8)]
            assert not kinds[4] and not kinds[5], "largest_prime_factor wants composites there"
            assert any(kinds) and not all(kinds)
        first = [is_prime(names["rand_primality"](size, 0, case)) for case in range(4)]
        assert first == [False, False, True, False]
    return True
""",
        [[HELPERS]],
    )
    assert result is True


def test_parentheses_are_balanced_when_they_should_be() -> None:
    (result,) = run_apart(
        """
def depths(text, opening, closing):
    depth, all_depths = 0, []
    for one in text:
        depth += 1 if one == opening else -1
        all_depths.append(depth)
    return all_depths


def job(source):
    rand_parens = load(source)["rand_parens"]
    random.seed(2)
    deepest = groups = 0
    for size in [1, 2, 3, 10, 101, 10_000]:
        for _ in range(30):
            text = rand_parens(size=size)
            found = depths(text, "(", ")")
            assert len(text) == size + size % 2 and min(found) >= 0 and found[-1] == 0
            deepest, groups = max(deepest, max(found)), max(groups, found.count(0))
            parts = rand_parens(size=size, sep=" ").split(" ")
            for part in parts:
                assert depths(part, "(", ")").count(0) == 1, part
            wrong = rand_parens(size=size, valid=False, par="<>")
            assert set(wrong) <= set("<>") and depths(wrong, "<", ">")[-1] != 0
    assert deepest > 50 and groups > 5
    return True
""",
        [[HELPERS]],
    )
    assert result is True


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"input_levels": "a b"}, '"input_levels"'),
        ({"input_levels": "9" * 40}, '"input_levels"'),
        ({"input_generator": "def other():\n    pass\n"}, "does not define `generate_input`"),
        ({"input_generator": "def generate_input(a, b, c):\n    return nobody(a),\n"}, "uses nobody"),
        ({"checker": "def other():\n    pass\n"}, "does not define `__check`"),
        ({"reference_solution": "    return ("}, "no Python"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, changes: dict[str, str], why: str) -> None:
    row = {
        "task_id": "own/0",
        "prompt": 'def f(x):\n    """One more."""',
        "input_generator": "def generate_input(size, lid, cid):\n    return size,\n",
        "input_levels": "1 2 3 4",
        "reference_solution": "    return x + 1\n",
        "checker": "def __check(input, answer, output):\n    return answer == output\n",
        "entry_point": "f",
    }
    assert set(row) == set(FIELDS)
    text = io.StringIO()
    writer = csv.DictWriter(text, FIELDS)
    writer.writeheader()
    writer.writerows([row, {**row, "task_id": "own/1", **changes}])
    path = tmp_path / "table.csv"
    path.write_text(text.getvalue())
    with pytest.raises(InputError, match="cannot be used") as caught:
        load_problems(path)
    assert why in caught.value.why
