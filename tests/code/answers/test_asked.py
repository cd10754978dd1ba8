"""The problems of a file of answers: named, in the file itself, or built in; and only so many of them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from doubles.small_problems import scripted_problem, total_problem
from joulemark.code.answers.asked import asked_problems, first_answered
from joulemark.code.answers.samples import Layout, read_samples
from joulemark.code.problems.registry import built_in, write_problems
from joulemark.record.errors import InputError


def test_an_upload_that_repeats_its_records_needs_no_other_file(data_dir: Path) -> None:
    upload = data_dir / "code" / "effibench" / "EffiBench_Qwen2.5-0.5B.sample2.json"
    problems = asked_problems(upload, ())
    found = read_samples(upload, problems)
    assert found.layout is Layout.EFFIBENCH
    assert {one.problem_id for one in found.samples} == {one.problem_id for one in problems}
    assert not found.n_foreign


def test_samples_alone_are_of_the_built_in_problems_unless_others_are_named(tmp_path: Path) -> None:
    samples, named = tmp_path / "samples.jsonl", tmp_path / "problems.jsonl"
    samples.write_text(json.dumps({"task_id": "total", "solution": "x"}))
    named.write_text(write_problems([total_problem()]))
    assert len(asked_problems(samples, ())) == len(built_in())
    assert [one.problem_id for one in asked_problems(samples, [str(named)])] == ["total"]
    with pytest.raises(InputError, match="cannot be used"):
        asked_problems(samples, (), "humaneval")  # as it was said what it is, it must be that


def test_a_limit_counts_problems_that_have_answers() -> None:
    problems = [scripted_problem(), total_problem(), total_problem(problem_id="more")]
    asked, answers = first_answered(1, problems, {"more": 2, "total": 1})
    assert ([one.problem_id for one in asked], answers) == (["total"], {"total": 1})
    assert first_answered(None, problems, {"total": 1})[1] == {"total": 1}
