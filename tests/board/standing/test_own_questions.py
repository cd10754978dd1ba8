"""A run that names a built-in task's questions and asked others is shown, and takes nobody's rank."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sqlalchemy import select

from doubles.boards import board, key
from doubles.challenged_runs import rows
from doubles.hostile_bundles import WORDS
from doubles.noisy_runs import noisy
from doubles.submitted_runs import described, readings
from joulemark.board.database.tables import configurations
from joulemark.board.standing.board_row import BoardRow
from joulemark.board.standing.own_questions import NONCE, OTHERS, comes_with_us
from joulemark.board.standing.run_row import row_of_run
from joulemark.bundles.submission.content import Content, cleaned
from joulemark.bundles.submission.pack import pack_content
from joulemark.metrics.run_point import run_point
from joulemark.metrics.summary import summarize
from joulemark.record.item import ItemRow
from joulemark.record.manifest import Task
from joulemark.runs.plan import items_hash
from joulemark.tasks.registry import load_task

N = 12
BOARDS = "board-" + "0123456789abcdef" * 2
Rows = Callable[[list[ItemRow]], list[ItemRow]]


def content_of(
    change: Rows = lambda given: given, *, nonce: str | None = None, limit: int | None = N, **told: object
) -> Content:
    """A run of the first twelve questions, with other answers or with other words of its task."""
    task = load_task("quick", limit=limit, nonce=nonce)
    given = [replace(one, item=replace(one.item, rule=str(one.item.rule))) for one in change(rows(task, N))]
    manifest = described(len(given), may_rank=True, state="complete")
    facts = {
        "name": "quick",
        "revision": task.revision,
        "source": task.source,
        "items_hash": items_hash(task.questions),
        "n_items": len(given),
        "n_whole": task.n_whole,
        "template_hash": "7c4a8d09aabbccdd",
        "subset_key": task.subset_key,
        "nonce": nonce,
    }
    manifest.task = Task.model_validate({**facts, **told})
    told_by_meters = noisy(readings(N), np.random.default_rng(5))
    return cleaned(manifest, tuple(given), tuple(told_by_meters), WORDS)


def row_of(*given: Any, **told: Any) -> BoardRow:
    """The row of such a run."""
    view = content_of(*given, **told).view()
    summary = summarize(view)
    return row_of_run(view, summary, run_point(view, summary, "here"))


def renamed(given: list[ItemRow]) -> list[ItemRow]:
    last = given[-1]
    return [*given[:-1], replace(last, item=replace(last.item, item_id="easier"))]


def one_twice(given: list[ItemRow]) -> list[ItemRow]:
    last, first = given[-1], given[0].item
    item = replace(last.item, item_id=first.item_id, index=first.index, repeat=1)
    return [*given[:-1], replace(last, item=item)]


@pytest.mark.parametrize("nonce", [None, BOARDS])
def test_who_asked_what_it_names_is_ranked(nonce: str | None) -> None:
    assert row_of(nonce=nonce).why_not_ranked == ""


def test_a_hard_question_left_out_is_no_rank_among_those_who_asked_it() -> None:
    whole, cut = row_of(), row_of(lambda given: given[:-1])
    assert cut.table == whole.table, "by what it says it is one of them"
    assert (cut.is_ranked, cut.why_not_ranked) == (False, OTHERS)
    # nor where it says to have asked all
    assert row_of(lambda given: given[:-1], n_items=N).why_not_ranked == OTHERS


@pytest.mark.parametrize("change", [renamed, one_twice])
def test_nor_is_another_one_in_its_place(change: Rows) -> None:
    assert row_of(change).why_not_ranked == OTHERS


def test_nor_are_a_few_under_the_name_of_the_whole_task() -> None:
    assert row_of(limit=None).why_not_ranked == OTHERS


@pytest.mark.parametrize("n_whole", [N, None])
def test_a_part_that_calls_itself_the_whole_is_no_rank(n_whole: int | None) -> None:
    assert row_of(n_whole=n_whole).why_not_ranked == OTHERS


def test_a_nonce_that_its_submitter_chose_is_no_rank() -> None:
    assert row_of(nonce="0" * 64).why_not_ranked == NONCE


def test_questions_that_nobody_else_is_said_to_have_asked_take_no_rank_and_need_no_check() -> None:
    assert row_of(renamed, items_hash=None).is_ranked
    assert row_of(renamed, items_hash=None).table != row_of().table
    assert row_of(renamed, revision="0" * 64).is_ranked
    own_part = row_of(renamed, subset_key="a key of one's own")
    assert own_part.is_ranked
    assert own_part.table != row_of().table


def test_nor_is_anything_picked_by_its_accuracy(tmp_path: Path) -> None:
    cut = [content_of(), content_of(lambda given: given[:-1])]
    bundles = [pack_content(one, key(signer), WORDS).data for signer, one in enumerate(cut)]
    for data, is_there in zip(bundles, (True, False), strict=True):
        with board(tmp_path / str(is_there), [data]) as made, made.engine.connect() as connection:
            found = connection.execute(select(configurations)).mappings().one()
            assert found["row"]["is_ranked"] is is_there
            assert (found["candidate"] is not None) is is_there


def test_no_other_machine_is_asked_for_questions() -> None:
    assert comes_with_us("quick")
    assert not comes_with_us("gsm8k")
    assert not comes_with_us("no such task")
