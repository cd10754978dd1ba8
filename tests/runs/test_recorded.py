"""A run read back: a complete one that lost lines is partial, whichever repeat they are of."""

from __future__ import annotations

from pathlib import Path

import pytest

from doubles import run_views
from joulemark.record.item import ItemRow
from joulemark.runs.journal import ItemJournal
from joulemark.runs.layout import RunLayout
from joulemark.runs.recorded import read_run

ITEMS, REPEATS = 4, 3


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Write a complete run of three repeats."""
    layout = RunLayout(tmp_path / "run")
    layout.create()
    described = run_views.manifest(repeats=REPEATS)
    task = described.task.model_copy(update={"n_items": ITEMS})
    layout.write_manifest(described.model_copy(update={"task": task}))
    journal = ItemJournal(layout.items_journal)
    for repeat in range(REPEATS):
        for index in range(ITEMS):
            start_s = 10.0 * repeat + 2.0 * index
            journal.append(ItemRow(run_views.item(index, repeat=repeat, start_s=start_s)))
    journal.close()
    return tmp_path / "run"


def test_a_whole_run_is_complete(root: Path) -> None:
    run = read_run(root)
    assert len(run.items) == ITEMS * REPEATS
    assert (run.manifest.state, run.manifest.notes) == ("complete", [])


@pytest.mark.parametrize("torn", [0, 5, ITEMS * REPEATS - 1])
def test_one_torn_line_makes_it_partial(root: Path, torn: int) -> None:
    journal = RunLayout(root).items_journal
    lines = journal.read_bytes().splitlines(keepends=True)
    lines[torn] = lines[torn][:40] + b"\n"
    journal.write_bytes(b"".join(lines))
    run = read_run(root)
    assert len(run.items) == ITEMS * REPEATS - 1
    assert run.manifest.state == "partial"
    assert "1 line(s) of the journals could not be read" in run.manifest.notes[0]


def test_a_line_that_stands_twice_does_not_stand_for_another(root: Path) -> None:
    journal = RunLayout(root).items_journal
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([lines[0], *lines[:-1]]))
    assert read_run(root).manifest.state == "partial"
