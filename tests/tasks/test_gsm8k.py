"""gsm8k from the user's file."""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

import pytest

from joulemark.record.errors import InputError
from joulemark.tasks.extract.number import only_number
from joulemark.tasks.registry import load_task
from joulemark.tasks.task import TaskSet

DATA = (
    Path(os.environ.get("JOULEMARK_DATA", Path(__file__).parents[3] / "shared" / "data")) / "tasks" / "gsm8k"
)


def problem(n: int) -> dict[str, str]:
    return {
        "question": f"What is {n} plus {n}?",
        "answer": f"{n}+{n} = <<{n}+{n}={2 * n}>>{2 * n}.\n#### {2 * n:,}",
    }


@pytest.fixture
def problems(tmp_path: Path) -> Path:
    path = tmp_path / "test.jsonl"
    path.write_text("\n".join(json.dumps(problem(n)) for n in range(1000, 1020)), encoding="utf-8")
    return path


def ids(task: TaskSet) -> list[str]:
    return [question.item_id for question in task.questions]


def test_zero_shot_asks_every_problem_once_and_grades_by_number(problems: Path) -> None:
    task = load_task("gsm8k", data=problems)
    assert task.revision == hashlib.sha256(problems.read_bytes()).hexdigest()
    assert (task.split, task.n_shot, len(task.questions), len(set(ids(task)))) == ("test", 0, 20, 20)
    question = task.questions[0]
    assert [role for role, _ in question.messages] == ["user"]
    assert "####" in question.messages[0][1]
    assert task.scorer.score(question, f"#### {question.gold}", finish_reason="stop", refusal=False).correct


def test_a_limit_takes_the_same_random_items_whatever_the_order_of_asking(problems: Path) -> None:
    everything, ten, five = (
        load_task("gsm8k", data=problems, limit=n, subset_key="k") for n in (None, 10, 5)
    )
    assert ids(everything)[:10] == ids(ten)
    assert ids(ten)[:5] == ids(five)
    assert ids(ten) != sorted(ids(ten))
    assert ids(load_task("gsm8k", data=problems, limit=10, subset_key="other")) != ids(ten)
    assert len(ids(load_task("gsm8k", data=problems, limit=999))) == 20


def test_examples_are_never_asked(problems: Path) -> None:
    task = load_task("gsm8k", data=problems, n_shot=3)
    roles = [role for role, _ in task.questions[0].messages]
    assert roles == ["user", "assistant"] * 3 + ["user"]
    shown = {text for role, text in task.questions[0].messages[:-1] if role == "user"}
    asked = {question.messages[-1][1] for question in task.questions}
    assert (len(shown), len(asked)) == (3, 17)
    assert not shown & asked
    replies = [text for role, text in task.questions[0].messages if role == "assistant"]
    assert all("<<" not in reply and reply.splitlines()[-1].startswith("#### ") for reply in replies)
    assert (
        load_task("gsm8k", data=problems, n_shot=3, limit=5).questions[0].messages
        == task.questions[0].messages
    )


@pytest.mark.parametrize("options", [{"n_shot": 20}, {"n_shot": 25}, {"n_shot": 11, "limit": 10}])
def test_more_examples_than_there_are(problems: Path, options: dict[str, int]) -> None:
    with pytest.raises(InputError, match="more than there are"):
        load_task("gsm8k", data=problems, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"{", "not JSON"),
        (b"[1]", "not an object"),
        (b"\xff\xfe", "not UTF-8"),
        (b'{"question": "?"}', '"answer" must be a text, but it is missing'),
        (b'{"question": 3, "answer": "#### 3"}', '"question" must be a text, but it is 3'),
        (b'{"question": " ", "answer": "#### 3"}', '"question"'),
        (b'{"question": "?", "answer": "three"}', "is no number"),
        (b'{"question": "?", "answer": "#### many"}', "is no number"),
        (b'{"question": "\\ud800?", "answer": "#### 3"}', "half a character"),
        (b"[" * 100_000, "not JSON"),
        (b'{"question": "?", "answer": ' + b"9" * 5000 + b"}", "line 3"),
    ],
)
def test_a_malformed_line_is_named(tmp_path: Path, line: bytes, why: str) -> None:
    path = tmp_path / "bad.jsonl"
    path.write_bytes(b"\xef\xbb\xbf" + json.dumps(problem(1)).encode() + b"\r\n\n" + line + b"\n")
    with pytest.raises(InputError) as error:
        load_task("gsm8k", data=path)
    assert "line 3" in str(error.value)
    assert why in str(error.value)
    assert "#### NUMBER" in error.value.fix


def test_missing_empty_and_no_file(tmp_path: Path) -> None:
    empty = tmp_path / "empty.jsonl"
    (tmp_path / "folder").mkdir()
    empty.write_text("\n\n")
    for data, why in (
        (tmp_path / "none.jsonl", "cannot be read"),
        (tmp_path / "folder", "no data file"),
        (empty, "no items"),
    ):
        with pytest.raises(InputError, match=why):
            load_task("gsm8k", data=data)


@pytest.mark.skipif(not DATA.exists(), reason=f"{DATA} is not there; set JOULEMARK_DATA")
def test_the_published_file_loads_whole_and_its_answers_grade_as_correct() -> None:
    task = load_task("gsm8k", data=DATA / "test.jsonl")
    assert len(task.questions) == 1319
    answers = {}
    for line in (DATA / "test.jsonl").read_text(encoding="utf-8").splitlines():
        problem = json.loads(line)
        answers[problem["question"].strip()] = problem["answer"]
    assert len(answers) == 1319
    for question in task.questions:
        asked = question.messages[-1][1].partition("\n\nWork it out")[0]
        score = task.scorer.score(question, answers[asked], finish_reason="stop", refusal=False)
        assert score.correct, question


def test_the_prompt_repeated_is_no_answer(problems: Path) -> None:
    task = load_task("gsm8k", data=problems)
    for question in task.questions:
        score = task.scorer.score(question, question.messages[-1][1], finish_reason="stop", refusal=False)
        assert (score.correct, score.value) == (False, None)


def test_a_number_of_the_working_is_no_reference(tmp_path: Path) -> None:
    path = tmp_path / "unmarked.jsonl"
    path.write_text(json.dumps({"question": "?", "answer": "She sold 48/2 = <<48/2=24>>24 clips"}))
    with pytest.raises(InputError, match="is no number"):
        load_task("gsm8k", data=path)


@pytest.mark.parametrize("name", ["train.jsonl", "test.jsonl"])
def test_every_published_reference_is_one_number(name: str) -> None:
    if not (DATA / name).exists():
        pytest.skip(f"{DATA / name} is not there; set JOULEMARK_DATA")
    lines = (DATA / name).read_text(encoding="utf-8").splitlines()
    golds = [json.loads(line)["answer"].rpartition("####")[2] for line in lines]
    assert [gold for gold in golds if only_number(gold) is None] == []
    assert (
        len(load_task("gsm8k", data=DATA / name).questions) == {"train.jsonl": 7473, "test.jsonl": 1319}[name]
    )
