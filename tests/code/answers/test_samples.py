from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from doubles.apart import checked
from joulemark.code.answers.program import Found
from joulemark.code.answers.samples import Form, Layout, by_problem, extract, read_samples
from joulemark.code.problems.problem import Problem
from joulemark.code.problems.registry import ProblemSet, load_problems
from joulemark.record.errors import InputError


@pytest.fixture(scope="module")
def humaneval(data_dir: Path) -> ProblemSet:
    return load_problems(data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz")


def _problem(problem_id: str = "HumanEval/0", **changes: Any) -> Problem:
    facts: dict[str, Any] = {
        "problem_id": problem_id,
        "title": "T",
        "statement": "S",
        "entry_point": "f",
        "canonical": "def f(x):\n    return x\n",
        "origin": "tests",
        "licence": "Apache-2.0",
        "prompt": 'def f(x):\n    """Doc."""\n',
        "completes_prompt": True,
    }
    return Problem(**{**facts, **changes})


def _written(tmp_path: Path, name: str, text: str) -> Path:
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["humaneval-canonical", "humanevalplus-canonical"])
def test_enamels_samples_pass_humanevals_tests(humaneval: ProblemSet, data_dir: Path, name: str) -> None:
    samples = read_samples(data_dir / "code" / "enamel" / "samples" / f"{name}.json", humaneval)
    assert samples.layout is Layout.ENAMEL
    assert len(samples.samples) == 164
    by_id = humaneval.by_id()
    jobs = []
    for sample in samples.samples:
        problem = by_id[sample.problem_id]
        jobs.append((extract(sample, problem).program, problem.entry_point, problem.test_source))
    assert checked(jobs) == [True] * 164


def test_human_evals_toy_samples(data_dir: Path) -> None:
    folder = data_dir / "code" / "humaneval"
    (problem,) = load_problems(folder / "example_problem.jsonl")
    samples = read_samples(folder / "example_samples.jsonl", [problem])
    assert [one.number for one in samples.samples] == [0, 1, 2, 3, 4, 5]
    assert {one.form for one in samples.samples} == {Form.COMPLETION}
    last = [extract(one, problem) for one in samples.samples[-3:]]
    assert {one.found for one in last} == {Found.COMPLETED}
    results = checked([(one.program, problem.entry_point, problem.test_source) for one in last])
    assert results == [True, True, True]


def test_an_effibench_upload(data_dir: Path) -> None:
    path = data_dir / "code" / "effibench" / "EffiBench_Qwen2.5-0.5B.sample2.json"
    problems = load_problems(path)
    samples = read_samples(path, problems)
    assert samples.layout is Layout.EFFIBENCH
    found = [extract(one, problems.by_id()[one.problem_id]) for one in samples.samples]
    assert [one.found for one in found] == [Found.NOT_FOUND, Found.BARE]  # the first writes no class
    assert found[1].program.startswith("class Solution:")


def test_a_solution_is_run_as_it_is_and_numbers_count_per_problem(tmp_path: Path) -> None:
    rows = [
        {"task_id": "HumanEval/0", "solution": "def f(x):\n    return x\n\n\nprint(f(1))\n"},
        {"task_id": "HumanEval/1", "completion": "    return x"},
        {"task_id": "HumanEval/0", "completion": "    return x"},
        {"task_id": "HumanEval/9", "completion": "    return x"},
    ]
    path = _written(tmp_path, "samples.jsonl", "\n".join(map(json.dumps, rows)))
    problems = [_problem("HumanEval/0"), _problem("HumanEval/1"), _problem("HumanEval/2")]
    samples = read_samples(path, problems)
    assert [(one.problem_id, one.number, one.form) for one in samples.samples] == [
        ("HumanEval/0", 0, Form.PROGRAM),
        ("HumanEval/1", 0, Form.COMPLETION),
        ("HumanEval/0", 1, Form.COMPLETION),
    ]
    assert samples.unanswered == ("HumanEval/2",)
    assert samples.n_foreign == 1
    assert [len(found) for found in by_problem(samples).values()] == [2, 1]
    assert extract(samples.samples[0], problems[0]).program.endswith("print(f(1))\n")


def test_mbpp_ids_may_be_numbers(tmp_path: Path) -> None:
    path = _written(tmp_path, "samples.jsonl", json.dumps({"task_id": 2, "solution": "x = 1"}))
    assert read_samples(path, [_problem("Mbpp/2")]).samples[0].problem_id == "Mbpp/2"


