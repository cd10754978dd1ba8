from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles.apart import checked, run_apart
from joulemark.code.inside.plain import encode
from joulemark.code.problems.problem import Comparison
from joulemark.code.problems.registry import ProblemSet, load_problems
from joulemark.record.errors import InputError


@pytest.fixture(scope="module")
def mbpp(data_dir: Path) -> ProblemSet:
    return load_problems(data_dir / "code" / "mbpp" / "sanitized-mbpp.json")


@pytest.fixture(scope="module")
def plus(data_dir: Path) -> ProblemSet:
    return load_problems(data_dir / "code" / "evalplus" / "MbppPlus.jsonl")


@pytest.mark.slow
def test_every_solution_passes_its_own_asserts(mbpp: ProblemSet) -> None:
    assert mbpp.kind == "mbpp"
    assert len(mbpp) == 427
    results = checked([(one.canonical, one.entry_point, one.test_source) for one in mbpp])
    assert results == [True] * 427


def test_scripts_fail_programs_that_do_nothing(mbpp: ProblemSet) -> None:
    jobs = [
        (f"def {one.entry_point}(*args):\n    return []\n", one.entry_point, one.test_source) for one in mbpp
    ]
    assert sum(result is True for result in checked(jobs)) == 0


def test_expressions_around_the_call_stay(mbpp: ProblemSet) -> None:
    problem = mbpp.by_id()["Mbpp/2"]
    assert problem.test_source is not None
    assert "set(candidate((3, 4, 5, 6), (5, 7, 4, 10))) == set((4, 5))" in problem.test_source
    assert problem.inputs[0] == ((3, 4, 5, 6), (5, 7, 4, 10))
    assert problem.checker.comparison is Comparison.CHECKER
    assert "set(got)" in (problem.checker.source or "")


def test_a_tolerance_and_an_import_are_kept(mbpp: ProblemSet) -> None:
    problem = mbpp.by_id()["Mbpp/82"]
    assert problem.checker.comparison is Comparison.CLOSE
    assert problem.checker.rel_tol == 0.001
    assert (problem.test_source or "").startswith("import math")
    assert "import sys" in (mbpp.by_id()["Mbpp/596"].test_source or "")  # which its tests forget


def test_the_prompt_shows_the_asserts(mbpp: ProblemSet) -> None:
    problem = mbpp.by_id()["Mbpp/3"]
    assert problem.prompt is not None
    assert "identify non-prime numbers" in problem.prompt
    assert "assert is_not_prime(2) == False" in problem.prompt
    assert not problem.completes_prompt


def test_the_rows_that_coffe_carries_are_read(data_dir: Path) -> None:
    found = load_problems(data_dir / "code" / "mbpp" / "mbpp_coffe_subset.jsonl")
    assert (found.kind, len(found)) == ("mbpp", 234)


@pytest.mark.slow
def test_plus_solutions_pass_their_assertions(plus: ProblemSet) -> None:
    assert plus.kind == "mbpp_plus"
    assert len(plus) == 378
    results = checked([(one.canonical, one.entry_point, one.test_source) for one in plus])
    assert results == [True] * 378  # Mbpp/120 too: the import that it forgets is put before it


def test_plus_inputs_have_their_tuples_and_numbers_back(plus: ProblemSet) -> None:
    problems = plus.by_id()
    assert problems["Mbpp/2"].inputs[0] == ((3, 4, 5, 6), (5, 7, 4, 10))
    assert problems["Mbpp/2"].inputs[3] == ((), ())
    assert problems["Mbpp/106"].inputs[0] == ([5, 6, 7], (9, 10))
    assert problems["Mbpp/63"].inputs[0] == ([(3, 5), (1, 7), (10, 3), (1, 2)],)
    assert problems["Mbpp/722"].inputs[0][0]["Cierra Vega"] == (6.2, 70)
    assert problems["Mbpp/791"].inputs[4] == ((2, 6, 8, (5, 7), 11, ((2, 9), (6, 3)), 4),)
    assert problems["Mbpp/124"].inputs[0] == (0.0, 1j)
    assert problems["Mbpp/793"].inputs == (
        ([1, 2, 3], 1),
        ([1, 1, 1, 2, 3, 4], 1),
        ([2, 2, 3, 3, 6, 8, 9], 3),
    )


def test_plus_inputs_keep_their_contracts(plus: ProblemSet, data_dir: Path) -> None:
    rows = {}
    with (data_dir / "code" / "evalplus" / "MbppPlus.jsonl").open() as file:
        for line in file:
            row = json.loads(line)
            rows[row["task_id"]] = row["contract"]
    # those that speak of tuples, which the file has flattened; long inputs add nothing here
    wanted = [one for one in plus if "tuple" in rows[one.problem_id] and "def " not in rows[one.problem_id]]
    assert len(wanted) > 50
    jobs = [
        [one.canonical, one.entry_point, rows[one.problem_id], [repr(args) for args in one.inputs[:40]]]
        for one in wanted
        if len(encode(one.inputs[:40])) < 200_000
    ]
    results = run_apart(
        """
import inspect


def job(program, entry_point, contract, inputs):
    names = list(inspect.signature(entry(program, entry_point)).parameters)
    code = "\\n".join(line.strip() for line in contract.splitlines())
    for text in inputs:
        exec(code, dict(zip(names, eval(text))))
    return True
""",
        jobs,
    )
    broken = [result for result in results if result is not True and not result.startswith("SyntaxError")]
    assert broken == []
    assert sum(result is True for result in results) > 50


def test_plus_compares_with_a_tolerance_or_as_sets(plus: ProblemSet) -> None:
    problems = plus.by_id()
    assert problems["Mbpp/3"].checker.comparison is Comparison.CLOSE
    assert problems["Mbpp/3"].checker.abs_tol == 1e-6
    assert "set(got)" in (problems["Mbpp/2"].checker.source or "")
    assert "bool(got)" in (problems["Mbpp/737"].checker.source or "")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"test_list": []}, "call no function"),
        ({"test_list": ["assert g(1) == 2"]}, "call no function"),
        ({"test_list": ["assert f(1 == 2"]}, "test 1 is no Python"),
        ({"test_list": "assert f(1) == 2"}, "must be a list of texts"),
        ({"task_id": None}, '"task_id" must be a text'),
        ({"code": "x = 10 ** 9\n"}, "call no function"),
        ({"test_imports": ["import"]}, "no Python"),
    ],
)
def test_a_bad_row_is_named(tmp_path: Path, change: dict[str, object], why: str) -> None:
    row = {
        "task_id": 7,
        "prompt": "P",
        "code": "def f(x):\n    return x\n",
        "test_list": ["assert f(2) == 2"],
    }
    path = tmp_path / "rows.json"
    path.write_text(json.dumps([row, {**row, "task_id": 8, **change}]))
    with pytest.raises(InputError, match="item 2 cannot be used") as caught:
        load_problems(path)
    assert why in caught.value.why


@pytest.mark.parametrize("tolerance", ["1e-3", -1, float("nan"), float("inf"), True])
def test_a_tolerance_that_is_none_is_refused(tmp_path: Path, tolerance: object) -> None:
    row = {
        "task_id": "Mbpp/1",
        "prompt": "P",
        "entry_point": "f",
        "canonical_solution": "def f(x):\n    return x\n",
        "base_input": [[1]],
        "plus_input": [],
        "assertion": "assert f(1) == 1",
        "atol": tolerance,
        "contract": "",
    }
    path = tmp_path / "rows.jsonl"
    path.write_text(json.dumps(row))
    with pytest.raises(InputError, match="atol"):
        load_problems(path)
