from __future__ import annotations

import errno
import os
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from joulemark.record.errors import InputError
from joulemark.record.item import Attempt, Chunk, Item, ItemRow, LocalTexts, Verdict
from joulemark.runs.journal import ItemJournal, read_items


def row(name: str = "q1", repeat: int = 0, answer: str = "42") -> ItemRow:
    item = Item(
        item_id=name,
        index=0,
        repeat=repeat,
        segment=0,
        phase="measure",
        t_sent=10,
        t_end=20,
        attempts=(Attempt(5, 8, "503", None), Attempt(10, 20)),
        verdict=Verdict.CORRECT,
        correct=True,
        span=(0, 2),
        suspect=("usage_off_by_one",),
        reasons={"t_first": "not_streamed"},
    )
    return ItemRow(item, (Chunk(12, 1, False), Chunk(12, None, True)), LocalTexts("p", answer, ""))


def test_a_row_comes_back_as_it_was_written(tmp_path: Path) -> None:
    journal = ItemJournal(tmp_path / "items.jsonl")
    journal.append(row())
    journal.close()
    assert read_items(tmp_path / "items.jsonl") == ([row()], 0)
    assert row().item.t_begin == 5


@given(st.text())
def test_any_answer_survives(tmp_path_factory: pytest.TempPathFactory, answer: str) -> None:
    path = tmp_path_factory.mktemp("journal") / "items.jsonl"
    journal = ItemJournal(path)
    journal.append(row(answer=answer))
    journal.close()
    (back,), unreadable = read_items(path)
    assert back.texts is not None
    assert back.texts.answer == answer
    assert unreadable == 0


def test_a_journal_cut_at_any_byte_loses_at_most_its_last_row(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    journal = ItemJournal(path)
    for n in range(3):
        journal.append(row(f"q{n}"))
    journal.close()
    whole = path.read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(0, len(whole) + 1, 7):
        path.write_bytes(whole[:cut])
        journal = ItemJournal(path)
        journal.append(row("later"))
        journal.close()
        rows, _ = read_items(path)
        complete = sum(end <= cut for end in ends)
        names = [r.item.item_id for r in rows]
        # A cut right before the newline leaves a whole row: it may be counted, never doubled.
        assert names[:complete] == [f"q{n}" for n in range(complete)]
        assert names[-1] == "later"
        assert len(names) <= complete + 2


def test_a_full_disk_is_one_sentence_and_keeps_what_was_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "items.jsonl"
    journal = ItemJournal(path)
    journal.append(row("q1"))

    def full(fd: int, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(os, "write", full)
        with pytest.raises(InputError, match="No space left"):
            journal.append(row("q2"))
    journal.close()
    rows, _ = read_items(path)
    assert [r.item.item_id for r in rows] == ["q1"]


def test_rubbish_lines_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "items.jsonl"
    path.write_bytes(b'{"item": 3}\nnull\n[]\n\xff\xfe\n{"item": {"item_id": "x"}}\n')
    assert read_items(path) == ([], 5)


@pytest.mark.parametrize(("verdict", "correct"), [(Verdict.WRONG, True), (Verdict.CORRECT, False)])
def test_an_answer_that_is_wrong_and_correct_is_refused_and_not_left_out(
    tmp_path: Path, verdict: Verdict, correct: bool
) -> None:
    edited = row("q7")
    path = tmp_path / "items.jsonl"
    journal = ItemJournal(path)
    journal.extend([row(), replace(edited, item=replace(edited.item, verdict=verdict, correct=correct))])
    journal.close()
    with pytest.raises(InputError, match="contradicts itself") as caught:
        read_items(path)
    assert f"'q7' has the verdict '{verdict.value}'" in caught.value.why