def test_enamels_dictionary_and_coffes_prompts(tmp_path: Path) -> None:
    path = _written(tmp_path, "samples.json", json.dumps({"0": ["def f(x): return x", "def f(x): return 1"]}))
    samples = read_samples(path, [_problem()])
    assert [one.number for one in samples.samples] == [0, 1]
    problem = _problem(prompt="Write f.", completes_prompt=False, origin="coffe_function")
    answers = {"Write f.": [["```python\ndef solution(x):\n    return x\n```"], True], "Other": [[], False]}
    path = _written(tmp_path, "outputs.json", json.dumps(answers))
    samples = read_samples(path, [problem])
    assert (samples.layout, len(samples.samples)) == (Layout.COFFE, 1)
    assert extract(samples.samples[0], problem).program.endswith("f = solution\n")


@pytest.mark.parametrize(
    ("name", "text", "match"),
    [
        ("a.jsonl", "", "holds no problems|cannot be used|no sample"),
        ("a.jsonl", '{"task_id": "HumanEval/0"}', "line 1 cannot be used"),
        ("a.jsonl", '{"solution": "x"}', "line 1 cannot be used"),
        ("a.jsonl", '{"task_id": "HumanEval/0", "solution": 5}', "line 1 cannot be used"),
        ("a.jsonl", '{"task_id": "other", "solution": "x"}', "no sample answers"),
        ("a.jsonl", "[" * 50_000, "cannot be used"),
        ("a.json", "[" * 50_000, "cannot be used"),
        ("a.json", '{"0": "x"}', "problem 0 cannot be used"),
        ("a.json", '{"0": [5]}', "problem 0 cannot be used"),
        ("a.json", '{"9999999999999": ["x"]}', "cannot be used"),
        ("a.json", '{"0": ["x"], "0": ["y"]}', "cannot be used"),
        ("a.json", '{"p": [["x"], true], "q": [[5], true]}', "item 2 cannot be used"),
        ("a.json", "[[1]]", "problem 0 cannot be used"),
        ("a.json", '[{"problem_idx": 1, "completion": null}]', "item 1 cannot be used"),
        ("a.json", '[{"problem_idx": NaN, "completion": "x"}]', "item 1 cannot be used"),
        ("a.json", "5", "cannot be used"),
    ],
)
def test_a_bad_file_says_where(tmp_path: Path, name: str, text: str, match: str) -> None:
    with pytest.raises(InputError, match=match):
        read_samples(_written(tmp_path, name, text), [_problem()])


def test_too_many_samples_of_one_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("joulemark.code.answers.samples.MAX_SAMPLES", 2)
    path = _written(tmp_path, "a.json", json.dumps([["x", "y", "z"]]))
    with pytest.raises(InputError, match="more than 2 samples"):
        read_samples(path, [_problem()])


@pytest.mark.parametrize(
    ("name", "text", "what", "fix"),
    [
        ("nosuch.jsonl", None, "cannot be read", "name the file of the programs"),
        ("nosuch.json", None, "cannot be read", "name the file of the programs"),
        ("s.jsonl", "", "holds no samples", "name a file that has some"),
        ("s.json", "", "holds no samples", "name a file that has some"),
        ("s.jsonl", '{"id": "a", "code": "b"}', "its fields are id, code", '"task_id"'),
        ("s.jsonl", '{"task_id": "a", "code": "b"}', "its fields are task_id, code", "solution"),
        ("s.jsonl", '{"task_id": "a", "solution": 5}', "it is a whole number", "mend the row"),
        ("s.jsonl", '{"task_id": "HumanEva/0", "solution": ""}', "did you mean 'HumanEval/0'?", "mend yours"),
        ("s.jsonl", '{"task_id": "other", "solution": ""}', "ids are like 'other'", "with --problems"),
    ],
)
def test_a_file_that_is_none_of_samples_says_what_one_is(
    tmp_path: Path, name: str, text: str | None, what: str, fix: str
) -> None:
    path = tmp_path / name if text is None else _written(tmp_path, name, text)
    with pytest.raises(InputError) as caught:
        read_samples(path, [_problem()])
    assert what in f"{caught.value.what}: {caught.value.why}"
    assert fix in caught.value.fix
