"""Problems of any origin as questions of a task, and beside them what judges the answers."""

from __future__ import annotations

import gzip
import hashlib
import json
from dataclasses import replace
from pathlib import Path

import pytest

from doubles.programming_engine import problems_of, task_of_cases
from joulemark.code.joined.task import load_any_task
from joulemark.code.problems.registry import OWN, built_in, load_problems, write_problems
from joulemark.record.content import Message
from joulemark.record.errors import InputError
from joulemark.runs.plan import RunPlan
from joulemark.tasks.references import parse_problem_reference
from joulemark.tasks.task import Question, TaskSet


@pytest.fixture
def human_eval(data_dir: Path) -> Path:
    return data_dir / "code" / "humaneval" / "HumanEval.jsonl.gz"


def said(question: Question) -> str:
    messages: list[Message] = list(question.messages)
    return "\n".join(str(content) for _, content in messages)


def kept(task: TaskSet) -> dict[str, bytes]:
    """Return what a task keeps of each problem by the id that its questions name."""
    lines = (task.problems or b"").splitlines()
    return {str(json.loads(line)["problem_id"]): line for line in lines}


def test_human_eval_is_asked_whole_and_nothing_that_judges_is_said(human_eval: Path) -> None:
    task = load_any_task("humaneval", data=human_eval)
    assert len(task.questions) == 164
    assert task.source == "file"
    rows = [json.loads(line) for line in gzip.decompress(human_eval.read_bytes()).splitlines()]
    by_id = {row["task_id"]: row for row in rows}
    for question in task.questions:
        row = by_id[question.item_id]
        assert row["prompt"].strip() in said(question)
        assert "def check(" not in said(question)
        assert row["canonical_solution"].strip() not in said(question)
        reference = parse_problem_reference(question.gold or "")
        assert reference.problem == question.item_id
        assert reference.digest == hashlib.sha256(kept(task)[question.item_id]).hexdigest()


def test_only_what_is_asked_is_kept_and_the_subset_is_the_same_again(human_eval: Path) -> None:
    few, more = (load_any_task("humaneval", data=human_eval, limit=n) for n in (3, 10))
    assert [q.item_id for q in few.questions] == [q.item_id for q in more.questions[:3]]
    assert list(kept(few)) == [q.item_id for q in few.questions]
    other = load_any_task("humaneval", data=human_eval, limit=3, subset_key="other")
    assert [q.item_id for q in other.questions] != [q.item_id for q in few.questions]


def test_rows_in_the_way_of_eval_plus_are_read_too(human_eval: Path, data_dir: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in gzip.decompress(human_eval.read_bytes()).splitlines()[:2]]
    plus = tmp_path / "HumanEvalPlus.jsonl"
    more = {"base_input": [[[1.0, 2.0], 0.5]], "plus_input": [], "atol": 0, "contract": ""}
    plus.write_text("".join(json.dumps({**row, **more}) + "\n" for row in rows))
    assert {q.item_id for q in load_any_task("humaneval", data=plus).questions} == {
        "HumanEval/0",
        "HumanEval/1",
    }
    mbpp = load_any_task("humaneval", data=data_dir / "code" / "evalplus" / "MbppPlus.jsonl", limit=5)
    assert len(kept(mbpp)) == 5


def test_the_built_in_problems_are_a_task() -> None:
    task = load_any_task("code")
    assert task.source == "built in"
    assert {q.item_id for q in task.questions} == built_in().by_id().keys()
    assert len(load_any_task("code", limit=4).questions) == 4


def test_what_is_kept_are_the_problems_that_were_asked(tmp_path: Path) -> None:
    task = task_of_cases(tmp_path, ["right", "wrong"])
    file = tmp_path / "kept.jsonl"
    file.write_bytes(task.problems or b"")
    read = load_problems(file, kind=OWN)
    assert read.by_id() == {one.problem_id: one for one in problems_of(["right", "wrong"])}


def test_another_problem_under_the_same_id_is_another_task(tmp_path: Path) -> None:
    (problem,) = problems_of(["right"])
    tasks = []
    for number, prelude in enumerate(("", "import math\n")):
        file = tmp_path / f"{number}.jsonl"
        file.write_text(write_problems([replace(problem, prelude=prelude)]))
        tasks.append(load_any_task("code", data=file))
    first, second = (RunPlan(task, None, None).task_facts for task in tasks)  # type: ignore[arg-type]
    assert [q.item_id for q in tasks[0].questions] == [q.item_id for q in tasks[1].questions]
    assert first.items_hash != second.items_hash


def test_a_revision_has_nothing_to_choose_from_in_a_file(tmp_path: Path) -> None:
    file = tmp_path / "problems.jsonl"
    file.write_text(write_problems(problems_of(["right"])))
    for options in ({"data": file}, {}):
        with pytest.raises(InputError, match="nothing to choose from"):
            load_any_task("code", revision="0" * 40, **options)


def test_a_task_of_a_user_reads_problems_beside_its_file_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl").write_text(write_problems(problems_of(["right"])))
    file = tmp_path / "mine.toml"
    text = (
        'name = "mine"\ntitle = "t"\nkinds = ["code"]\nexamples = false\n[data]\nfile = "{}"\nrow = "r"\n'
        '[items]\nid = "problem"\nquestion = "{{{{ prompt }}}}"\ngold = "reference"\n'
    )
    file.write_text(text.format("mine.jsonl"))
    assert [q.item_id for q in load_any_task(str(file)).questions] == ["total-right"]
    file.write_text(text.format("../mine.jsonl"))
    with pytest.raises(InputError, match="not beside its definition"):
        load_any_task(str(file))


def test_other_tasks_are_loaded_as_ever() -> None:
    task = load_any_task("quick", limit=3)
    assert len(task.questions) == 3
    assert task.problems is None
