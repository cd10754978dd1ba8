"""Names, options and order of tasks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from doubles.task_rows import ROWS, write_json_lines
from joulemark.cli.bench import quick
from joulemark.meters.trace import load_trace
from joulemark.record.errors import InputError
from joulemark.tasks.registry import describe_tasks, load_task
from joulemark.tasks.subset import DEFAULT_KEY, permuted


@pytest.mark.parametrize("name", [entry.name for entry in describe_tasks() if entry.name in ROWS])
def test_rows_in_the_published_columns_load_and_grade_as_correct(name: str, tmp_path: Path) -> None:
    data = write_json_lines(name, tmp_path / "data")
    task = load_task(name, data=data)
    assert task.questions
    assert task.source == "file"
    for question in task.questions:
        assert question.gold is not None
        assert all(content.strip() for _, content in question.messages)
        if question.kind in ("numeric", "choice"):
            reply = f"Let me think.\nAnswer: {question.gold}"
            score = task.scorer.score(question, reply, finish_reason="stop", refusal=False)
            assert score.correct, question


def test_what_cannot_be_run_yet_says_why(tmp_path: Path) -> None:
    file = tmp_path / "later.toml"
    file.write_text(
        'name = "later"\ntitle = "not yet"\nkinds = ["numeric"]\nunavailable = "its data are not out yet"\n'
        '[data]\nrow = "{}"\n[items]\nquestion = "{{ q }}"\ngold = "a"\n'
    )
    with pytest.raises(InputError, match="cannot be run yet") as error:
        load_task(str(file))
    assert "its data are not out yet" in str(error.value)


def test_all_built_in_tasks_can_be_run() -> None:
    assert not [entry.name for entry in describe_tasks() if entry.unavailable]


@pytest.mark.parametrize("name", ["code", "humaneval"])
def test_problems_for_programs_are_loaded_with_what_judges_them(name: str) -> None:
    with pytest.raises(InputError, match="cannot be loaded as other tasks are") as error:
        load_task(name)
    assert f"joulemark bench run {name}" in str(error.value)


def test_nothing_left_to_ask_is_told_as_such(tmp_path: Path) -> None:
    data = write_json_lines("hellaswag", tmp_path / "data")
    with pytest.raises(InputError, match="no row of data can be asked") as error:
        load_task("hellaswag", data=data, split="test")
    assert "validation" in error.value.fix


def test_a_commit_of_nothing_is_refused(tmp_path: Path) -> None:
    data = write_json_lines("winogrande", tmp_path / "data")
    for options in ({"data": data}, {}):
        with pytest.raises(InputError, match="nothing to choose from"):
            load_task("quick" if not options else "winogrande", revision="abc", **options)  # type: ignore[arg-type]


def test_a_misspelt_suite_is_found() -> None:
    with pytest.raises(InputError, match="did you mean published"):
        load_task("publishd")


def test_the_right_option_stands_under_every_letter(tmp_path: Path) -> None:
    """In the data it is always the first; a model that says A must not be right."""
    task = load_task("gpqa_diamond", data=write_json_lines("gpqa_diamond", tmp_path / "data"))
    by_letter = {question.gold for question in task.questions}
    assert len(by_letter) > 1
    for question in task.questions:
        assert dict(question.options)[question.gold or ""] in question.messages[-1][1]
    again = load_task("gpqa_diamond", data=tmp_path / "data", nonce="other", limit=3)
    options = {question.item_id: question.options for question in task.questions}
    assert all(options[question.item_id] == question.options for question in again.questions)


def test_the_default_order_is_that_of_the_command_line() -> None:
    option = next(option for option in quick.params if option.name == "subset_key")
    assert option.default == DEFAULT_KEY == "joulemark"
    assert load_task("quick").questions == load_task("quick", subset_key=DEFAULT_KEY).questions


@pytest.mark.parametrize(
    ("name", "hint"), [("quikc", "quick"), ("GSM-8K", "gsm8k"), ("zzz", "there are aqua, arc_challenge")]
)
def test_an_unknown_name_gets_its_neighbours(name: str, hint: str) -> None:
    with pytest.raises(InputError, match=hint) as error:
        load_task(name)
    assert error.value.exit_code == 2


def test_impossible_options() -> None:
    for options in ({"limit": 0}, {"limit": -1}, {"n_shot": -1}):
        with pytest.raises(InputError, match="at least"):
            load_task("quick", **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="quick takes no --data"):
        load_task("quick", data=Path("x.jsonl"))
    with pytest.raises(InputError, match="quick takes no --shots"):
        load_task("quick", n_shot=2)


def test_messages_name_options_that_there_are(tmp_path: Path) -> None:
    """A user who does what a message says must not meet "no such option"."""
    known = {name for option in quick.params for name in option.opts}
    problems = tmp_path / "problems.jsonl"
    problems.write_text('{"question": "What is 1 plus 1?", "answer": "#### 2"}')
    asked: list[Callable[[], object]] = [
        lambda: load_task("quick", data=problems),
        lambda: load_task("quick", n_shot=1),
        lambda: load_task("quick", n_shot=-1),
        lambda: load_task("quick", limit=0),
        lambda: load_task("opinionqa"),
        lambda: load_task("gsm8k", data=problems, split="no"),
        lambda: load_task("gsm8k", data=problems, n_shot=1),
        lambda: load_trace(tmp_path / "none.csv"),
    ]
    for ask in asked:
        with pytest.raises(InputError) as error:
            ask()
        named = set(re.findall(r"--[a-z-]+", str(error.value)))
        assert named
        assert named <= known, str(error.value)


@given(st.sets(st.text(max_size=8), max_size=30), st.text(max_size=5))
def test_the_order_depends_on_ids_and_key_alone(ids: set[str], key: str) -> None:
    forward = permuted(sorted(ids), key, str)
    assert forward == permuted(sorted(ids, reverse=True), key, str)
    assert set(forward) == ids


def test_every_item_is_as_likely_as_any_other_to_be_taken() -> None:
    # 4,000 keys take 10 of 40 items: each should be taken 1,000 times, with a standard deviation of 27.
    ids = [f"item-{i}" for i in range(40)]
    taken = dict.fromkeys(ids, 0)
    for key in range(4000):
        for item in permuted(ids, str(key), str)[:10]:
            taken[item] += 1
    assert max(abs(count - 1000) for count in taken.values()) < 5 * 27


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("a.csv", "question,question,choice0,choice1,choice2,choice3,answer\nq,q,a,b,c,d,0\n", "stand twice"),
        (
            "a.jsonl",
            '{"question": "q", "question": "p", "choices": ["a", "b", "c", "d"], "answer": 0}',
            "twice",
        ),
        ("a.jsonl", '{"question": "q", "choices": ["a", "b", "c", "d"], "answer": 2.9}', "2.9"),
        ("a.jsonl", '{"question": "q", "choices": ["a", "b", "c", "d"], "answer": true}', "True"),
        ("a.jsonl", '{"question": "q", "choices": ["a", "b", "c"], "answer": 3}', "none of the options"),
    ],
)
def test_a_reference_that_is_in_doubt_is_refused(tmp_path: Path, name: str, content: str, why: str) -> None:
    (tmp_path / name).write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=why):
        load_task("mmlu", data=tmp_path / name)
