"""Names, options and order of tasks."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.cli.bench import quick
from joulemark.meters.trace import load_trace
from joulemark.record.errors import InputError
from joulemark.tasks.registry import describe_tasks, load_task
from joulemark.tasks.subset import DEFAULT_KEY, permuted


def test_every_described_task_is_known_by_its_name(tmp_path: Path) -> None:
    problems = tmp_path / "problems.jsonl"
    problems.write_text('{"question": "What is 1 plus 1?", "answer": "#### 2"}')
    for entry in describe_tasks():
        data = problems if "--data" in str(entry["data"]) else None
        assert load_task(str(entry["name"]), data=data).name == entry["name"]


def test_the_default_order_is_that_of_the_command_line() -> None:
    option = next(option for option in quick.params if option.name == "subset_key")
    assert option.default == DEFAULT_KEY == "joulemark"
    assert load_task("quick").questions == load_task("quick", subset_key=DEFAULT_KEY).questions


@pytest.mark.parametrize(
    ("name", "hint"), [("quikc", "quick"), ("GSM-8K", "gsm8k"), ("zzz", "there are gsm8k, quick")]
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
        lambda: load_task("gsm8k"),
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
