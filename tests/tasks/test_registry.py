"""Names, options and order of tasks."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.record.errors import InputError
from joulemark.tasks.registry import describe_tasks, load_task, suite_tasks, task_names
from joulemark.tasks.subset import permuted, subset


def test_every_named_task_is_described() -> None:
    assert [entry["name"] for entry in describe_tasks()] == list(task_names())
    assert suite_tasks("quick") == ("quick",)
    assert suite_tasks("gsm8k") == ("gsm8k",)


@pytest.mark.parametrize(
    ("name", "hint"), [("quikc", "quick"), ("GSM-8K", "gsm8k"), ("zzz", "there are gsm8k, quick")]
)
def test_an_unknown_name_gets_its_neighbours(name: str, hint: str) -> None:
    for ask in (load_task, suite_tasks):
        with pytest.raises(InputError, match=hint) as error:
            ask(name)
        assert error.value.exit_code == 2


def test_impossible_options() -> None:
    for options in ({"limit": 0}, {"limit": -1}, {"n_shot": -1}):
        with pytest.raises(InputError, match="at least"):
            load_task("quick", **options)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="quick takes no --data"):
        load_task("quick", data=Path("x.jsonl"))
    with pytest.raises(InputError, match="quick takes no --n-shot"):
        load_task("quick", n_shot=2)


@given(st.sets(st.text(max_size=8), max_size=30), st.text(max_size=5), st.integers(0, 30))
def test_the_order_depends_on_ids_and_key_alone(ids: set[str], key: str, n: int) -> None:
    forward = permuted(sorted(ids), key, str)
    assert forward == permuted(sorted(ids, reverse=True), key, str)
    assert set(forward) == ids
    assert subset(sorted(ids), n, key, str) == forward[:n]


def test_every_item_is_as_likely_as_any_other_to_be_taken() -> None:
    # 4,000 keys take 10 of 40 items: each should be taken 1,000 times, with a standard deviation of 27.
    ids = [f"item-{i}" for i in range(40)]
    taken = dict.fromkeys(ids, 0)
    for key in range(4000):
        for item in subset(ids, 10, str(key), str):
            taken[item] += 1
    assert max(abs(count - 1000) for count in taken.values()) < 5 * 27
