"""Prompts for pictures and videos, in batches."""

from __future__ import annotations

from pathlib import Path

import pytest

from joulemark.record.content import words
from joulemark.record.errors import InputError
from joulemark.tasks.media import in_batches, read_prompts
from joulemark.tasks.registry import load_task


def prompts_of(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines))
    return path


def test_a_batch_is_one_question(tmp_path: Path) -> None:
    task = read_prompts(prompts_of(tmp_path / "p.txt", "a", "", " b ", "c"), "text-to-image")
    made = in_batches(task, 2, 3)
    assert [[words(c) for _, c in q.messages] for q in made.questions] == [["a", "b"], ["c", "a"], ["b", "c"]]
    assert {q.media_units for q in made.questions} == {2}
    assert len({q.item_id for q in made.questions}) == 3
    assert any("again and again" in note for note in made.notes)
    assert in_batches(task, 1, 3).notes == ()
    assert made.questions[0].item_id != in_batches(task, 1, 3).questions[0].item_id


def test_parti_prompts(data_dir: Path) -> None:
    data = data_dir / "tasks" / "parti" / "PartiPrompts.tsv"
    task = load_task("text-to-image", data=data, limit=12, for_media=True)
    assert len(in_batches(task, 4, 3).questions) == 3
    assert len(load_task("text-to-image", data=data, for_media=True).questions) == 1632


def test_no_language_model_is_asked_for_a_picture(data_dir: Path) -> None:
    with pytest.raises(InputError, match="asks for pictures") as caught:
        load_task("text-to-image", data=data_dir / "tasks" / "parti" / "PartiPrompts.tsv")
    assert "joulemark media" in str(caught.value)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\xff\xfe"])
def test_a_file_without_prompts_is_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "p.txt"
    path.write_bytes(content)
    with pytest.raises(InputError):
        read_prompts(path, "text-to-image")


def test_quotes_of_a_tab_separated_file_may_mean_themselves(tmp_path: Path) -> None:
    path = tmp_path / "p.tsv"
    path.write_text('Prompt\tNote\n"BE KIND" in chalk\t\na sign that says "no"\t\n')
    asked = {
        words(q.messages[-1][1]) for q in load_task("text-to-image", data=path, for_media=True).questions
    }
    assert asked == {'"BE KIND" in chalk', 'a sign that says "no"'}
    path.write_text('Prompt\tNote\n"two\nlines"\t\n')
    (question,) = load_task("text-to-image", data=path, for_media=True).questions
    assert words(question.messages[-1][1]) == "two\nlines"
