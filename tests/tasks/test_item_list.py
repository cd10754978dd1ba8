"""Asking only the items that a file names."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from joulemark.record.errors import InputError
from joulemark.tasks.item_list import read_item_ids
from joulemark.tasks.registry import load_task


def test_lists_of_every_form(tmp_path: Path) -> None:
    path = tmp_path / "items"
    for text in ("a\nb\n\n a \n", '["a", "b"]', '{"item_ids": ["a", "b"], "more": 1}'):
        path.write_text(text)
        assert read_item_ids(path) == ("a", "b")
    for bad in ("", "[]", '{"ids": []}', "[1.5]", '{"item_ids": [{}]}', "{"):
        path.write_text(bad)
        with pytest.raises(InputError, match="item"):
            read_item_ids(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="no list of items"):
        read_item_ids(path)
    with pytest.raises(InputError, match="no list of items"):
        read_item_ids(tmp_path / "missing")


def test_only_those_are_asked_in_the_order_of_the_key() -> None:
    whole = load_task("quick")
    ids = [question.item_id for question in whole.questions]
    wanted = (ids[7], ids[2], ids[30])
    some = load_task("quick", item_ids=wanted)
    assert some.is_listed
    assert not load_task("quick", limit=2).is_listed
    assert [question.item_id for question in some.questions] == [ids[2], ids[7], ids[30]]
    assert some.subset_key == whole.subset_key
    assert any("3 of 52 items" in note for note in some.notes)
    assert len(load_task("quick", item_ids=wanted, limit=2).questions) == 2


def test_a_task_knows_how_many_it_could_ask_and_what_its_questions_are_drawn_from() -> None:
    whole = load_task("quick")
    assert (whole.n_whole, whole.n_drawn_from) == (52, 52)
    limited = load_task("quick", limit=10)
    assert (len(limited.questions), limited.n_whole, limited.n_drawn_from) == (10, 52, 52)
    listed = load_task("quick", item_ids=tuple(question.item_id for question in limited.questions))
    assert (listed.n_whole, listed.n_drawn_from) == (52, 10)
    assert replace(limited, subset_key=None).n_drawn_from == 10  # in no random order


def test_an_item_that_is_not_there_is_told() -> None:
    with pytest.raises(InputError, match="1 of 2 items") as error:
        load_task("quick", item_ids=(load_task("quick").questions[0].item_id, "elsewhere"))
    assert "'elsewhere'" in error.value.why


def test_an_example_is_not_asked(tmp_path: Path) -> None:
    path = tmp_path / "sums.jsonl"
    rows = [{"question": f"What is {k} + 1?", "answer": f"#### {k + 1}"} for k in range(6)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    without = {question.item_id for question in load_task("gsm8k", data=path, n_shot=2).questions}
    held = {question.item_id for question in load_task("gsm8k", data=path).questions} - without
    assert held
    with pytest.raises(InputError, match="not asked"):
        load_task("gsm8k", data=path, n_shot=2, item_ids=tuple(held))
