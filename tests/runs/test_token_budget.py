"""Counts beyond what was allowed are doubted by whoever reads them, also where the file does not say so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from doubles import run_views
from joulemark.metrics.doubts import doubts
from joulemark.metrics.summary import summarize
from joulemark.metrics.token_doubt import counts_contradicted, doubted_items
from joulemark.record.item import Chunk, ItemRow
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run
from joulemark.runs.token_budget import over_budget, within_budget
from joulemark.runs.view import view_of

N, BUDGET = 400, 96


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write a run whose answers have 20 tokens of the 96 that they may have."""
    layout = RunLayout(tmp_path / "run")
    layout.create()
    described = run_views.manifest()
    sampling = described.sampling.model_copy(update={"max_tokens": BUDGET})
    task = described.task.model_copy(update={"n_items": N})
    layout.write_manifest(described.model_copy(update={"sampling": sampling, "task": task}))
    journal = ItemJournal(layout.items_journal)
    rows = []
    for index in range(N):
        item = run_views.item(index, start_s=2.0 * index)
        chunks = tuple(Chunk(item.t_end - 20 + k, 1, False) for k in range(20))
        rows.append(ItemRow(replace(item, completion_tokens=20), chunks))
    journal.extend(rows)
    journal.close()
    return tmp_path / "run"


def edited(root: Path, n: int, change: Callable[[dict], None]) -> None:
    journal = RunLayout(root).items_journal
    lines = [orjson.loads(line) for line in journal.read_bytes().splitlines()]
    for line in lines[:n]:
        change(line)
    journal.write_bytes(b"".join(orjson.dumps(line, option=orjson.OPT_APPEND_NEWLINE) for line in lines))


def test_what_was_allowed_is_not_doubted(root: Path) -> None:
    run = read_run(root)
    assert doubted_items(run.items) == 0
    assert all(chunk.tokens == 1 for chunks in run.chunks.values() for chunk in chunks)


def test_counts_edited_beyond_the_budget_are_said_and_nothing_rests_on_them(root: Path) -> None:
    edited(root, 5, lambda line: line["item"].update(completion_tokens=10**15))
    run = read_run(root)
    assert doubted_items(run.items) == 5
    assert counts_contradicted(run.items)
    view = view_of(run)
    summary = summarize(view)
    told = {caveat.code: caveat for caveat in doubts(view, summary.figures)}
    assert told["suspect_answers"].loud
    assert f"{10**15} completion tokens were reported, and 96 were allowed" in told["suspect_answers"].text
    assert summary.figures["tokens_per_second"].value is None


def test_a_doubt_that_was_taken_out_of_the_file_is_there_again(root: Path) -> None:
    edited(root, N, lambda line: line["item"].update(completion_tokens=97, suspect=[]))
    assert doubted_items(read_run(root).items) == N


def test_a_doubt_that_stands_is_not_said_twice(root: Path) -> None:
    said = list(over_budget(97, BUDGET))
    edited(root, 1, lambda line: line["item"].update(completion_tokens=97, suspect=said))
    assert read_run(root).items[0].suspect == tuple(said)


def test_chunks_beyond_the_budget_count_for_nothing(root: Path) -> None:
    def change(line: dict) -> None:
        line["item"].update(completion_tokens=None)
        line["chunks"][3][1] = 10**15

    edited(root, 1, change)
    run = read_run(root)
    assert doubted_items(run.items) == 1
    assert {chunk.tokens for chunk in run.chunks[run.items[0].key]} == {None}


@settings(deadline=None)
@given(
    st.none() | st.integers(0, 10**18),
    st.lists(st.none() | st.integers(0, 10**18), max_size=8),
    st.integers(1, 10_000),
)
def test_no_count_beyond_the_budget_is_left_unsaid(
    tokens: int | None, counts: list[int | None], budget: int
) -> None:
    item = replace(run_views.item(0), completion_tokens=tokens)
    row = ItemRow(item, tuple(Chunk(k, count, False) for k, count in enumerate(counts)))
    read = within_budget(row, budget)
    seen = sum(chunk.tokens or 0 for chunk in read.chunks)
    assert seen <= budget + 1
    fine = (tokens is None or tokens <= budget) and sum(count or 0 for count in counts) <= budget + 1
    assert bool(doubted_items([read.item])) == (not fine)
    assert within_budget(read, budget).item == read.item
